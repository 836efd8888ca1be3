"""The difference of two models in every direction of transfer, with its interval: paired example by example where it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.family import SIGNED
from isogloss.backend.experiments.frames import percent, with_p
from isogloss.backend.experiments.seeds_together import differences_of_seeds, named_by_seeds
from isogloss.backend.experiments.transfer import directions, summary
from isogloss.backend.experiments.transfer.frames import bounds, measured_directions, rows_of_model
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.metrics.transfer.paired import difference_of_accuracies, squares_at_most
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import records
from isogloss.backend.training.finetune.records import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.corpora.tasks.task import Split
    from isogloss.backend.experiments.transfer.curves import Direction
    from isogloss.backend.experiments.transfer.directions import Measure
    from isogloss.backend.store.records import Evaluated, RecordFile

    Models = Sequence[tuple[str, int]]
    """Runs, each with the step of its model."""
    Triple = tuple[float, float, float]

SAME_EXAMPLES = ("data", "corpus", "sentences", "validation_share", "draw", "corruption", "source", "rows", "classes")
"""What two runs have to share to be evaluated on the same examples in the same order."""


@in_recipes
def compared(
    errors: pd.DataFrame,
    workspaces: Sequence[Path],
    by: Sequence[str],
    measure: Measure,
    asymmetric: bool,
    at: float,
    epsilon: float,
    first: Sequence[object],
    second: Sequence[object],
) -> pd.DataFrame:
    """Return one model less another, a row a direction that both have: `first` and `second` are values of `by`.

    Columns: source, target, first, second, value, percent; low, high, the 95% interval of the difference; interval: `paired`
    by the predictions of both on the same examples, the models that the values rest on as they are; `widest`, the widest that
    both intervals allow; empty where there is none, as of an asymmetry; p of each alone, and p_corrected, Benjamini &
    Hochberg's over all.
    """
    found = measured_directions(errors, by, measure, asymmetric, at, epsilon)
    both = directions.difference(found, by, first, second)
    if asymmetric:
        both = both.assign(low=np.nan, high=np.nan, interval="")
    else:
        models = [
            _Model(errors, by, measure, model, rows_of_model(found, by, model).set_index(["source", "target"]))
            for model in (first, second)
        ]
        predicted = _Predictions(workspaces)
        ends = [_ends(predicted, measure, key, *models) for key in zip(both["source"], both["target"], strict=True)]
        both = pd.concat([both, pd.DataFrame(ends, columns=["low", "high", "interval"])], axis=1)
    return percent(with_p(both, "value"))


@in_recipes
def compared_over_seeds(
    errors: pd.DataFrame,
    by: Sequence[str],
    measure: Measure,
    asymmetric: bool,
    at: float,
    epsilon: float,
    seeds: Mapping[str, str],
    first: Sequence[object],
    second: Sequence[object],
) -> pd.DataFrame:
    """Return one model less another as `compared` does, of which one or both are the mean of several `seeds`.

    `seeds` has by the name of a model what `first` or `second` call it. The interval is Welch's over seeds (`interval`:
    `seeds`); none where a side has one seed.
    """
    found = named_by_seeds(measured_directions(errors, by, measure, asymmetric, at, epsilon), seeds)
    sides = [rows_of_model(found, by, model).assign(side=name) for name, model in (("first", first), ("second", second))]
    keys, ends = ["source", "target"], bounds(measure, asymmetric)
    both = differences_of_seeds(pd.concat(sides, ignore_index=True), keys, "side", ["first", "second"], ends)
    zero = (both["source"] == both["target"]) & (measure == "gap")  # of every model
    both = both.assign(**{end: both[end].mask(zero) for end in ("low", "high")}, interval=both["interval"].mask(zero, ""))
    return percent(with_p(both.rename(columns={"difference": "value"}), "value"))


class _Model:
    """One model's values by direction, and the trained models that they rest on."""

    def __init__(
        self, errors: pd.DataFrame, by: Sequence[str], measure: Measure, model: Sequence[object], rows: pd.DataFrame
    ) -> None:
        self._rows = rows
        if measure == "igap":  # the one with the least gap
            ends = [(run, int(step)) for run, step in zip(rows["run"], rows["step"], strict=True)]
            self._behind = {key: [each] for key, each in zip(rows.index, ends, strict=True) if each[1] >= 0}
        else:
            chosen = rows_of_model(summary.chosen_models(errors, by), by, model)
            self._behind = {}
            for source, target, run, step in chosen[["source", "target", "run", "step"]].itertuples(index=False):
                self._behind.setdefault((source, target), []).append((run, int(step)))

    def of(self, direction: Direction) -> Triple:
        """Return the value of a direction with its low and its high."""
        row = self._rows.loc[[direction]].iloc[0]
        return float(row["value"]), float(row["low"]), float(row["high"])

    def behind(self, direction: Direction) -> Models:
        """Return the trained models that the value of a direction is of."""
        return self._behind.get(direction, [])


def _ends(
    predicted: _Predictions, measure: Measure, direction: Direction, one: _Model, other: _Model
) -> tuple[float, float, str]:
    """Return the interval of one direction's difference, and which it is."""
    if measure == "gap" and direction[0] == direction[1]:  # 0 for every model
        return np.nan, np.nan, ""
    paired = _paired(predicted, measure, direction, one.behind(direction), other.behind(direction))
    return (*paired, "paired") if paired else (*_widest(one.of(direction), other.of(direction)), "widest")


def _widest(one: Triple, other: Triple) -> tuple[float, float]:
    """Return the widest interval of a first less a second value, each with its low and high, −1 to 1: it is −2 to 2."""
    low, high = difference_ends(one, other, bounds=SIGNED)
    return float(low), float(high)


def _paired(
    predicted: _Predictions, measure: Measure, direction: Direction, one: Models, other: Models
) -> tuple[float, float] | None:
    """Return the paired interval of one direction's difference; None where the two have not predicted the same examples.

    A gap is the target's error less the source's: both differences have an interval, and their distances add up, however they
    move together.
    """
    if not one or not other or not predicted.alike([*one, *other]):
        return None
    source, target = direction
    part: Split = "train" if measure == "igap" else "validation"
    target_error = predicted.less(part, target, one, other)
    if measure == "accuracy":
        return None if target_error is None else (-target_error[2], -target_error[1])
    source_error = predicted.less(part, source, one, other)
    if target_error is None or source_error is None:
        return None
    return _widest(target_error, source_error)


class _Predictions:
    """What models of kept runs predicted, each read once."""

    def __init__(self, workspaces: Sequence[Path]) -> None:
        self._files: dict[str, RecordFile] = {file.run: file for file in records.files(workspaces)}
        self._read: dict[tuple[str, int], dict[tuple[str, str], Evaluated]] = {}

    def alike(self, models: Models) -> bool:
        """Return whether all were evaluated on the same examples in the same order."""
        said = [self._files[run].provenance for run, _ in models]
        whole = all(each.get("complete") for each in said)
        keys = SAME_EXAMPLES if whole else (*SAME_EXAMPLES, "languages")
        return all(each.get(key) == said[0].get(key) for each in said for key in keys)

    def less(self, part: Split, language: str, one: Models, other: Models) -> Triple | None:
        """Return the mean error of some models less that of others on the same examples, with its 95% interval."""
        sides = [[self._of(*model).get((part, language)) for model in models] for models in (one, other)]
        known = [[each for each in side if each is not None] for side in sides]
        if known != sides or len({each.n for side in known for each in side}) != 1:
            return None
        classes = int(self._files[one[0][0]].provenance["classes"])
        errors = [np.mean([each.errors / each.n for each in side]) for side in known]
        said = [np.stack([unpack(each.predictions, each.n, classes) for each in side]) for side in known]
        difference = float(errors[0] - errors[1])
        return difference, *difference_of_accuracies(difference, squares_at_most(*said))

    def _of(self, run: str, step: int) -> dict[tuple[str, str], Evaluated]:
        if (run, step) not in self._read:
            self._read[run, step] = records.evaluated(self._files[run], step)
        return self._read[run, step]
