"""Pairs' scores as arrays in memory, for what groups every pair at every checkpoint whenever a language or layer changes.

DuckDB takes 60 to 90 ms to group the 960,000 rows of 39 checkpoints by pair or by language, and the same again for each
selection. A file's values as one array are 130 kB (36 languages, 13 layers), read once, and their means over layers take 4 ms
for all checkpoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from backend.experiments.abx import queries
from backend.experiments.abx.score_tables import FIELDS, METRICS, scores_of, tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from backend.experiments.abx.score_tables import Pair, Table

_Columns = dict[str, "NDArray[Any]"]


@dataclass(frozen=True)
class PairMeans:
    """Each pair's scores at each checkpoint, mean over layers: shares of triplets, nan where a pair has none."""

    checkpoints: tuple[str, ...]
    pairs: tuple[Pair, ...]
    language: NDArray[np.float64]
    """[checkpoints, pairs]"""
    meaning: NDArray[np.float64]
    """[checkpoints, pairs]"""


def pair_means(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    wanted: Sequence[Pair] | None = None,
) -> PairMeans:
    """Return the columns `language` and `meaning` of `abx_queries.pairs`, from arrays kept in memory; the same numbers.

    `wanted` are the pairs of these languages, None for all of them.

    Checkpoints that have no score at these layers are left out, as a query leaves them out.
    Raises `StoreError` where a file is damaged.
    """
    read = [scores_of(path) for path in files]
    kept = [each for each in read if each.checkpoint in set(checkpoints)]
    chosen, some = set(languages), None if wanted is None else set(wanted)
    listed = dict.fromkeys(each.pairs for each in kept)  # nearly always one: files of a run list the same pairs
    pairs = tuple(
        dict.fromkeys(pair for own in listed for pair in own if chosen.issuperset(pair) and (some is None or pair in some))
    )
    means = np.full((len(METRICS), len(kept), len(pairs)), np.nan)
    places = {own: _places(own, pairs) for own in listed}
    for row, each in enumerate(kept):
        into, column = places[each.pairs]
        means[:, row, into] = _mean(each.values[:, np.isin(each.layers, layers)])[:, column]
    known = ~np.isnan(means).all(axis=(0, 2))
    names = tuple(each.checkpoint for each, any_score in zip(kept, known, strict=True) if any_score)
    return PairMeans(names, pairs, means[0, known], means[1, known])


def by_language(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Sequence[Pair] | None = None,
) -> pd.DataFrame:
    """Return the rows of `abx_queries.by_language`, from arrays kept in memory; the same numbers.

    Raises `StoreError` where a file is damaged.
    """
    names = tuple(sorted(set(languages)))
    found: list[_Columns] = []
    for each in tables(files, checkpoints):
        sides, among = _sides(each.pairs, names, _frozen(pairs)), np.isin(each.layers, layers)
        sums = [_sums(values[:, among], sides, whole) for values, whole in zip(each.fields[:3], each.complete, strict=False)]
        total, count = (np.stack([of[place].sum(axis=1) for of in sums]) for place in (0, 1))
        found.append(_rows(each, total, count, language=np.array(names, object)))
    return _averaged(found, ["metric", "checkpoint", "language"], {})


def grid(
    files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Sequence[Pair] | None = None
) -> pd.DataFrame:
    """Return the rows of `abx_queries.grid`, from arrays kept in memory; the same numbers.

    Raises `StoreError` where a file is damaged.
    """
    names = tuple(sorted(set(languages)))
    found: list[_Columns] = []
    for each in tables(files, checkpoints):
        looked_at = _sides(each.pairs, names, _frozen(pairs)).any(axis=1)
        one: NDArray[np.float64] = looked_at.astype(np.float64).reshape(-1, 1)
        sums = [_sums(values, one, whole) for values, whole in zip(each.fields[:3], each.complete, strict=False)]
        total, count = (np.stack([of[place][:, :, 0] for of in sums]) for place in (0, 1))
        least: NDArray[Any] = np.fmin.reduce(each.fields[3][:, :, looked_at], axis=2, initial=np.inf)
        found.append(_rows(each, total, count, layer=each.layers.astype(np.int16)) | {"n": least[np.nonzero(count[0])]})
    return _averaged(found, ["metric", "checkpoint", "layer"], {"n": "min"})


def pairs(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Sequence[Pair] | None = None,
) -> pd.DataFrame:
    """Return the rows of `abx_queries.pairs`, from arrays kept in memory; the same numbers.

    Raises `StoreError` where a file is damaged.
    """
    read, names = tables(files, checkpoints), tuple(sorted(set(languages)))
    if not read or len({each.checkpoint for each in read}) < len(read):  # two files may have rows of one
        return queries.pairs(files, languages, checkpoints, layers, pairs=pairs)
    found, by = pd.concat([_of_pairs(each, names, layers, _frozen(pairs)) for each in read]), ["checkpoint", "source", "target"]
    types = dict.fromkeys(by, "str" if len(found) else "object") | {"n": "int64"}  # as a query has it
    return found.sort_values(by, ignore_index=True).astype(types)


def _of_pairs(of: Table, languages: tuple[str, ...], layers: Sequence[int], wanted: frozenset[Pair] | None) -> pd.DataFrame:
    among, looked_at = np.isin(of.layers, layers), _sides(of.pairs, languages, wanted).any(axis=1)
    value, low, high, n = (field[:, among][:, :, looked_at] for field in of.fields)
    least: NDArray[Any] = np.fmin.reduce(n, axis=(0, 1), initial=np.inf)
    there = np.isfinite(least)
    chosen = [of.pairs[place] for place in np.flatnonzero(looked_at)]
    columns: _Columns = {"checkpoint": np.full(len(chosen), of.checkpoint, object)}
    columns |= {end: np.array([pair[place] for pair in chosen], object) for place, end in enumerate(("source", "target"))}
    columns["n"] = least
    asked = [(name, value, metric) for name, metric in queries.SCORES.items()]
    bounds = (("low", low), ("high", high))
    asked += [(f"{name}_{bound}", field, queries.SCORES[name]) for name in queries.BOUNDED for bound, field in bounds]
    for name, field, metric in asked:
        unknown = np.full(len(chosen), np.nan)
        columns[name] = _mean(field[[of.metrics.index(metric)]])[0] if metric in of.metrics else unknown
    return pd.DataFrame({name: each[there] for name, each in columns.items()})


def _frozen(pairs: Sequence[Pair] | None) -> frozenset[Pair] | None:
    return None if pairs is None else frozenset(pairs)


def _rows(of: Table, total: NDArray[np.float64], count: NDArray[np.float64], **across: NDArray[Any]) -> _Columns:
    """Return sums and counts of value, low and high, `[3, metrics, across]`, a row each that has a value."""
    ((name, labels),) = across.items()
    metric, place = np.nonzero(count[0])
    columns: _Columns = {
        "metric": np.array(of.metrics, object)[metric],
        "checkpoint": np.full(len(metric), of.checkpoint, object),
    }
    columns[name] = labels[place]
    for row, field in enumerate(FIELDS[:3]):
        columns |= {field: total[row][metric, place], f"{field}_count": count[row][metric, place]}
    return columns


def _averaged(found: Sequence[_Columns], by: list[str], least: dict[str, str]) -> pd.DataFrame:
    """Join the rows of several files, and divide their sums by their counts; of the columns `least` the least stays."""
    text = "str" if any(len(each["metric"]) for each in found) else "object"  # as a query has it
    types = dict.fromkeys(by, text) | dict.fromkeys(FIELDS[:3], "float64") | dict.fromkeys(["pairs", *least], "int64")
    types |= {"layer": "int16"} if "layer" in by else {}
    if not found:
        return pd.DataFrame({name: pd.Series([], dtype=of) for name, of in types.items()})
    rows = pd.DataFrame({name: np.concatenate([each[name] for each in found]) for name in found[0]})
    if rows["checkpoint"].nunique() < len(found):  # two files may have rows of one
        rows = rows.groupby(by, as_index=False).agg({str(name): "sum" for name in rows if name not in by} | least)
    rows = rows.sort_values(by, ignore_index=True)
    for field in FIELDS[:3]:
        count = rows[f"{field}_count"]
        rows[field] = rows[field] / count.where(count > 0)
    return rows.assign(pairs=rows["value_count"])[list(types)].astype(types)


@lru_cache(maxsize=64)
def _sides(own: tuple[Pair, ...], languages: tuple[str, ...], wanted: frozenset[Pair] | None) -> NDArray[np.float64]:
    """Return which pairs are a language's, `[pairs, languages]`, 0 or 1: of the pairs of these languages that are wanted."""
    places = {language: place for place, language in enumerate(languages)}
    sides = np.zeros((len(own), len(languages)))
    for row, (source, target) in enumerate(own):
        if source in places and target in places and (wanted is None or (source, target) in wanted):
            sides[row, places[source]] += 1
            sides[row, places[target]] += 1
    return sides


def _sums(
    values: NDArray[np.float64], sides: NDArray[np.float64], complete: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums over pairs of what is known, `[metrics, layers, sides]`, and of how many."""
    if complete:
        count = np.broadcast_to(sides.sum(axis=0), (*values.shape[:2], sides.shape[1]))
        return values @ sides, count
    known = ~np.isnan(values)
    return np.where(known, values, 0.0) @ sides, known.astype(np.float64) @ sides


def _places(own: tuple[Pair, ...], wanted: tuple[Pair, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which of the wanted pairs a file has, and in which of its columns."""
    columns = {pair: column for column, pair in enumerate(own)}
    found = [(place, columns[pair]) for place, pair in enumerate(wanted) if pair in columns]
    into, column = np.array(found, np.int64).reshape(-1, 2).T
    return into, column


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the layers (axis 1) that have a value; nan where none has."""
    total: NDArray[np.float64] = values.sum(axis=1)
    count = np.full(total.shape, values.shape[1])
    if np.isnan(total).any():  # seldom, and looking for each takes three times as long
        known = ~np.isnan(values)
        total, count = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    means = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means
