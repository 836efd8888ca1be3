"""A measure of a model as one array, read once from the table of scores and kept: every question to it is then a mean.

Scores of a shard that was computed again are the newest; seeds are averaged, and where a family keeps their mean (no seed) that
is taken.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from backend.corpora.covariates import library as covariates
from backend.experiments.registry import MEASURES
from backend.experiments.relations import typology
from backend.experiments.relations.dictionaries import sets_of
from backend.experiments.relations.reading import Given, Scored
from backend.store import footers, scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

Files = tuple[tuple[Path, float], ...]
"""Score files, each with when it was published."""

KEPT = 32
"""Measures kept in memory: 36 languages × 13 layers × 39 checkpoints are 5 MB each."""

NAMES = "SELECT DISTINCT source, target FROM {scores}"
CELLS = """
SELECT list_position($checkpoints, checkpoint) - 1 AS checkpoint, coalesce(layer, -1) AS layer,
  list_position($names, source) - 1 AS source, list_position($names, target) - 1 AS target,
  seed, value, epoch_us(created_at) AS created
FROM {rows}
WHERE experiment = $experiment AND metric = $metric AND list_contains($checkpoints, checkpoint)
  AND corpus IS NOT DISTINCT FROM $corpus AND variant IS NOT DISTINCT FROM $variant
  AND source IS NOT NULL AND target IS NOT NULL
"""
PAIRED = "  AND (dictionary IS NULL OR list_contains($dictionaries, dictionary))"
"""Places instead of names: strings would take longer than all the rest."""


@dataclass(frozen=True, eq=False)
class Cube:
    """Values [checkpoints, layers, names, names] (row: source, column: target), nan where there is none."""

    values: NDArray[np.float64]
    checkpoints: tuple[str, ...]
    """Fingerprints; one that is empty for a number that no checkpoint changes."""
    steps: tuple[int | None, ...]
    layers: tuple[int, ...]
    """One of −1 where scores have no layer."""
    names: tuple[str, ...]
    """Languages (corpora for XferBench), sorted."""
    symmetric: bool
    """A pair has one value, whichever language comes first."""


_LISTED: ContextVar[dict[str | None, Files] | None] = ContextVar("listed", default=None)


@contextmanager
def listed(workspaces: Sequence[Path]) -> Iterator[None]:
    """Look once which score files there are, for all that is asked inside: a page asks several times a run."""
    files = files_of(workspaces)
    families: dict[str | None, Files] = {}
    for family, own in groupby(sorted(files, key=_family), _family):
        families[family] = tuple(own)
    token = _LISTED.set(families | {None: files})
    try:
        yield
    finally:
        _LISTED.reset(token)


def files_of(workspaces: Sequence[Path], experiment: str | None = None) -> Files:
    """Return the score files of an experiment, or of all, oldest first."""
    listed = _LISTED.get()
    if listed is not None:
        return listed.get(experiment, ())
    return tuple((file.path, file.modified) for file in scores.shards(workspaces, experiment))


def score_files(workspaces: Sequence[Path], **_: object) -> Files:
    """Return what every answer of Relations depends on, whatever is asked: all score files and when they were published."""
    return files_of(workspaces)


def _family(file: tuple[Path, float]) -> str:
    return file[0].parent.name


def cube_of(of: Scored | Given, workspaces: Sequence[Path], only: str | None = None) -> Cube:
    """Return the array of a measure, from memory where its files have not changed. Empty where nothing is computed.

    With `only`, a fingerprint, that checkpoint alone is read (a tenth of the work for 39), unless it has no number.
    """
    if not isinstance(of, Scored):
        return _given(of, tuple(workspaces))
    files = files_of(workspaces, of.experiment)
    if only in of.checkpoints:
        step = of.steps[of.checkpoints.index(only)]
        found = _of_one(of.model_copy(update={"checkpoints": (only,), "steps": (step,)}), files)
        if np.isfinite(found.values).any():
            return found
    return _scored(of, files)


@lru_cache(maxsize=8 * KEPT)
def _of_one(of: Scored, files: Files) -> Cube:
    return _read(of, files)


@lru_cache(maxsize=KEPT)
def _scored(of: Scored, files: Files) -> Cube:
    return _read(of, files)


def _read(of: Scored, files: Files) -> Cube:
    names = names_of(files)
    wanted = {
        "experiment": of.experiment,
        "metric": of.metric,
        "corpus": of.corpus,
        "variant": _as_read(of, files),
        "checkpoints": list(of.checkpoints),
        "names": list(names),
    }
    several = sets_of(files).get((str(of.corpus), str(wanted["variant"])))
    sql = CELLS.replace("{rows}", "{places}" if several else "{variants}") + (PAIRED if several else "")
    paired = {"dictionaries": list(of.dictionaries or several[0])} if several else {}
    return cube(scores.query(sql, wanted | paired, [path for path, _ in files]), names, of)


def _as_read(of: Scored, files: Files) -> str | None:
    """Return the variant as scores have it. One from before variants said more is the first of those that go on from it."""
    if of.variant is None:
        return None
    own = [file for file in scores.known(path for path, _ in files) if file.provenance.get("corpus") == of.corpus]
    more = {run: (all_, control) for run, all_, control in scores.told_apart(own).variants}
    if not more:
        return of.variant
    at = int(of.metric.endswith(footers.BASELINE))
    said = [(str(file.provenance.get("variant")), more.get(file.run, ("", ""))[at]) for file in own]
    read = ["/".join(filter(None, each)) for each in said]
    begun = [each for each in read if each.startswith(f"{of.variant}/")]
    return begun[0] if begun and of.variant not in read else of.variant


@lru_cache(maxsize=64)
def names_of(files: Files) -> tuple[str, ...]:
    """Return all languages (and what stands in their place) of some files, sorted."""
    pairs = scores.query(NAMES, {}, [path for path, _ in files])
    return tuple(sorted({*pairs["source"].dropna(), *pairs["target"].dropna()}))


def cube(rows: pd.DataFrame, names: Sequence[str], of: Scored) -> Cube:
    """Arrange rows as an array: the places of checkpoint, source and target, layer (−1 for none), seed, value, created.

    Of `names` those stay that have a row.
    """
    row, column = rows["source"].to_numpy(np.intp), rows["target"].to_numpy(np.intp)
    used = np.bincount(np.concatenate([row, column]), minlength=len(names)) > 0
    names = [name for name, there in zip(names, used.tolist(), strict=True) if there]
    row, column = (np.cumsum(used) - 1)[row], (np.cumsum(used) - 1)[column]
    layers, layer = np.unique(rows["layer"].to_numpy(np.int64), return_inverse=True)
    shape = (len(of.checkpoints), len(layers), len(names), len(names))
    at = (rows["checkpoint"].to_numpy(np.intp), layer, row, column)
    cell = np.ravel_multi_index(at, shape) if len(rows) else row
    values = _means(cell, rows, int(np.prod(shape))).reshape(shape)
    words = MEASURES.get(of.metric)
    symmetric = not ((row > column).any() or (words and words.directed))
    if symmetric:
        values = np.where(np.isnan(values), np.swapaxes(values, 2, 3), values)
    return Cube(values, of.checkpoints, of.steps, tuple(layers.tolist()), tuple(names), symmetric)


def _means(cell: NDArray[np.intp], rows: pd.DataFrame, size: int) -> NDArray[np.float64]:
    """The mean over seeds of the newest value of each cell and seed; where a cell has a value without a seed, that alone."""
    value = rows["value"].to_numpy(np.float64)
    seed = rows["seed"].to_numpy(np.float64, na_value=np.nan)
    known = np.isfinite(value)
    total = np.full(size, np.nan)
    if not len(cell) or np.bincount(cell).max() == 1:  # nothing computed twice, one seed or none
        total[cell] = value
        return total
    for without in (False, True):  # those without a seed last: they stand for the mean of the others
        chosen = np.flatnonzero(known & (np.isnan(seed) == without))
        if not len(chosen):
            continue
        seeds, which = np.unique(np.nan_to_num(seed[chosen]), return_inverse=True)
        key = cell[chosen] * len(seeds) + which
        order = np.argsort(rows["created"].to_numpy(np.int64)[chosen], kind="stable")
        newest = np.full(size * len(seeds), np.nan)
        newest[key[order]] = value[chosen[order]]  # of equal keys the last assigned stays
        table = newest.reshape(size, len(seeds))
        counts = np.isfinite(table).sum(axis=1)
        has = counts > 0
        total[has] = np.nansum(table[has], axis=1) / counts[has]
    return total


@lru_cache(maxsize=KEPT)
def _given(of: Given, workspaces: tuple[Path, ...]) -> Cube:
    names = tuple(sorted(of.languages))
    if of.covariate is None:
        return Cube(typology.distances(names, of.column)[None, None], ("",), (None,), (-1,), names, True)
    by_language = covariates.load(of.covariate, workspaces).column(of.column)
    own = np.array([by_language.get(name, np.nan) for name in names])
    square = np.broadcast_to(own[:, None] if of.end == "source" else own[None], (len(names), len(names)))
    return Cube(square[None, None].copy(), ("",), (None,), (-1,), names, False)
