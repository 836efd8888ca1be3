"""IGap along the training error, its parts and the record points behind it, quick enough to follow a slider.

`points_of` brings the errors of all runs into arrays, once; from these a new window costs milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from isogloss.backend.experiments.transfer.windows import covered
from isogloss.backend.metrics.transfer import igap as formulas
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.training.finetune.options import Windows

FINEST = 0.01
"""The points E' of a curve lie no farther apart than this, and no farther than the windows are wide."""
MOST = 100_000
"""Points of a scatter; of more, so many are taken, evenly."""

Gap = Literal["transfer", "interlingual", "intralingual"]
Shown = Literal[Gap, "training"]
"""What a cloud of record points shows: a gap, or the training error, which is the source's alone (figures 1 and 7)."""
Direction = tuple[str, str]


@dataclass(frozen=True)
class Points:
    """All record points of one model's runs in one source language. nan where a target was not evaluated."""

    names: tuple[Any, ...]
    """Values of the columns `by`."""
    source: str
    targets: tuple[str, ...]
    """Sorted, without the source."""
    run: NDArray[Any]
    step: NDArray[np.int64]
    epoch: NDArray[np.int64]
    train: NDArray[np.float64]
    """Training errors, `[points]`, as the others above."""
    source_error: NDArray[np.float64]
    """On the source language's validation examples."""
    translated: NDArray[np.float64]
    """Errors on the translations of the training examples, `[points, targets]`."""
    target: NDArray[np.float64]
    """Errors on the targets' validation examples, `[points, targets]`."""

    @property
    def inter(self) -> NDArray[np.float64]:
        """The interlingual gap, `[points, targets]`."""
        return formulas.decompose(self.train, self.translated, self.translated).inter

    def gap(self, kind: Gap) -> NDArray[np.float64]:
        """`[points, targets]`: the cross-lingual transfer gap (Eq. 2), or the inter- or intralingual one (Eq. 4)."""
        match kind:
            case "transfer":
                return formulas.transfer_gap(self.source_error, self.target)
            case "interlingual":
                return self.inter
            case "intralingual":
                return formulas.decompose(self.train, self.translated, self.target).intra


@in_recipes
def points_of(errors: pd.DataFrame, by: Sequence[str]) -> list[Points]:
    """Return the record points of each model (a combination of the columns `by`) and source, sorted by these.

    `errors` are rows of `backend.experiments.transfer.queries.errors` with the columns `by`. A target that some of the runs
    lack was not measured there.
    """
    points = []
    for (*names, source), rows_of_model in errors.groupby([*by, "source"], sort=True, dropna=False):
        columns, targets = pd.factorize(rows_of_model["target"], sort=True)
        places = rows_of_model.groupby(["run", "step"], sort=True).ngroup().to_numpy()
        first = rows_of_model.drop_duplicates(["run", "step"]).sort_values(["run", "step"])
        others = np.asarray(targets != source)

        def wide(
            name: str,
            rows_of_model: pd.DataFrame = rows_of_model,
            at: tuple[Any, Any] = (places, columns),
            shape: tuple[int, int] = (len(first), len(targets)),
            others: NDArray[np.bool_] = others,
        ) -> NDArray[np.float64]:
            values = np.full(shape, np.nan)
            values[at] = rows_of_model[name].to_numpy(np.float64, na_value=np.nan)
            return values[:, others]

        points.append(
            Points(
                names=tuple(names),
                source=str(source),
                targets=tuple(str(each) for each in targets[others]),
                run=first["run"].to_numpy(object),
                step=first["step"].to_numpy(np.int64),
                epoch=first["epoch"].to_numpy(np.int64),
                train=first["train_error"].to_numpy(np.float64),
                source_error=first["source_error"].to_numpy(np.float64, na_value=np.nan),
                translated=wide("translated_error"),
                target=wide("target_error"),
            )
        )
    return points


def directions(points: Iterable[Points]) -> list[Direction]:
    """Return every (source, target) of which some model has runs, sorted."""
    return sorted({(each.source, target) for each in points for target in each.targets})


def shared_directions(points: Sequence[Points]) -> list[Direction]:
    """Return the directions of which every model has runs, sorted: what a mean that compares models is over."""
    by_model: dict[tuple[Any, ...], set[Direction]] = {}
    for each in points:
        by_model.setdefault(each.names, set()).update((each.source, target) for target in each.targets)
    return sorted(set.intersection(*by_model.values())) if by_model else []


@in_recipes
def only(points: Sequence[Points], wanted: Iterable[Direction]) -> list[Points]:
    """`points` with these directions alone."""
    targets: dict[str, set[str]] = {}
    for source, target in wanted:
        targets.setdefault(source, set()).add(target)
    of_directions = []
    for each in points:
        kept = [column for column, target in enumerate(each.targets) if target in targets.get(each.source, ())]
        if kept:
            names = tuple(each.targets[column] for column in kept)
            of_directions.append(replace(each, targets=names, translated=each.translated[:, kept], target=each.target[:, kept]))
    return of_directions


def grid(points: Sequence[Points], epsilon: float, windows: Iterable[Windows | Literal["all"]] = ()) -> NDArray[np.float64]:
    """The points E' of a curve: multiples of `epsilon`, or of `FINEST` where that is less, up to the greatest training error.

    Windows that begin there overlap or touch, so that every record lies in one. `windows` are those in which each run evaluated
    the targets: where some did not evaluate them always, the curve is known at the starts of windows from which each run's
    windows cover `epsilon`, and these are the points, if there are any.
    """
    some = [own for own in windows if own != "all"]
    starts = {at for own in some for at, _ in own}
    known = sorted(at for at in starts if all(covered(own, at, epsilon) for own in some))
    if known:
        return np.array(known, np.float64)
    if not points:
        return np.zeros(0)
    between = min(epsilon, FINEST)
    last = int(max(each.train.max() for each in points) / between + formulas.TOLERANCE)
    return np.round(np.arange(last + 1) * between, 10)


def curves(points: Sequence[Points], by: Sequence[str], at: ArrayLike, epsilon: float) -> pd.DataFrame:
    """IGap of every direction along the training error: `by`, source, target, at, value, models, measured.

    A window of one point has the values of `transfer_summary.igaps`. Source: Eq. 5.
    """
    places = np.asarray(at, np.float64)
    parts = []
    for of_model in points:
        values, sizes = _curve(of_model, places, epsilon)
        names = dict(zip(by, of_model.names, strict=True))
        of_points = {"at": np.tile(places, len(of_model.targets)), "value": values.T.ravel()}
        counts = {"models": sizes.models.T.ravel(), "measured": sizes.measured.T.ravel()}
        ends = {"source": of_model.source, "target": np.repeat(np.array(of_model.targets, object), len(places))}
        parts.append(pd.DataFrame(names | ends | of_points | counts))
    columns = [*by, "source", "target", "at", "value", "models", "measured"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


@in_recipes
def mean_curves(points: Sequence[Points], by: Sequence[str], at: ArrayLike, epsilon: float) -> pd.DataFrame:
    """Return the mean IGap of each model's directions along the training error.

    Columns: `by`, at, value, directions, known, least, most, unmeasured. `value` is nan where one direction's IGap is not
    known: never a mean over fewer than `directions`. `known` are those with an IGap, `unmeasured` those whose window has
    models that were not evaluated in the target; `least` and `most` are the models in the window, over the directions.
    """
    places = np.asarray(at, np.float64)
    by_model: dict[tuple[Any, ...], list[Points]] = {}
    for each in points:
        by_model.setdefault(each.names, []).append(each)
    parts = []
    for names, own in by_model.items():
        found = [_curve(each, places, epsilon) for each in own]
        values = np.hstack([value for value, _ in found])
        models = np.hstack([sizes.models for _, sizes in found])
        measured = np.hstack([sizes.measured for _, sizes in found])
        numbers = {
            "at": places,
            "value": values.mean(axis=1),
            "directions": values.shape[1],
            "known": (~np.isnan(values)).sum(axis=1),
            "least": models.min(axis=1),
            "most": models.max(axis=1),
            "unmeasured": (measured < models).sum(axis=1),
        }
        parts.append(pd.DataFrame(dict(zip(by, names, strict=True)) | numbers))
    columns = [*by, "at", "value", "directions", "known", "least", "most", "unmeasured"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


@in_recipes
def decompose(points: Sequence[Points], by: Sequence[str], at: float, epsilon: float) -> pd.DataFrame:
    """Return the parts of the target error of the model behind each IGap.

    Columns: `by`, source, target, run, step, models (in the window), train, inter, intra, target_error.
    `train + inter + intra` is the target error. Without validation examples `intra` and `target_error` are nan. Directions
    without an IGap are left out. Source: figure 7.
    """
    parts = []
    for of_model in points:
        places = formulas.igap_record(of_model.train, of_model.inter, at, epsilon)
        (columns,) = np.nonzero(places >= 0)
        rows = places[columns]
        train, target = of_model.train[rows], of_model.target[rows, columns]
        found = formulas.decompose(train[:, None], of_model.translated[rows, columns][:, None], target[:, None])
        errors = {"inter": found.inter[:, 0], "intra": found.intra[:, 0], "target_error": target}
        models = formulas.window_sizes(of_model.train, of_model.inter, [at], epsilon).models[0, columns]
        record = {"run": of_model.run[rows], "step": of_model.step[rows], "models": models, "train": train}
        ends = {"source": of_model.source, "target": np.array(of_model.targets, object)[columns]}
        parts.append(pd.DataFrame(dict(zip(by, of_model.names, strict=True)) | ends | record | errors))
    names = [*by, "source", "target", "run", "step", "models", "train", "inter", "intra", "target_error"]
    return pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)


@in_recipes
def scatter(points: Sequence[Points], by: Sequence[str], kind: Shown, *, mean: bool, most: int = MOST) -> pd.DataFrame:
    """Return one row per record point and target, or with `mean` a row a record point.

    Columns: `by`, source, target, run, step, epoch, train (the training error), value (the gap of this kind, or the training
    error again). Points where it is not known are left out. A mean is over all targets of `points`, and its rows have no column
    `target`. Of more than `most` rows so many are taken, evenly. Source: figures 1a and 7.
    """
    parts = []
    for of_model in points:
        if kind == "training":
            gaps = np.repeat(of_model.train[:, None], 1 if mean else len(of_model.targets), axis=1)
        else:
            gaps = of_model.gap(kind).mean(axis=1)[:, None] if mean else of_model.gap(kind)
        rows, columns = np.nonzero(~np.isnan(gaps))
        ends = {"source": of_model.source} | ({} if mean else {"target": np.array(of_model.targets, object)[columns]})
        numbers = {
            "run": of_model.run[rows],
            "step": of_model.step[rows],
            "epoch": of_model.epoch[rows],
            "train": of_model.train[rows],
        }
        numbers |= {"value": gaps[rows, columns]}
        parts.append(pd.DataFrame(dict(zip(by, of_model.names, strict=True)) | ends | numbers))
    names = [*by, "source", *([] if mean else ["target"]), "run", "step", "epoch", "train", "value"]
    if not parts:
        return pd.DataFrame(columns=names)
    found = pd.concat(parts, ignore_index=True)[names]
    if len(found) <= most:
        return found
    return found.iloc[np.linspace(0, len(found) - 1, most).astype(np.int64)].reset_index(drop=True)


def has_validation(points: Iterable[Points]) -> bool:
    """Return whether some target was evaluated on validation examples: without any there is no cross-lingual transfer gap."""
    return any(not np.isnan(each.gap("transfer")).all() for each in points)


def _curve(points: Points, at: NDArray[np.float64], epsilon: float) -> tuple[NDArray[np.float64], formulas.WindowSizes]:
    gaps = points.inter
    return formulas.igap_curve(points.train, gaps, at, epsilon), formulas.window_sizes(points.train, gaps, at, epsilon)
