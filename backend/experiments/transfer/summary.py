"""From errors of many runs to what the transfer figures show: frames in, frames out, any window at once. No training here.

`errors` are rows of `backend.experiments.transfer.queries.errors` with columns that say what each run is; `by` names the
columns whose every combination is one model (a model and checkpoint, an algorithm, a corruption): its runs of all learning
rates and seeds are pooled, as in Chi et al. 2023.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.experiments.transfer.curves import points_of
from isogloss.backend.metrics.intervals import difference_ends, wilson_interval
from isogloss.backend.metrics.transfer import igap as formulas
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from numpy.typing import ArrayLike, NDArray


STEP = 0.001
"""Of the training errors at which a window is looked for: a tenth of a percent, as a page shows them."""


def igaps(errors: pd.DataFrame, by: Sequence[str], at: float, epsilon: float) -> pd.DataFrame:
    """IGap of every direction at one training error.

    Columns: `by`, source, target, value, models, measured, run, step, n, low, high.
    `models` are the record points in the window and `measured` those that were evaluated in the target: where fewer, `value`
    is nan because the least gap is not known; where `models` is 0, because the window is empty. `run` and `step` are the
    record that has the least gap, and `low` to `high` the 95% interval of its gap over its `n` training examples. The direction
    from a language to itself is left out. Source: Eq. 5.
    """
    rows: list[dict[str, Any]] = []
    trained = errors.groupby("run")["n"].first()
    for each in points_of(errors, by):
        values = formulas.igap(each.train, each.inter, at, epsilon)
        sizes = formulas.window_sizes(each.train, each.inter, [at], epsilon)
        places = formulas.igap_record(each.train, each.inter, at, epsilon)
        n = trained.loc[each.run[places]].to_numpy()
        translated = np.where(places >= 0, each.translated[places, np.arange(len(places))], np.nan)
        low, high = _gap_ends(translated, n, each.train[places], n)
        for column, target in enumerate(each.targets):
            place = int(places[column])
            row = dict(zip(by, each.names, strict=True)) | {"source": each.source, "target": target}
            row |= {"value": float(values[column])}
            row |= {"models": int(sizes.models[0, column]), "measured": int(sizes.measured[0, column])}
            known = {"run": each.run[place], "step": int(each.step[place])} if place >= 0 else {"run": None, "step": -1}
            rows.append(row | known | {"n": int(n[column]), "low": low[column], "high": high[column]})
    return pd.DataFrame(
        rows, columns=[*by, "source", "target", "value", "models", "measured", "run", "step", "n", "low", "high"]
    )


def least_window(errors: pd.DataFrame, by: Sequence[str], epsilons: Sequence[float]) -> tuple[float, float] | None:
    """Return the least window `[at, at + epsilon)` in which every direction of every model has an IGap; None where none has.

    `at` is a multiple of `STEP`. The least is that of `at + 2 epsilon`, then the narrowest: models of a wider window have
    learned less alike, so it has to begin lower by more than it is wider.
    """
    own = points_of(errors, by)
    starts = np.round(np.arange(int(1 / STEP)) * STEP, 9)
    found = []
    for epsilon in sorted(epsilons):
        known = np.full(len(starts), bool(own))
        for each in own:
            known &= ~np.isnan(formulas.igap_curve(each.train, each.inter, starts, epsilon)).any(axis=1)
        if known.any():
            found.append((float(starts[known.argmax()]), epsilon))
    return min(found, key=lambda window: round(window[0] + 2 * window[1], 9), default=None)


def accuracies(errors: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Test accuracy and transfer gap of every direction, source to itself included; means over seeds of the last models.

    Columns: `by`, source, target, accuracy, deviation (over seeds), gap (Eq. 2: the target's error less the source's), seeds,
    learning_rate, n, and the 95% intervals of both over `n` examples: low, high, gap_low, gap_high. The learning rate is the
    one whose last models are best on the source language's own validation examples (the lower of equals), so that no target
    language has a say. Runs without validation examples have no row.
    """
    columns = [*by, "source", "target", "accuracy", "deviation", "gap", "seeds", "learning_rate", "n"]
    columns += ["low", "high", "gap_low", "gap_high"]
    chosen = chosen_models(errors, by)
    if chosen.empty:
        return pd.DataFrame(columns=columns)
    chosen = chosen.assign(
        accuracy=lambda rows: 1 - rows["target_error"], gap=lambda rows: rows["target_error"] - rows["source_error"]
    )
    grouped = chosen.groupby([*by, "source", "target"], as_index=False, sort=True, dropna=False)
    means = grouped.agg(
        accuracy=("accuracy", "mean"),
        deviation=("accuracy", "std"),
        gap=("gap", "mean"),
        seeds=("accuracy", "size"),
        learning_rate=("learning_rate", "first"),
        n=("n_target", "min"),
        n_source=("n_source", "min"),
    )
    # Seeds are tried on the same examples: a mean over them says no more of other examples than one.
    means["low"], means["high"] = wilson_interval(means["accuracy"], means["n"])
    error = 1 - means["accuracy"]
    means["gap_low"], means["gap_high"] = _gap_ends(error, means["n"], error - means["gap"], means["n_source"])
    return means[columns]


def chosen_models(errors: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the rows of `errors` that accuracies are of: the last models of each source's learning rate (`accuracies`)."""
    last = errors[errors["step"] == errors.groupby("run")["step"].transform("max")]
    last = last.dropna(subset=["target_error", "source_error"])
    if last.empty:
        return last
    keys = [*by, "source"]
    runs = last.drop_duplicates([*by, "run"])  # one checkpoint may be of two models: its runs are both's
    rates = runs.groupby([*keys, "learning_rate"], as_index=False, sort=True, dropna=False)["source_error"].mean()
    rates["source_error"] = rates["source_error"].round(12)  # sums in another order are not another error
    best = rates.loc[rates.groupby(keys, sort=False, dropna=False)["source_error"].idxmin(), [*keys, "learning_rate"]]
    return last.merge(best, on=[*keys, "learning_rate"])


def measured(errors: pd.DataFrame, by: Sequence[str], measure: Literal["accuracy", "gap"]) -> pd.DataFrame:
    """Return `accuracies` with one of the two as `value`, `low` and `high`."""
    rows = accuracies(errors, by)
    ends = {"low": rows["gap_low"], "high": rows["gap_high"]} if measure == "gap" else {}
    return rows.assign(value=rows[measure], **ends).drop(columns=["gap_low", "gap_high"])


def _gap_ends(
    error: ArrayLike, n: ArrayLike, source_error: ArrayLike, n_source: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the 95% interval of one error less another: low and high. As of other examples, which is wide for translations."""
    shares = (error, *wilson_interval(error, n)), (source_error, *wilson_interval(source_error, n_source))
    return difference_ends(*shares, apart=True)


@in_recipes
def memorisation(errors: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Training error over training: `by`, source, step, epoch, value, low, high, runs (section 5.4, figure 3).

    `value` is the mean over runs, `low` and `high` the least and the greatest. A run that stopped before, with no errors left,
    goes on at its last error.
    """
    columns = [*by, "source", "step", "epoch", "value", "low", "high", "runs"]
    points = errors.drop_duplicates([*by, "run", "step"])
    parts = []
    for names, own in points.groupby([*by, "source"], sort=True, dropna=False):
        wide = own.pivot(index="step", columns="run", values="train_error").sort_index().ffill()
        epochs = own.groupby("step")["epoch"].first().reindex(wide.index)
        values = {"value": wide.mean(axis=1), "low": wide.min(axis=1), "high": wide.max(axis=1)}
        part = pd.DataFrame({"epoch": epochs} | values | {"runs": wide.shape[1]}).reset_index()
        for name, value in zip([*by, "source"], names, strict=True):
            part.insert(0, name, [value] * len(part))
        parts.append(part)
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)
