"""Aggregate ABX scores for the figures, from the files that cover a selection.

Every function takes `files` (of `backend.store.scores`), the `languages` chosen, the `checkpoints`' fingerprints and the
`pairs` chosen (None for all of these languages), and returns a frame with one row a mark of the figure. A mean's interval is
the mean of its pairs' intervals: pairs share sentences, so their errors may move together, and this is the widest the mean's
can be. A file's sums over pairs are kept (`KEPT`): another layer, and another figure, is then a mean of some of them.

Raises `StoreError` where a file is gone or damaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import coded, sums
from isogloss.backend.store.cube import LARGE, Cube, cubes, reduced
from isogloss.backend.store.over_pairs import ENDS, over_pairs
from isogloss.backend.store.over_pairs import by_language as by_language_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Metric = Literal["abx_language", "abx_meaning", "retrieval_top1"]
Pairs = Sequence[tuple[str, str]] | None
"""Two languages each, in alphabetical order; None for all."""

SCORES: dict[str, Metric] = {"language": "abx_language", "meaning": "abx_meaning", "retrieval": "retrieval_top1"}
"""The columns of a pair's scores."""
BOUNDED = ("language", "meaning")
"""Those that have an interval."""
FEW = 3
"""Layers up to which theirs alone are read of a large file, with intervals; else all from what is kept pair by pair."""
EXTREMES = {"low": "least", "high": "greatest", "n": "n"}

Columns = dict[str, Any]
"""Arrays by name, a row each."""


@in_recipes
def grid(files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Pairs = None) -> pd.DataFrame:
    """Mean over the pairs: metric, checkpoint, layer, value, low, high, pairs, n (sentences)."""
    rows = []
    for summed in _sums(files, checkpoints, languages, pairs):
        metric, layer = np.nonzero(summed.fields["count"][0])
        columns = {"metric": metric, "layer": layer}
        rows.append(_labels(summed, columns) | _totals(summed, metric, layer) | {"n": summed.fields["n"][metric, layer]})
    return _averaged(rows, ["metric", "checkpoint", "layer"], ENDS, {"n": "min"})


@in_recipes
def by_language(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return each language's mean over its pairs and over `layers`: metric, checkpoint, language, value, low, high, pairs."""
    rows, names = [], sorted(set(languages))
    for summed in _sums(files, checkpoints, languages, pairs, each_language=True):
        among = np.isin(summed.layers, list(layers))
        over = replace(summed, fields={name: field[:, :, among].sum(axis=2) for name, field in summed.fields.items()})
        metric, language = np.nonzero(over.fields["count"][0])
        rows.append(_labels(over, {"metric": metric}) | {"language": (names, language)} | _totals(over, metric, language))
    return _averaged(rows, ["metric", "checkpoint", "language"], ENDS)


@in_recipes
def by_language_and_layer(
    files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Pairs = None
) -> pd.DataFrame:
    """Each language's mean over its pairs, a row a layer: metric, checkpoint, layer, language, value, low, high, pairs."""
    rows, names = [], sorted(set(languages))
    for summed in _sums(files, checkpoints, languages, pairs, each_language=True):
        metric, layer, language = np.nonzero(summed.fields["count"][0])
        at = _labels(summed, {"metric": metric, "layer": layer}) | {"language": (names, language)}
        rows.append(at | _totals(summed, metric, layer, language))
    return _averaged(rows, ["metric", "checkpoint", "layer", "language"], ENDS)


@in_recipes
def spread(files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Pairs = None) -> pd.DataFrame:
    """Return the standard deviations over subsamples: metric, checkpoint, layer, value, low, high, pairs, n (sentences).

    The value is the mean over the pairs, low and high are the least and the greatest of a pair.
    """
    rows = []
    for summed in _sums(files, checkpoints, languages, pairs, extremes=True):
        deviations = np.array([[metric.endswith("_sd")] for metric in summed.metrics])
        metric, layer = np.nonzero(deviations & (summed.fields["count"][0] > 0))
        at = _labels(summed, {"metric": metric, "layer": layer}) | _totals(summed, metric, layer)
        rows.append(at | {name: summed.fields[part][metric, layer] for name, part in EXTREMES.items()})
    return _averaged(rows, ["metric", "checkpoint", "layer"], ENDS[:1], {"low": "min", "high": "max", "n": "min"})


@in_recipes
def pairs(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return each pair's scores, mean over `layers`: checkpoint, source, target, n and, a metric each, its value and interval.

    Columns `language`, `meaning`, `retrieval` and `language_low`, `language_high`, `meaning_low`, `meaning_high`.
    """
    asked = [(name, metric, "value") for name, metric in SCORES.items()]
    asked += [(f"{name}_{bound}", SCORES[name], bound) for name in BOUNDED for bound in ENDS[1:]]
    rows = []
    chosen = [cube for path in files for cube in over_layers_of(path, layers) if cube.checkpoint in set(checkpoints)]
    for cube in sorted(chosen, key=lambda cube: str(cube.checkpoint)):
        some = np.flatnonzero(cube.pairs.among(languages, pairs))
        n = cube.fields["n"][some]
        some, n = some[np.isfinite(n)], n[np.isfinite(n)]
        at: Columns = {"checkpoint": coded.same(str(cube.checkpoint), len(some)), "n": n}
        ends = {"source": cube.pairs.source, "target": cube.pairs.target}
        at |= {end: (cube.pairs.names, names[some]) for end, names in ends.items()}
        for name, metric, field in asked:
            of = [place for place, own in enumerate(cube.metrics) if own == metric]
            total, count = (cube.fields[part][ENDS.index(field), of][:, some].sum(axis=0) for part in ("total", "count"))
            at |= {name: total, f"{name}_count": count}
        rows.append(at)
    by, scores = ["checkpoint", "source", "target"], [name for name, *_ in asked]
    apart = len({cube.checkpoint for cube in chosen}) == len(chosen)  # then the rows are in order, as each file's pairs are
    found = _averaged(rows, by, scores, {"n": "min"}, counted=False, in_order=apart)
    return found[[*by, "n", *scores]]


def over_layers_of(path: Path, layers: Sequence[int], amount: int = 3) -> tuple[Cube, ...]:
    """Return each pair's `total` and `count` over layers [amount of `ENDS`, metrics, pairs], and its least `n` [pairs].

    Of a large file each number to seven digits, but for its intervals over few layers: those are read as they were written.
    """
    chosen = tuple(sorted(set(layers)))
    summed = sums.over_layers(path, chosen, amount) if len(chosen) > FEW or amount == 1 else None
    if summed is not None:
        return summed
    return tuple(replace(cube, fields=_over_layers(cube, chosen, amount)) for cube in cubes(path, layers=chosen))


def _over_layers(cube: Cube, layers: tuple[int, ...], amount: int) -> dict[str, Floats]:
    among = np.isin(cube.layers, layers)
    fields = [cube.fields[name][:, among] for name in ENDS[:amount]]
    return {
        "total": np.stack([np.nansum(field, axis=1) for field in fields]),
        "count": np.stack([np.isfinite(field).sum(axis=1) for field in fields]),
        "n": np.fmin.reduce(cube.fields["n"][:, among], axis=(0, 1), initial=np.inf),
    }


def _sums(
    files: Sequence[Path],
    checkpoints: Sequence[str],
    languages: Sequence[str],
    pairs: Pairs,
    *,
    each_language: bool = False,
    extremes: bool = False,
) -> Iterator[Cube]:
    """Give the sums of each file's scores over the chosen pairs: `total` and `count` [3 (`ENDS`), metrics, layers].

    With `each_language` over those of each language, which is one axis more: sorted, as `languages` are. The `least` and the
    `greatest` value are there with `extremes`.
    """
    names, wanted = tuple(sorted(set(languages))), None if pairs is None else frozenset((a, b) for a, b in pairs)
    for path in files:
        of_all = _over_all(path, names, each_language) if wanted is None else None
        for cube in _over_some(path, names, wanted, each_language, extremes) if of_all is None else of_all:
            if cube.checkpoint in set(checkpoints):
                yield cube


def _over_all(path: Path, names: tuple[str, ...], each_language: bool) -> list[Cube] | None:
    """Return a file's sums over all its pairs, which lie beside it; None where some of its languages are not chosen."""
    kept = sums.of_file(path)
    if kept is None or not all(set(names).issuperset(cube.pairs.names) for cube in kept):
        return None
    if not each_language:
        return list(kept)
    found = []
    for cube in kept:
        at = np.searchsorted(names, np.array(cube.pairs.names, object))
        fields = {}
        for name in ("total", "count"):
            own = cube.fields[f"language_{name}"]
            fields[name] = np.zeros((*own.shape[:-1], len(names)))
            fields[name][..., at] = own
        found.append(replace(cube, fields=fields))
    return found


def _over_some(
    path: Path, names: tuple[str, ...], wanted: frozenset[tuple[str, str]] | None, each_language: bool, extremes: bool
) -> tuple[Cube, ...]:
    """Return a file's sums over the chosen pairs, from what is kept of a large one pair by pair, else from the file."""
    by_pair = sums.over_some(path, (names, wanted), each_language=each_language, extremes=extremes)
    if by_pair is not None:
        return by_pair
    asked, other = (by_language_of, over_pairs) if each_language else (over_pairs, by_language_of)
    made, kept = (
        partial(reduced, path, (reduce.__name__, names, wanted), partial(reduce, languages=names, pairs=wanted))
        for reduce in (asked, other)
    )
    found = made()
    if any(len(cube.metrics) * len(cube.layers) * len(cube.pairs) >= LARGE for cube in found):
        kept()  # now that the file is in memory: for another view it would be read again, in a second
    return found


def _labels(cube: Cube, places: Mapping[str, NDArray[np.intp]]) -> Columns:
    """Return what rows are of, by the `places` of their metrics and layers in the cube."""
    metric = places["metric"]
    columns: Columns = {"metric": (cube.metrics, metric), "checkpoint": coded.same(str(cube.checkpoint), len(metric))}
    return columns | ({"layer": cube.layers[places["layer"]].astype(np.int16)} if "layer" in places else {})


def _totals(summed: Cube, *places: NDArray[np.intp]) -> Columns:
    """Return the sum and the count of each of `ENDS` at these places, a row each."""
    columns: Columns = {}
    for row, name in enumerate(ENDS):
        columns |= {name: summed.fields["total"][row][places], f"{name}_count": summed.fields["count"][row][places]}
    return columns


def _joined(parts: Sequence[Columns], names: Sequence[str], by: Sequence[str]) -> tuple[pd.DataFrame, bool]:
    """Return the rows of several files in the order `by`, and whether some are alike in it; as they are where it is empty.

    Those of one file are in order, and of different things.
    """
    texts = {name: coded.joined([part[name] for part in parts]) for name in names if isinstance(parts[0][name], tuple)}
    columns = {name: np.concatenate([part[name] for part in parts]) for name in names if name not in texts}
    columns |= {name: codes for name, (_, codes) in texts.items()}
    order, twice = coded.in_order([columns[name] for name in by]) if by else (slice(None), False)
    ordered = {name: column[order] for name, column in columns.items()}
    made = {name: coded.as_texts((texts[name][0], ordered[name])) if name in texts else ordered[name] for name in names}
    return pd.DataFrame(made), twice


def _averaged(
    parts: Sequence[Columns],
    by: list[str],
    fields: Sequence[str],
    ends: Mapping[str, str] | None = None,
    *,
    counted: bool = True,
    in_order: bool = False,
) -> pd.DataFrame:
    """Join the rows of several files, and divide the sums of `fields` by their counts; `ends` are a column's `min` or `max`.

    `in_order`: they are, and of different things. Returns the columns `by`, value, low, high, `pairs` (how many the value is
    the mean of, where `counted`) and n.
    """
    ends = ends or {}
    counts = [f"{name}_count" for name in fields]
    names = [*by, *fields, *counts, *ends]
    if not parts:
        rows, twice = pd.DataFrame({name: [] for name in names}), False
    else:
        rows, twice = _joined(parts, names, [] if in_order or len(parts) == 1 else by)
    if twice:  # two files may have rows of one checkpoint
        rows = rows.groupby(by, as_index=False, sort=False).agg(dict.fromkeys([*fields, *counts], "sum") | dict(ends))
    for name, count in zip(fields, counts, strict=True):
        rows[name] = rows[name] / rows[count].where(rows[count] > 0)
    rows = rows.assign(pairs=rows[counts[0]])
    types = dict.fromkeys(by, "str" if len(rows) else "object") | dict.fromkeys(("value", "low", "high"), "float64")
    types |= {"layer": "int16", "pairs": "int64", "n": "int64"}
    shown = [*by, *dict.fromkeys([*fields, *(name for name in ends if name != "n")]), *(["pairs"] if counted else [])]
    shown += ["n"] if "n" in ends else []
    return rows[shown].astype({name: kind for name, kind in types.items() if name in shown})
