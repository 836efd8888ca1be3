"""A measure of a model as squares of languages, laid out from the store's cubes and kept: every question to it is then a mean.

Scores of a shard that was computed again are the newest; seeds are averaged, and where a family keeps their mean (no seed) that
is taken.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend import listing
from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.languages.facts import logarithm_of_speakers
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations import outcomes, typology
from isogloss.backend.experiments.relations.dictionaries import sets_of, variant_as_told
from isogloss.backend.experiments.relations.reading import SPEAKERS, Given, Scored
from isogloss.backend.store import scores, sums, told_apart
from isogloss.backend.store.cube import NO_LAYER, Cube, Pairs, mean_of_known, size_of, state_of
from isogloss.backend.store.one_measure import measure_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.store.scores import ShardFile

    Floats = NDArray[np.float64]

Files = tuple[tuple[Path, float], ...]
"""Score files, each with when it was published."""

LIMIT = 128 << 20
"""Bytes of measures kept in memory: 36 languages × 13 layers × 39 checkpoints are 5 MB, 204 × 33 of one checkpoint 11 MB."""


@dataclass(frozen=True, eq=False)
class Squares:
    """Values [checkpoints, layers, names, names] (row: source, column: target), nan where there is none."""

    values: Floats
    checkpoints: tuple[str, ...]
    """Fingerprints; one that is empty for a number that no checkpoint changes."""
    steps: tuple[int | None, ...]
    layers: tuple[int, ...]
    """One of −1 where scores have no layer."""
    names: tuple[str, ...]
    """Languages (corpora for XferBench), sorted."""
    symmetric: bool
    """A pair has one value, whichever language comes first."""


def files_of(workspaces: Sequence[Path], experiment: str | None = None) -> Files:
    """Return the score files of an experiment, or of all, oldest first."""
    return listing.once(("files", experiment, *workspaces), lambda: _files_of(workspaces, experiment))


def _files_of(workspaces: Sequence[Path], experiment: str | None) -> Files:
    return tuple((file.path, file.modified) for file in scores.shards(workspaces, experiment))


def score_files(workspaces: Sequence[Path], **_: object) -> Files:
    """Return what every answer of Relations depends on, whatever is asked: all score files and when they were published."""
    return files_of(workspaces)


def squares_of(of: Scored | Given, workspaces: Sequence[Path], only: str | None = None) -> Squares:
    """Return the squares of a measure, from memory where its files have not changed. Empty where nothing is computed.

    With `only`, a fingerprint, that checkpoint alone is read (a tenth of the work for 39), unless it has no number.
    """
    if not isinstance(of, Scored):
        return _given(of, tuple(workspaces))
    if of.experiment == outcomes.EXPERIMENT:
        names, square = outcomes.numbers(of, workspaces)
        return Squares(square[None, None], of.checkpoints, of.steps, (-1,), names, True)
    files = files_of(workspaces, of.experiment)
    if only in of.checkpoints:
        step = of.steps[of.checkpoints.index(only)]
        one = _scored(of.model_copy(update={"checkpoints": (only,), "steps": (step,)}), files)
        if np.isfinite(one.values).any():
            return one
    return _scored(of, files)


def one_square(of: Scored, workspaces: Sequence[Path], only: str, layer: int | None) -> Squares | None:
    """Return the values of one checkpoint at a layer, or each pair's mean over layers, to seven digits, as one square.

    From what lies beside its file pair by pair, so that of fifty models nothing else is read. None where they are in no such
    file, or in several (computed again, of several seeds, of several dictionaries): ask `squares_of`.
    """
    if of.experiment == outcomes.EXPERIMENT or only not in of.checkpoints:
        return None
    files = files_of(workspaces, of.experiment)
    variant = as_read(of.variant, of.corpus, of.metric, files)
    if of.dictionaries or sets_of(files).get((str(of.corpus), str(variant))):
        return None
    found = []
    for file in with_any(files, (only,)):
        series = sums.of_file(file.path)
        if series is None:  # too small: its scores are to be looked at
            return None
        found += [
            (file.path, place)
            for place, cube in enumerate(series)
            if (cube.experiment, cube.corpus, cube.checkpoint) == (of.experiment, of.corpus, only)
            and variant_as_told(cube.variant, file, of.metric) == variant
            and of.metric in cube.metrics
        ]
    return _square(of, only, *found[0], layer) if len(found) == 1 else None


def _square(of: Scored, only: str, path: Path, place: int, layer: int | None) -> Squares | None:
    """Return what `one_square` does of one series of a file."""
    read = _by_pair(path, layer)
    if read is None:
        return None
    cube = read[place]
    at = cube.metrics.index(of.metric)
    total, count = (cube.fields[name][0, at] for name in ("total", "count"))
    there = count > 0
    if not there.any():
        return None
    names, row, column = _ends(cube.pairs, None if there.all() else there.tobytes())
    square = np.full((len(names), len(names)), np.nan)
    square[row, column] = total[there] / count[there]
    words = MEASURES.get(of.metric)
    symmetric = not ((row > column).any() or (words and words.directed))
    if symmetric:
        np.copyto(square, square.T.copy(), where=np.isnan(square))
    step = of.steps[of.checkpoints.index(only)]
    return Squares(square[None, None], (only,), (step,), (-1 if layer is None else layer,), names, symmetric)


@lru_cache(maxsize=16)
def _ends(pairs: Pairs, some: bytes | None) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.intp]]:
    """Return the languages of some pairs (None: of all), and where source and target of each stand among them."""
    there = np.ones(len(pairs), bool) if some is None else np.frombuffer(some, bool)
    names = tuple(pairs.languages(there))
    row, column = (ends[there] for ends in pairs.places(names))
    return names, row, column


_LAYERS: ByteCache[tuple[Cube, ...] | None] = ByteCache(LIMIT // 2, lambda kept: size_of(kept or ()))


def _by_pair(path: Path, layer: int | None) -> tuple[Cube, ...] | None:
    """Return a file's sums pair by pair over a layer, or all, of all its measures: whoever asks for one asks for others."""

    def made() -> tuple[Cube, ...] | None:
        layers = {int(each) for cube in sums.of_file(path) or () for each in cube.layers}
        wanted = layers if layer is None else {layer, NO_LAYER} & layers
        return sums.over_layers(path, tuple(sorted(wanted)), 1)

    return _LAYERS.get((state_of(path), layer), made)


_KEPT: ByteCache[Squares] = ByteCache(LIMIT, lambda squares: squares.values.nbytes)


_ONE_AT_A_TIME = threading.Lock()
"""Laying a measure of 200 languages out everywhere takes a gigabyte for a moment."""


def _scored(of: Scored, files: Files) -> Squares:
    def made() -> Squares:
        with _ONE_AT_A_TIME:
            return laid_out(of, parts_of(of, files, values_alone=True))

    return _KEPT.get((of, files), made)


Part = tuple[Cube, "Floats", "NDArray[np.bool_]"]
"""What a file has of a measure: values [layers, pairs], and where there is a score."""


def parts_of(of: Scored, files: Files, *, values_alone: bool = False) -> list[Part]:
    """Return the scores of a measure in each file, the newest last."""
    variant = as_read(of.variant, of.corpus, of.metric, files)
    several = sets_of(files).get((str(of.corpus), str(variant)))
    paired = {None, *(of.dictionaries or (several or ((),))[0])} if several or of.dictionaries else None
    parts: list[Part] = []
    for file in with_any(files, of.checkpoints):
        for cube in measure_of(file.path, of.metric, of.checkpoints, bounds=not values_alone):
            told = variant_as_told(cube.variant, file, of.metric)
            if (cube.experiment, cube.corpus, told) != (of.experiment, of.corpus, variant):
                continue
            if cube.checkpoint not in of.checkpoints or of.metric not in cube.metrics:
                continue
            value, n = (cube.fields[name][cube.metrics.index(of.metric)] for name in ("value", "n"))
            there = np.isfinite(value) | np.isfinite(n)
            if paired is not None:
                dictionaries = told_apart.dictionaries(file.provenance)
                there &= [dictionaries.get(pair) in paired for pair in cube.pairs]
            parts.append((replace(cube, fields={}) if values_alone else cube, value, there))
    return sorted(parts, key=lambda part: part[0].created)


def with_any(files: Files, checkpoints: Sequence[str]) -> list[ShardFile]:
    """Return the files that may have scores of one of these checkpoints, oldest first: of fifty models not those of all."""
    by_checkpoint = _by_checkpoint(files)
    found = {place: file for key in ("", *checkpoints) for place, file in by_checkpoint.get(key, ())}
    return [found[place] for place in sorted(found)]


@lru_cache(maxsize=64)
def _by_checkpoint(files: Files) -> dict[str, list[tuple[int, ShardFile]]]:
    """Return the files, each with its place, by the checkpoints that its footer says it has scores of; empty: it says none."""
    found: dict[str, list[tuple[int, ShardFile]]] = {}
    for place, file in enumerate(scores.known(path for path, _ in files)):
        said = file.provenance.get(scores.FOOTER)
        for key in [""] if said is None else dict.fromkeys(str(each["checkpoint"] or "") for each in said):
            found.setdefault(key, []).append((place, file))
    return found


@lru_cache(maxsize=256)
def as_read(variant: str | None, corpus: str | None, metric: str, files: Files) -> str | None:
    """Return the variant as scores have it. One from before variants said more is the first of those that go on from it."""
    known = scores.known(path for path, _ in files) if variant is not None else []
    alike = [file for file in known if (file.provenance.get("corpus"), file.provenance.get("variant")) == (corpus, variant)]
    read = [variant_as_told(variant, file, metric) for file in alike]
    return variant if not read or variant in read else read[0]


def laid_out(of: Scored, parts: Sequence[Part], *, directed: bool = False) -> Squares:
    """Lay the scores of a measure out: the mean over seeds of the newest value of each, or that without a seed where it is.

    `directed`: so is what is read of the measure elsewhere, whatever these parts have.
    """
    pairs = [(cube.pairs, np.asarray(there.any(axis=0))) for cube, _, there in parts]
    names = sorted({name for of_cube, some in pairs for name in of_cube.languages(some)})
    layers = sorted({int(layer) for cube, _, there in parts for layer in cube.layers[there.any(axis=1)]})
    words = MEASURES.get(of.metric)
    directed |= any((of_cube.source > of_cube.target)[some].any() for of_cube, some in pairs)
    symmetric = not (directed or (words and words.directed))
    shape = (len(of.checkpoints), len(layers), len(names), len(names))
    seeds: dict[int | None, Floats] = {}
    for cube, value, there in parts:
        row, column = cube.pairs.places(names)
        cells = [row * len(names) + column, *([column * len(names) + row] if symmetric else [])]
        own = seeds[cube.seed] if cube.seed in seeds else seeds.setdefault(cube.seed, np.full(shape, np.nan))
        squares = own[of.checkpoints.index(str(cube.checkpoint))].reshape(len(layers), len(names) ** 2)
        for layer, known, numbers in zip(cube.layers, there & np.isfinite(value), value, strict=True):
            if known.any():
                some = slice(None) if known.all() else known
                for each in cells:
                    squares[layers.index(int(layer))][each[some]] = numbers[some]
    values = seeds.pop(None) if None in seeds else np.full(shape, np.nan)
    if seeds:
        mean = mean_of_known(
            np.stack([seeds[seed] for seed in sorted(seed for seed in seeds if seed is not None)], axis=-1), -1
        )[..., 0]
        values = np.where(np.isnan(values), mean, values)
    return Squares(values, of.checkpoints, of.steps, tuple(layers), tuple(names), symmetric)


@lru_cache(maxsize=32)
def _given(of: Given, workspaces: tuple[Path, ...]) -> Squares:
    names = tuple(sorted(of.languages))
    if of.covariate is None and of.column != SPEAKERS:
        return Squares(typology.distances(names, of.column)[None, None], ("",), (None,), (-1,), names, True)
    if of.covariate is None:
        own = np.array([logarithm_of_speakers(name) for name in names], np.float64)
    else:
        by_language = covariates.load(of.covariate, workspaces).column(of.column)
        own = np.array([by_language.get(name, np.nan) for name in names])
    square = np.broadcast_to(own[:, None] if of.end == "source" else own[None], (len(names), len(names)))
    return Squares(square[None, None].copy(), ("",), (None,), (-1,), names, False)
