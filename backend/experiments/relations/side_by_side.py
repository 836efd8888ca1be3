"""Models side by side: measures over the languages that all have, with ranks, and who can be told from whom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from isogloss.backend.corpora.languages.languages import UNCLASSIFIED, language
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.experiments.relations.cubes import one_square, score_files
from isogloss.backend.experiments.relations.one_by_one import single, some_of
from isogloss.backend.experiments.relations.reading import LAST, Question, Scored
from isogloss.backend.experiments.relations.reduced import reduced
from isogloss.backend.listing import listed_once
from isogloss.backend.metrics.intervals import bounds_of_difference, within
from isogloss.backend.metrics.ranking.apart import differences, means, significance
from isogloss.backend.metrics.ranking.ranks import letters, ranks
from isogloss.backend.metrics.ranking.seeds import together
from isogloss.backend.metrics.ranking.shared import Shared, of_numbers, of_squares
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.relations.cubes import Squares
    from isogloss.backend.experiments.relations.reading import Reading
    from isogloss.backend.metrics.intervals import Bounds
    from isogloss.backend.metrics.ranking.ranks import Better
    from isogloss.backend.metrics.ranking.seeds import Seeds

    Floats = NDArray[np.float64]

Drawn = Literal["languages", "families"]
"""What intervals over languages take as drawn: each by itself, or families as a whole, whose languages are alike."""
NUMBERS = ["value", "low", "high", "rank", "rank_low", "rank_high"]
SPREAD = ["seeds", "seed_deviation", "seed_low", "seed_high"]
RANKED = ["measure", "model", "checkpoint", *NUMBERS, "group", "n", "over", *SPREAD]
APART = ["first", "second", "value", "low", "high", "p", "p_corrected", "seed_low", "seed_high", "n"]


@in_recipes
@depends_on(score_files)
def ranked(
    question: Question,
    workspaces: Sequence[Path],
    better: Mapping[str, Better],
    languages: Sequence[str] = (),
    seeds: Mapping[str, str] = MappingProxyType({}),
    drawn: Drawn = "languages",
) -> pd.DataFrame:
    """Return each measure of the question of each of its models, a row each, the best first: see `rank_models`.

    `better` says by measure which values are. `languages`: the mean is over these alone, and of one over its pairs, where the
    measure is of pairs; over all where none is named. `seeds`: by the name of a model what it is a seed of; these are one, the
    mean over its seeds. `drawn`: what intervals and ranks take as drawn, each language or whole families.

    Columns: measure, model, checkpoint (fingerprint; empty for a mean over several), value, low, high
    (95%, over languages, within what the measure can be), rank, rank_low, rank_high, group, n (languages), over (what the
    mean is over: languages, pairs, or pairs with `others`), seeds (how many), seed_deviation (standard deviation between
    them), seed_low, seed_high (95% with other seeds and the same languages). Models without a value, with too few languages,
    or whose checkpoint is another model's have nan and no group.
    """
    rows: list[dict[str, object]] = []
    for name, reading in question.readings.items():
        beside = _together(*_shared(reading, workspaces, languages, drawn), seeds)
        rows += _rows(name, beside, better.get(name, "neither"), _bounds(reading))
    return pd.DataFrame(rows, columns=RANKED).astype(dict.fromkeys([*NUMBERS, *SPREAD[1:]], float) | {"n": int, "seeds": int})


@in_recipes
@depends_on(score_files)
def apart(
    question: Question,
    workspaces: Sequence[Path],
    measure: str,
    languages: Sequence[str] = (),
    seeds: Mapping[str, str] = MappingProxyType({}),
    drawn: Drawn = "languages",
) -> pd.DataFrame:
    """Return every two models' difference in one measure of the question: see `compare_models`.

    Both ways round, those of the model with the highest value first; `seeds` and `drawn` as of `ranked`.

    Columns: first, second, value (first less second), low, high (95%), p, p_corrected, seed_low, seed_high (95% with other
    seeds of both), n (languages).
    """
    beside = _together(*_shared(question.readings[measure], workspaces, languages, drawn), seeds)
    shared = beside.shared
    if shared is None or beside.seeds is None:
        return pd.DataFrame(columns=APART)
    found, tested, between = differences(shared.of), significance(shared.of), beside.seeds.differences()
    order = np.argsort(-shared.of.value, kind="stable")
    bounds = bounds_of_difference(_bounds(question.readings[measure]))
    arrays = {"value": found.value, "p": tested.p, "p_corrected": tested.corrected}
    arrays |= dict(zip(("low", "high"), within(found.low, found.high, bounds), strict=True))
    arrays |= dict(zip(("seed_low", "seed_high"), within(between.low, between.high, bounds), strict=True))
    rows = [
        {"first": beside.models[shared.models[a]], "second": beside.models[shared.models[b]]}
        | {name: float(values[a, b]) for name, values in arrays.items()}
        for a, b in permutations(order.tolist(), 2)
    ]
    return pd.DataFrame(rows, columns=[*APART[:-1]]).assign(n=len(shared.languages))


def languages_of(question: Question, workspaces: Sequence[Path]) -> tuple[str, ...]:
    """Return the languages that any model of the question has a number of, sorted."""
    with listed_once():
        names = {
            name
            for reading in question.readings.values()
            for of in reading.models.values()
            for name in some_of(of, workspaces, reading.checkpoint, reading.layer).names
        }
    return tuple(sorted(names))


def _shared(
    reading: Reading, workspaces: Sequence[Path], languages: Sequence[str], drawn: Drawn
) -> tuple[list[str], list[str], Shared | None]:
    """Return the measure's models with the checkpoints read, and what they have in common."""
    models, checkpoints, cubes, values = [], [], [], []
    with listed_once():
        for model, of in reading.models.items():
            cube = _squares(reading, of, workspaces)
            models.append(model)
            checkpoints.append(_checkpoint(reading, cube))
            cubes.append(cube)
            values.append(reduced(cube, reading)[0, 0])
    for place in _again(list(reading.models.values()), checkpoints):
        values[place], checkpoints[place] = np.full_like(values[place], np.nan), ""
    names = tuple(sorted({name for cube in cubes for name in cube.names}))
    square = np.full((len(models), len(names), len(names)), np.nan)
    for place, (cube, own) in enumerate(zip(cubes, values, strict=True)):
        at = np.searchsorted(names, cube.names)
        square[place][np.ix_(at, at)] = own
    shared = _of_languages(square, reading, names, cubes, languages)
    return models, checkpoints, shared if shared is None or drawn == "languages" else over_families(shared, names)


def over_families(shared: Shared, names: Sequence[str]) -> Shared:
    """Return what models have in common with whole families as what is drawn; `names` are those of all languages."""
    groups = families_of([names[place] for place in shared.languages])
    return replace(shared, of=replace(shared.of, groups=groups))


def families_of(names: Sequence[str]) -> NDArray[np.intp]:
    """Return the number of each language's family, from 0; what is in no known one is a family by itself."""
    of = [_family(name) or f" {name}" for name in names]
    return np.unique(of, return_inverse=True)[1].astype(np.intp)


def _family(name: str) -> str:
    try:
        found = language(name).family
    except CorpusError:
        return ""
    return "" if found in UNCLASSIFIED else found or ""


def _squares(reading: Reading, of: Scored, workspaces: Sequence[Path]) -> Squares:
    """Return the squares of a model, those that are not asked for left out where they can be."""
    only = single(of, reading.checkpoint, reading.layer)
    if only is not None and (reading.layer == "mean" or isinstance(reading.layer, int)):
        layer = None if reading.layer == "mean" else reading.layer
        if (one := one_square(of, workspaces, only, layer)) is not None:
            return one
    return some_of(of, workspaces, reading.checkpoint, reading.layer)


def _of_languages(
    square: Floats, reading: Reading, names: tuple[str, ...], cubes: Sequence[Squares], languages: Sequence[str]
) -> Shared | None:
    if not names:
        return None
    wanted = np.isin(names, list(languages)) if len(languages) else np.ones(len(names), bool)
    if reading.role == "itself":
        return of_numbers(np.where(wanted, np.diagonal(square, axis1=1, axis2=2), np.nan))
    if len(languages) == 1:
        return of_squares(square, one=int(np.argmax(wanted))) if wanted.any() else None
    among = np.where(wanted[:, None] & wanted[None, :], square, np.nan)
    return of_squares(among, directed=not all(cube.symmetric for cube in cubes))


@dataclass(frozen=True)
class _Beside:
    """Models beside each other in one measure, those that are seeds of one together."""

    models: list[str]
    checkpoints: list[str]
    shared: Shared | None
    seeds: Seeds | None


def _together(models: list[str], checkpoints: list[str], shared: Shared | None, seeds: Mapping[str, str]) -> _Beside:
    called = [seeds.get(model, model) for model in models]
    names = list(dict.fromkeys(called))
    read = [{key for key, name in zip(checkpoints, called, strict=True) if name == own and key} for own in names]
    one = ["".join(keys) if len(keys) == 1 else "" for keys in read]
    if shared is None:
        return _Beside(names, one, None, None)
    return _Beside(names, one, *together(shared, [names.index(name) for name in called]))


def _rows(name: str, beside: _Beside, better: Better, bounds: Bounds) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    shared, seeds = beside.shared, beside.seeds
    if shared is not None and seeds is not None:
        tested, own = significance(shared.of).corrected, means(shared.of)
        found = ranks(own.value, tested, better)
        order = np.argsort(found.rank, kind="stable")
        groups = letters(order, tested)
        ends, of_seeds = within(own.low, own.high, bounds), within(*seeds.ends(), bounds)
        numbers = (own.value, *ends, found.rank, found.low, found.high, seeds.count, seeds.deviation, *of_seeds)
        for place in order.tolist():
            model = int(shared.models[place])
            rows.append(
                {"measure": name, "model": beside.models[model], "checkpoint": beside.checkpoints[model]}
                | {column: float(each[place]) for column, each in zip([*NUMBERS, *SPREAD], numbers, strict=True)}
                | {"group": groups[place], "n": len(shared.languages), "over": shared.over}
            )
    none: dict[str, object] = {**dict.fromkeys([*NUMBERS, *SPREAD], np.nan), "group": "", "n": 0, "over": "", "seeds": 0}
    there = set() if shared is None else set(shared.models.tolist())
    for place, (model_name, checkpoint) in enumerate(zip(beside.models, beside.checkpoints, strict=True)):
        if place not in there:
            rows.append({"measure": name, "model": model_name, "checkpoint": checkpoint} | none)
    return rows


def _bounds(reading: Reading) -> Bounds:
    return bounds_of(reading.of.metric) if isinstance(reading.of, Scored) else (None, None)


def _again(models: Sequence[Scored], checkpoints: Sequence[str]) -> list[int]:
    """Return the models whose checkpoint is read of another one already, such as that from which they were trained further.

    A checkpoint stays with the model whose last it is, else with the first.
    """
    again: list[int] = []
    for key in dict.fromkeys(filter(None, checkpoints)):
        own = [place for place, each in enumerate(checkpoints) if each == key]
        kept = next((place for place in own if models[place].checkpoints[-1] == key), own[0])
        again += [place for place in own if place != kept]
    return again


def _checkpoint(reading: Reading, cube: Squares) -> str:
    """Return the checkpoint that is read: the last one with scores; empty for a mean over several."""
    if reading.checkpoint != LAST:
        return "" if len(cube.checkpoints) > 1 else cube.checkpoints[0]
    known = [key for key, values in zip(cube.checkpoints, cube.values, strict=True) if np.isfinite(values).any()]
    return known[-1] if known else ""
