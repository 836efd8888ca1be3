"""Several measures joined at one unit: arrays for permutations, a frame for figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.relations.cubes import Squares, score_files
from isogloss.backend.experiments.relations.one_by_one import some_of
from isogloss.backend.experiments.relations.outcomes import with_sources
from isogloss.backend.experiments.relations.reading import EACH, Along, Question, Reading, Role, Scored, Unit
from isogloss.backend.experiments.relations.reduced import language_values, pair_values, reduced
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store.cube import mean_of_known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Joined:
    """Measures at one unit, on what any of them has; nan where one lacks it.

    Arrays are [languages, languages] for pairs, [languages] for languages, with an axis before them where they are pooled over
    checkpoints or layers; [layers], [checkpoints] and [models] otherwise.
    """

    unit: Unit
    along: Along | None
    names: tuple[str, ...]
    """Languages (of pairs and languages), layers, checkpoints or models."""
    over: tuple[str, ...]
    """What is pooled over: checkpoints by fingerprint (by step where models differ), layers; empty where nothing is."""
    arrays: dict[str, Floats]
    symmetric: bool
    """No measure tells the directions of a pair apart: each pair counts once."""

    @property
    def pairs(self) -> bool:
        """Whether a point is a pair of languages."""
        return self.unit == "pair"

    def stacked(self, *names: str) -> list[Floats]:
        """Return the arrays of these measures, each nan where another of them is: what a correlation of them rests on."""
        arrays = [self.arrays[name] for name in names]
        known = np.isfinite(np.stack(arrays)).all(axis=0)
        return [np.where(known, each, np.nan) for each in arrays]

    def shared(self, *names: str) -> list[Floats]:
        """The arrays of these measures on the languages (or units) that have a point with all of them, otherwise as they are.

        This is what permutations rest on: a number that only one measure has may come to lie where both count.
        """
        arrays = [self.arrays[name] for name in names]
        known = np.asarray(np.isfinite(np.stack(arrays)).all(axis=0))
        axes = tuple(range(known.ndim - 1))
        has = np.asarray(known.any(axis=axes))
        if not self.pairs:
            return [each[..., has] for each in arrays]
        has |= np.swapaxes(known, -1, -2).any(axis=axes)
        return [each[..., has, :][..., has] for each in arrays]

    def frame(self) -> pd.DataFrame:
        """A row a point that has any of the measures: source and target, or the unit; what is pooled over; the measures."""
        some = next(iter(self.arrays.values()))
        known = np.isfinite(np.stack(list(self.arrays.values()))).any(axis=0)
        if self.pairs and self.symmetric:
            known &= np.triu(np.ones(known.shape[-2:], bool))
        places = np.nonzero(known)
        columns: dict[str, object] = {}
        if self.along:
            columns[self.along] = np.array(self.over, dtype=object)[places[0]]
        own = ("source", "target") if self.pairs else (self.unit,)
        for name, at in zip(own, places[some.ndim - len(own) :], strict=True):
            columns[name] = np.array(self.names, dtype=object)[at]
        return pd.DataFrame(columns | {name: values[places] for name, values in self.arrays.items()})


@in_recipes
@depends_on(score_files)
def table(question: Question, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Return the measures of a question, a row a point: see `Joined.frame`; with what is known of outcomes of elsewhere."""
    return with_sources(join(question, workspaces).frame(), question, workspaces)


def join(question: Question, workspaces: Sequence[Path]) -> Joined:
    """Read every measure of the question at its unit, and put them side by side."""
    if question.unit == "model":
        return _of_models(question, workspaces)
    return joined(question, {name: _read(question, reading, workspaces) for name, reading in question.readings.items()})


def _read(question: Question, reading: Reading, workspaces: Sequence[Path]) -> Squares:
    """Return the squares of a measure that its reading, at the question's unit, rests on."""
    checkpoint = EACH if "checkpoint" in (question.unit, question.along) else reading.checkpoint  # it takes others, too
    return some_of(reading.of, workspaces, checkpoint, EACH if question.unit == "layer" else reading.layer)


def joined(question: Question, cubes: dict[str, Squares]) -> Joined:
    """As `join`, of arrays at hand."""
    names = sorted({name for cube in cubes.values() for name in cube.names})
    keys = checkpoint_keys(cubes)
    over = _over(question, cubes, keys)
    arrays: dict[str, Floats] = {}
    units: tuple[str, ...] = tuple(names)
    if question.unit in ("pair", "language"):
        for name, reading in question.readings.items():
            arrays[name] = _of_languages(question, reading, cubes[name], names, over, keys[name])
    else:
        units, arrays = _of_places(question, cubes, keys)
    symmetric = question.unit == "pair" and all(cube.symmetric for cube in cubes.values())
    return Joined(question.unit, question.along, units, over, arrays, symmetric)


def _of_languages(
    question: Question, reading: Reading, cube: Squares, names: list[str], over: tuple[str, ...], keys: tuple[str, ...]
) -> Floats:
    """Return one measure over all `names`, a layer of the stack for each of `over`."""
    values = reduced(cube, reading)  # [checkpoints or 1, layers or 1, n, n]
    values_of_names = pair_values(values) if question.unit == "pair" else language_values(values, reading.role, cube.symmetric)
    place = {name: i for i, name in enumerate(names)}
    at = np.array([place[name] for name in cube.names], np.intp)
    wide = values_of_names
    if len(cube.names) < len(names):
        wide = np.full((*values_of_names.shape[:2], *(len(names),) * (values_of_names.ndim - 2)), np.nan)
        wide[np.ix_(*(np.arange(size) for size in values_of_names.shape[:2]), *(at,) * (values_of_names.ndim - 2))] = (
            values_of_names
        )
    if question.along is None:
        return np.asarray(wide[0, 0])
    axis, keys_of_measure = (0, keys) if question.along == "checkpoint" else (1, tuple(str(layer) for layer in cube.layers))
    wide = wide[:, 0] if axis == 0 else wide[0]
    if len(wide) == 1 and not _is_each(reading, question.along):
        return np.broadcast_to(wide, (len(over), *wide.shape[1:]))
    if keys_of_measure == over:
        return wide
    index = {key: i for i, key in enumerate(keys_of_measure)}
    empty = np.full(wide.shape[1:], np.nan)
    return np.stack([wide[index[key]] if key in index else empty for key in over]) if over else wide[:0]


def _of_models(question: Question, workspaces: Sequence[Path]) -> Joined:
    """Each measure of each of its models: the mean over pairs (or languages by themselves), layers and checkpoints as read."""
    values_by_measure: dict[str, dict[str, float]] = {}
    for name, reading in question.readings.items():
        values_by_measure[name] = {}
        for model, of in reading.models.items():
            one = Question(unit="model", readings={name: reading.model_copy(update={"of": of})})
            cubes = {name: _read(one, one.readings[name], workspaces)}
            _, arrays = _of_places(one, cubes, checkpoint_keys(cubes))
            values_by_measure[name][model] = float(arrays[name][0])
    values_by_measure = _each_once(question, values_by_measure)
    models = sorted({model for values in values_by_measure.values() for model in values}, key=str.casefold)
    arrays = {name: np.array([values.get(model, np.nan) for model in models]) for name, values in values_by_measure.items()}
    return Joined("model", None, tuple(models), (), arrays, symmetric=False)


def _each_once(question: Question, values_by_measure: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the values by model (measure → model → value), models with the same checkpoints in every measure as one point."""
    alike: dict[tuple[object, ...], list[str]] = {}
    for model in dict.fromkeys(model for values in values_by_measure.values() for model in values):
        of = [(reading, reading.models.get(model)) for reading in question.readings.values()]
        own = [one and reading.model_copy(update={"of": one}).rests_on() for reading, one in of]
        key = tuple(one.checkpoints if isinstance(one, Scored) else None for one in own)
        alike.setdefault(key, []).append(model)
    names = {each[0]: " = ".join(sorted(each, key=str.casefold)) for each in alike.values()}
    return {
        name: {names[model]: value for model, value in own.items() if model in names} for name, own in values_by_measure.items()
    }


def _of_places(
    question: Question, cubes: dict[str, Squares], keys: dict[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Measures by layer, by checkpoint, or of one model each: the mean over pairs (or languages by themselves) at each."""
    values_by_measure: dict[str, dict[str, float]] = {}
    for name, reading in question.readings.items():
        cube = cubes[name]
        each: dict[str, object] = {"layer": EACH} if question.unit == "layer" else {}
        each |= {"checkpoint": EACH} if question.unit == "checkpoint" else {}
        values = reduced(cube, reading.model_copy(update=each))
        flat = np.array([_over_points(at_one, reading.role) for at_one in values])  # [checkpoints or 1, layers or 1]
        own = {"layer": tuple(str(layer) for layer in cube.layers), "checkpoint": keys[name]}.get(question.unit, ("",))
        values_by_measure[name] = dict(zip(own, flat.ravel().tolist(), strict=False))
    order: Callable[[str], object] = int if question.unit == "layer" else position(cubes, keys)
    units = sorted(dict.fromkeys(key for values in values_by_measure.values() for key in values), key=order)  # type: ignore[arg-type]
    arrays = {
        name: np.array([values.get(key, np.nan) for key in units], np.float64) for name, values in values_by_measure.items()
    }
    return tuple(units), arrays


def _over_points(values: Floats, role: Role) -> Floats:
    """Return the mean over pairs (or languages by themselves) at each layer, of values [layers, n, n]."""
    of = language_values(values, "itself") if role == "itself" else pair_values(values)
    return np.asarray(mean_of_known(of.reshape(len(of), -1), -1)[..., 0])


def _over(question: Question, cubes: dict[str, Squares], keys: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What pairs or languages are pooled over, in its order: the checkpoints or layers of measures that are read at each."""
    if question.along is None:
        return ()
    asked = [name for name, reading in question.readings.items() if _is_each(reading, question.along)]
    if question.along == "layer":
        return tuple(str(layer) for layer in sorted({layer for name in asked for layer in cubes[name].layers}))
    return tuple(sorted({key for name in asked for key in keys[name]}, key=position(cubes, keys)))


def _is_each(reading: Reading, along: Along) -> bool:
    return (reading.checkpoint if along == "checkpoint" else reading.layer) == EACH


def checkpoint_keys(cubes: dict[str, Squares]) -> dict[str, tuple[str, ...]]:
    """Return what a checkpoint is joined by: its fingerprint within one series, between several its training step.

    It is one series where of every two measures one has all checkpoints of the other. Two series may share some, such as their
    first: joined by those, all others would be lost.
    """
    several = [set(cube.checkpoints) for cube in cubes.values() if cube.checkpoints != ("",)]
    stepped = all(len(set(cube.steps)) == len(cube.steps) for cube in cubes.values())
    if not stepped or all(one <= other or other <= one for one in several for other in several):
        return {name: cube.checkpoints for name, cube in cubes.items()}
    return {
        name: tuple(key if step is None else f"step {step}" for key, step in zip(cube.checkpoints, cube.steps, strict=True))
        for name, cube in cubes.items()
    }


def position(cubes: dict[str, Squares], keys: dict[str, tuple[str, ...]]) -> Callable[[str], tuple[float, int]]:
    """Return the order of training: by step where checkpoints are joined by it, else by the place among the most there are.

    Not by step within one series, whose stages may each begin to count again.
    """
    found: dict[str, tuple[float, int]] = {}
    for name, cube in sorted(cubes.items(), key=lambda each: -len(each[1].checkpoints)):
        by_step = keys[name] != cube.checkpoints
        for place, (key, step) in enumerate(zip(keys[name], cube.steps, strict=True)):
            found.setdefault(key, (float("inf") if step is None else float(step) if by_step else 0.0, place))
    return lambda key: found.get(key, (0.0, 0))
