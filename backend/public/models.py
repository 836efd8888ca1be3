"""Numbers of several models in, ranks and differences out: `isogloss.rank_models` and `compare_models`, as on Relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.relations.side_by_side import over_families
from isogloss.backend.metrics.intervals import Bounds, within
from isogloss.backend.metrics.ranking.apart import differences, means, significance
from isogloss.backend.metrics.ranking.ranks import Better, letters, ranks
from isogloss.backend.metrics.ranking.seeds import Seeds, together
from isogloss.backend.metrics.ranking.shared import Shared, of_numbers, of_squares
from isogloss.backend.models.seeds import seeds_of
from isogloss.backend.public.reading import numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


def rank_models(
    values: Mapping[str, Any],
    *,
    better: Better = "higher",
    seeds: bool = False,
    bounds: Bounds = (None, None),
    families: bool = False,
    languages: Sequence[str] = (),
) -> pd.DataFrame:
    """Rank models by their mean over the languages that all of them have, with intervals of the ranks.

    Args:
        values: Model → its numbers: language → number; or an array `[languages]`, the same languages in the same order for all;
            or, of pairs of languages, a matrix `[languages, languages]` (source, target), of which the diagonal does not count
            and both directions are averaged. nan where there is none. Models that have fewer than half of the languages that
            one has are left out.
        better: `higher`, `lower`, or `neither` (ranked from the highest).
        seeds: Models whose names differ in a seed alone (`multiberts-seed_0`, `mine seed 3`) are one, the mean over its seeds.
        bounds: The least and the greatest value that there can be, such as `(0, 1)`: intervals of values end there.
        families: Intervals and ranks are over families of languages as if these were drawn as a whole: languages of one are
            alike, and intervals over languages by themselves are then too short. One of no known family is one by itself.
        languages: The names (tags or codes) of the languages of arrays, for `families`; dictionaries have theirs.

    Returns:
        A row a model, the best first: `model`, `value` (mean over the languages, or over their pairs), `low`, `high` (its 95%
        interval over languages, as if these were drawn), `rank` (1 is the best), `rank_low`, `rank_high` (intervals of the
        ranks, which hold all at once with 95%), `group` (letters: two models share one where they cannot be told apart, and
        nowhere else), `seeds` (how many), `seed_deviation` (standard deviation between seeds, on the same languages),
        `seed_low`, `seed_high` (Student's 95% interval with other seeds and the same languages), `n` (languages). Fewer than
        six languages (or families) tell nothing apart, and have no interval; one seed has none over seeds.

    Raises:
        SpecError: No two models with a language in common, arrays of different shapes, what are no numbers, or `families` of
            arrays without the names of their languages.

    Source: Hartigan 1969 (intervals), Romano & Wolf 2005 (correction), Mogstad et al. 2024 (ranks), Piepho 2004 (letters);
    docs/definitions.md, *Models side by side*.
    """
    if better not in get_args(Better):
        raise SpecError(f"There is no direction '{better}'. {did_you_mean(better, get_args(Better))}")
    names, shared, between = _shared(values, seeds=seeds, families=families, languages=languages)
    corrected, own = significance(shared.of).corrected, means(shared.of)
    found = ranks(own.value, corrected, better)
    order = np.argsort(found.rank, kind="stable")
    columns = {
        "model": names,
        "value": own.value,
        **dict(zip(("low", "high"), within(own.low, own.high, bounds), strict=True)),
        "rank": found.rank,
        "rank_low": found.low,
        "rank_high": found.high,
        "group": letters(order, corrected),
        "seeds": between.count,
        "seed_deviation": between.deviation,
    } | dict(zip(("seed_low", "seed_high"), within(*between.ends(), bounds), strict=True))
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True).assign(n=len(shared.languages))


def compare_models(
    values: Mapping[str, Any], *, seeds: bool = False, families: bool = False, languages: Sequence[str] = ()
) -> pd.DataFrame:
    """Set every model against every other, on the languages that all of them have.

    Args:
        values: As of `rank_models`.
        seeds: As of `rank_models`.
        families: As of `rank_models`.
        languages: As of `rank_models`.

    Returns:
        A row an ordered pair of models: `first`, `second`, `value` (the first's mean less the second's), `low`, `high` (the
        difference's own 95% interval over languages, the same on both sides), `p` (of it alone), `p_corrected` (of all
        differences at once: those of at most .05 are told apart, with a chance of 5% that any of them is wrong), `seed_low`,
        `seed_high` (Welch's 95% interval with other seeds of both and the same languages; nan where one has a single seed),
        `n` (languages).

    Raises:
        SpecError: As `rank_models`.

    Source: as of `rank_models`.
    """
    names, shared, between = _shared(values, seeds=seeds, families=families, languages=languages)
    found, tested, of_seeds = differences(shared.of), significance(shared.of), between.differences()
    arrays = {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "p": tested.p,
        "p_corrected": tested.corrected,
        "seed_low": of_seeds.low,
        "seed_high": of_seeds.high,
    }
    rows = [
        {"first": names[a], "second": names[b]} | {name: float(of[a, b]) for name, of in arrays.items()}
        for a, b in permutations(range(len(names)), 2)
    ]
    return pd.DataFrame(rows).assign(n=len(shared.languages))


def _shared(
    values: Mapping[str, Any], *, seeds: bool, families: bool, languages: Sequence[str]
) -> tuple[list[str], Shared, Seeds]:
    """Return the models set side by side, their numbers, and how far their seeds lie apart."""
    of, arrays = _arrays(values)
    shapes = {each.shape for each in arrays}
    square = len(shapes) == 1 and all(len(shape) == 2 and shape[0] == shape[1] for shape in shapes)
    if len(shapes) != 1 or not (square or all(len(shape) == 1 for shape in shapes)):
        told = ", ".join(f"{name} {list(each.shape)}" for name, each in zip(values, arrays, strict=True))
        raise SpecError(f"Models need the same shape, [languages] or [languages, languages]: {told or 'there are none'}.")
    found = of_squares(np.stack(arrays)) if square else of_numbers(np.stack(arrays))
    if families and found is not None:
        found = over_families(found, _named(of or languages, arrays[0].shape[0]))
    called = seeds_of(map(str, values)) if seeds else {}
    every = [called.get(str(name), str(name)) for name in values]
    names = list(dict.fromkeys(every))
    one = None if found is None else together(found, [names.index(name) for name in every])
    if one is None or len(one[0].models) < 2:
        raise SpecError("No two models have a language in common: give each numbers of the same languages.")
    return [names[place] for place in one[0].models], *one


def _arrays(values: Mapping[str, Any]) -> tuple[list[str], list[NDArray[np.float64]]]:
    """Return the languages that are named, none of arrays, and each model's numbers in that order."""
    given = [_numbers(name, each) for name, each in values.items()]
    if not given or not all(isinstance(each, Mapping) for each in values.values()):
        return [], [np.asarray(each, np.float64) for each in given]
    languages = sorted({language for each in given for language in each})
    return languages, [np.array([each.get(language, np.nan) for language in languages]) for each in given]


def _named(languages: Sequence[str], amount: int) -> Sequence[str]:
    if len(languages) != amount:
        told = f"{len(languages)} are named" if len(languages) else "none is named"
        raise SpecError(f"Families are of languages, and of {amount} {told}: give `languages`, a tag or code each.")
    return languages


def _numbers(name: str, given: Any) -> Any:
    if not isinstance(given, Mapping):
        return numbers(given, f"Numbers of '{name}'")
    return {str(language): float(numbers(value, f"'{language}' of '{name}'")) for language, value in given.items()}
