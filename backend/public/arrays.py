"""Arrays in, numbers out: `isogloss.abx`, `retrieval` and `igap`, by the formulas that all runs use (`backend.metrics`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.metrics.retrieval.options import NEIGHBOURS, Similarity
from isogloss.backend.public.reading import in_words, numbers, vectors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def abx(embeddings: Any, languages: Sequence[str] | None = None) -> pd.DataFrame:
    """Return exact ABX discrimination of languages and of meanings, and top-1 retrieval, of every pair of languages.

    Args:
        embeddings: One vector a sentence, float16 to float64 (numpy or torch, on any device): `[languages, sentences, dims]`,
            or a dictionary of language → `[sentences, dims]`. Sentence p is the same one in every language. At least two
            languages and two sentences. Lengths do not matter, only directions.
        languages: Names of the languages where `embeddings` is an array; `0`, `1`, … by default.

    Returns:
        A row a measure and pair: `metric`, `source`, `target` (source before target as given), `value`, `low`, `high`, `n`
        (sentences). `abx_language`: share of triplets in which a sentence is nearer to another of its own language than to
        the same of the other language; chance 0.5, higher = languages lie further apart. `abx_meaning`: share in which it is
        nearer to its translation than to another sentence of that language; chance 0.5, higher = better. `retrieval_top1`:
        share of sentences whose translation is the nearest, higher = better. All are means of both directions; ties count ½.
        `low` and `high` are 95% intervals over sentences: of ABX from a delete-one jackknife, on Wilson's scale (nan for
        fewer than three sentences), of retrieval Wilson's.

    Raises:
        SpecError: A wrong shape or type, fewer than two languages or sentences, or a vector that is not finite (it is named).

    Source: de Seyssel et al. 2025, section 3; intervals: Wilson 1927, Korn & Graubard 1998.
    """
    from isogloss.backend.metrics.abx import exact
    from isogloss.backend.metrics.intervals import jackknife_interval, wilson_interval

    names, stacked = _by_language(embeddings, languages)
    if len(names) < 2 or stacked.shape[1] < 2:
        raise SpecError(f"ABX compares at least two languages and two sentences, not {len(names)} and {stacked.shape[1]}.")
    with in_words():
        found = exact.discrimination(stacked)
    n = found.sentences
    assert found.retrieval is not None
    measures = {
        "abx_language": (found.language.numpy(), *jackknife_interval(found.language, found.language_se, n)),
        "abx_meaning": (found.meaning.numpy(), *jackknife_interval(found.meaning, found.meaning_se, n)),
        "retrieval_top1": (found.retrieval.numpy(), *wilson_interval(found.retrieval, n)),
    }
    rows = [
        {"metric": metric, "source": names[i], "target": names[j]}
        | {name: float(values[i, j]) for name, values in zip(("value", "low", "high"), of_metric, strict=True)}
        for metric, of_metric in measures.items()
        for i, j in combinations(range(len(names)), 2)
    ]
    return pd.DataFrame(rows).assign(n=n)


def _by_language(embeddings: Any, languages: Sequence[str] | None) -> tuple[list[str], Any]:
    """Return the names of the languages, and their vectors `[languages, sentences, dims]`."""
    import torch

    if not isinstance(embeddings, Mapping):
        stacked = vectors(embeddings, "Embeddings", ("languages", "sentences", "dims"))
        names = [str(number) for number in range(len(stacked))] if languages is None else list(languages)
        if len(names) != len(stacked):
            raise SpecError(f"There are {len(stacked)} languages in the embeddings and {len(names)} names.")
        return names, stacked
    if languages is not None:
        raise SpecError("The dictionary names the languages already. Leave out `languages`.")
    each = {name: vectors(one, f"Embeddings of '{name}'", ("sentences", "dims")) for name, one in embeddings.items()}
    if len({one.shape for one in each.values()}) > 1:
        shapes = ", ".join(f"{name} {list(one.shape)}" for name, one in each.items())
        raise SpecError(f"All languages need the same sentences and dimensions: {shapes}.")
    if not each:
        raise SpecError("ABX compares at least two languages and two sentences, not 0 and 0.")
    return [str(name) for name in each], torch.stack(list(each.values()))


@dataclass(frozen=True)
class _Compared:
    """How vectors are compared, as a spec says it."""

    similarity: Similarity
    k: int
    centred: bool
    self_neighbour: bool


def retrieval(
    u: Any,
    v: Any,
    *,
    similarity: Similarity = "csls",
    k: int | None = None,
    centred: bool = False,
    self_neighbour: bool = False,
    languages: tuple[str, str] = ("u", "v"),
) -> pd.DataFrame:
    """Return weak and strong alignment: how often a word or sentence is nearest to its translation, in both directions.

    Args:
        u: Vectors `[n, dims]`, float16 to float64 (numpy or torch, on any device), n at least 2.
        v: Those of the translations: row i translates row i of `u`.
        similarity: `csls`, `margin` (ratio), `cosine`, or `l2` (less the Euclidean distance, at the vectors' true length).
        k: Neighbours of csls and margin; 10 and 4 by default, as in the paper that each is from.
        centred: Take each language's mean out of its vectors first.
        self_neighbour: A word is one of its own neighbours, as in the code behind the paper's table IV.
        languages: What the two are called in the rows.

    Returns:
        A row a measure and direction: `metric`, `source`, `target`, `value` (share of queries found, 0 to 1, higher = better;
        a tie is not found), `low`, `high` (Wilson's 95% interval over queries), `n`. `weak` (Eq. 1): the translation is nearer
        than all other words of its language. `strong` (Eq. 3): nearer than all other words of the query's own language; with
        `self_neighbour` called `strong_self`. `strong_released`: nearer than both, as in the authors' released code.

    Raises:
        SpecError: A wrong shape or type, one pair alone, an unknown similarity, k below 1, or a vector that is not finite.

    Source: Gaschi et al. 2022, Eq. 1 and 3; CSLS: Conneau et al. 2018; margin ratio: Artetxe & Schwenk 2019.
    """
    from isogloss.backend.experiments.alignment.rows import both_directions, wilson

    if similarity not in get_args(Similarity):
        raise SpecError(f"There is no similarity '{similarity}'. {did_you_mean(similarity, get_args(Similarity))}")
    sides = [vectors(side, name, ("n", "dims")) for side, name in ((u, "u"), (v, "v"))]
    if sides[0].shape != sides[1].shape or len(sides[0]) < 2:
        raise SpecError(
            f"u and v need the same n (at least 2) and dims, not {list(sides[0].shape)} and {list(sides[1].shape)}."
        )
    of_paper = NEIGHBOURS.get(similarity, 10)
    how = _Compared(similarity, of_paper if k is None else k, centred, self_neighbour)
    with in_words():
        both = both_directions(sides[0], sides[1], how, lambda: False)
    n = len(sides[0])
    rows = [
        {"metric": metric, "source": source, "target": target, "value": value}
        | dict(zip(("low", "high"), wilson(value, n), strict=True))
        for (source, target), found in zip((languages, languages[::-1]), both, strict=True)
        for metric, value in found.items()
    ]
    return pd.DataFrame(rows).assign(n=n)


def igap(
    train_error: ArrayLike,
    translated_error: Mapping[str, ArrayLike] | ArrayLike,
    *,
    at: float | Sequence[float] = 0.0,
    epsilon: float,
) -> pd.DataFrame:
    """Return IGap of each target language: the least interlingual transfer gap at a training error E'.

    Args:
        train_error: Error of each record (a fine-tuned model at a step) on its training examples, `[…]` of any shape: a share
            from 0 to 1, nan for a record that is not there.
        translated_error: Its error on the translations of the training examples: language → `[…]` of the same shape, or an
            array with the languages on a further, last axis. nan where it was not measured.
        at: E', or several.
        epsilon: ε, the width of the window, above 0.

    Returns:
        A row an E' and language: `metric` (`igap`), `at`, `target`, `value` (a share of examples, lower = better transfer;
        below 0 the translations are easier), `n` (records with E' ≤ E_train < E' + ε) and `measured` (those of them whose
        error in the language is known). nan where no record lies in the window, or one that does is not measured: a minimum
        over fewer would be too high. It has no interval: a minimum over records has no sampling distribution that is known.
        Give the records of one seed at a time for the spread over seeds.

    Raises:
        SpecError: Shapes that do not fit, what are no numbers, or an epsilon that is not above 0.

    Source: Chi, Huang & Mao 2023, Eq. 5.
    """
    from isogloss.backend.metrics.transfer.igap import igap_curve, window_sizes

    errors = numbers(train_error, "Training errors")
    if isinstance(translated_error, Mapping):
        names = [str(name) for name in translated_error]
        each = [numbers(one, f"Errors in '{name}'") for name, one in translated_error.items()]
        if wrong := [name for name, one in zip(names, each, strict=True) if one.shape != errors.shape]:
            raise SpecError(f"Errors in '{wrong[0]}' must be {list(errors.shape)}, like the training errors.")
        targets = np.stack(each, axis=-1) if each else np.empty((*errors.shape, 0))
    else:
        targets = numbers(translated_error, "Translated errors")
        names = [str(number) for number in range(targets.shape[-1] if targets.ndim else 0)]
    if targets.shape[:-1] != errors.shape or not errors.ndim:
        raise SpecError(
            f"Errors must be [records] and [records, languages], not {list(errors.shape)} and {list(targets.shape)}."
        )
    points = np.atleast_1d(np.asarray(at, np.float64)).ravel()
    with in_words():
        gaps = targets - errors[..., None]
        values, sizes = igap_curve(errors, gaps, points, epsilon), window_sizes(errors, gaps, points, epsilon)
    rows = [
        {"metric": "igap", "at": float(point), "target": name, "value": float(values[i, j])}
        | {"n": int(sizes.models[i, j]), "measured": int(sizes.measured[i, j])}
        for i, point in enumerate(points)
        for j, name in enumerate(names)
    ]
    return pd.DataFrame(rows, columns=["metric", "at", "target", "value", "n", "measured"])
