"""Steps from the errors of runs to the rows of a figure: a page and a notebook call the same.

`by` are the columns that tell two models apart; runs of all their learning rates and seeds are pooled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from isogloss.backend.corpora.tasks.task import Split
from isogloss.backend.experiments.family import SHARE, SIGNED
from isogloss.backend.experiments.frames import files_of, percent
from isogloss.backend.experiments.seeds_together import means_of_seeds, named_by_seeds
from isogloss.backend.experiments.transfer import curves, directions, examples, queries, ranking, summary
from isogloss.backend.experiments.transfer.curves import Points
from isogloss.backend.experiments.transfer.directions import Measure
from isogloss.backend.experiments.transfer.ranking import Fixed
from isogloss.backend.metrics.intervals import Bounds, bounds_of_difference
from isogloss.backend.recipe_mark import depends_on, holds_texts, in_recipes
from isogloss.backend.store import records
from isogloss.backend.training.finetune.options import Windows

Runs = Sequence[tuple[Any, ...]]


def _files_and_times(
    workspaces: Sequence[Path],
    runs: Runs,
    columns: Sequence[str],  # noqa: ARG001
    targets: Sequence[str],  # noqa: ARG001
) -> tuple[tuple[str, float], ...]:
    """Return the records of `runs`, each with when it was published."""
    wanted = {run for run, *_ in runs}
    return tuple((str(file.path), file.modified) for file in records.files(workspaces) if file.run in wanted)


@in_recipes
@depends_on(_files_and_times)
def errors_of(workspaces: Sequence[Path], runs: Runs, columns: Sequence[str], targets: Sequence[str]) -> pd.DataFrame:
    """Read the errors of `runs` in the languages `targets`: `queries.COLUMNS` and `columns`, the first of which is `run`."""
    known = pd.DataFrame(runs, columns=list(columns))
    files = {file.run: file.path for file in records.files(workspaces) if file.run in set(known["run"])}
    return queries.errors(sorted(files.values()), targets).merge(known, on="run")


@in_recipes
def rows_of_model(frame: pd.DataFrame, by: Sequence[str], model: Sequence[object]) -> pd.DataFrame:
    """Select the rows of one model, its values of `by`."""
    return frame[(frame[list(by)] == list(model)).all(axis=1)].reset_index(drop=True)


@in_recipes
def measured_directions(
    errors: pd.DataFrame,
    by: Sequence[str],
    measure: Measure,
    asymmetric: bool,
    at: float,
    epsilon: float,
    seeds: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Measure every direction: IGap in a window of training error, test accuracy or transfer gap, or its asymmetry.

    `seeds` has by the name of a model what it is a seed of: of these a direction has the mean of those with a value, Student's
    interval over them, their `deviation`, and how many they are (`of_seeds`, 0 of other models), and no run is behind it.
    """
    found = summary.igaps(errors, by, at, epsilon) if measure == "igap" else summary.measured(errors, by, measure)
    found = directions.asymmetry(found, by) if asymmetric else found
    if seeds:
        columns = dict.fromkeys([*found, "low", "high", "deviation"])
        found = _means_of_seeds(
            found.reindex(columns=[*columns]), seeds, [*by, "source", "target"], bounds(measure, asymmetric)
        )
        none = {"run": None, "step": -1, "learning_rate": np.nan}
        for name in [name for name in none if name in found]:
            found.loc[found["model"].isin(list(seeds.values())), name] = none[name]
    return percent(found)


def bounds(measure: Measure, asymmetric: bool) -> Bounds:
    """Return the least and the greatest value that a direction can have in a measure, or in its asymmetry."""
    ends = SHARE if measure == "accuracy" else SIGNED
    return bounds_of_difference(ends) if asymmetric else ends


def _means_of_seeds(found: pd.DataFrame, seeds: Mapping[str, str], keys: Sequence[str], ends: Bounds) -> pd.DataFrame:
    """Call seeds what they are together and put the rows of each place into one: `measured_directions` says which."""
    scores = [name for name in ("value", "accuracy", "gap", "forth", "back") if name in found]
    named = named_by_seeds(found.assign(of_seeds=0), seeds)
    return means_of_seeds(named, list(dict.fromkeys(seeds.values())), keys, ends, scores)


@in_recipes
def igaps_and_accuracies(errors: pd.DataFrame, by: Sequence[str], at: float, epsilon: float) -> pd.DataFrame:
    """IGap of every direction (`summary.igaps`) with the test accuracy, its deviation and the seeds beside it."""
    rates = summary.accuracies(errors, by)[[*by, "target", "accuracy", "deviation", "seeds"]]
    return summary.igaps(errors, by, at, epsilon).merge(rates, on=[*by, "target"], how="left")


@in_recipes
def igap_curves(
    points: Sequence[Points],
    by: Sequence[str],
    epsilon: float,
    windows: Sequence[Windows | Literal["all"]],
    each: bool,
    seeds: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """IGap along the training error (`curves.grid`): with `each` a curve a direction, else their mean, a curve a model.

    Of `seeds`, as of `measured_directions`, the curves are means with Student's interval.
    """
    at = curves.grid(points, epsilon, windows)
    lines = (curves.curves if each else curves.mean_curves)(points, by, at, epsilon)
    if not seeds:
        return lines
    keys = [*by, *(("source", "target") if each else ()), "at"]
    return _means_of_seeds(lines.assign(low=np.nan, high=np.nan), seeds, keys, SIGNED)


@in_recipes
def igap_curves_and_points(
    points: Sequence[Points],
    by: Sequence[str],
    epsilon: float,
    windows: Sequence[Windows | Literal["all"]],
    each: bool,
    seeds: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """As `igap_curves`, and below them every record point with its interlingual gap (`curves.scatter`): those are a `point`."""
    lines = igap_curves(points, by, epsilon, windows, each, seeds)
    behind = named_by_seeds(curves.scatter(points, by, "interlingual", mean=not each), seeds or {})
    return pd.concat([lines.assign(point=False), behind.assign(point=True)], ignore_index=True)


@in_recipes
def points_with(points: Sequence[Points], names: Sequence[tuple[Any, ...]], sources: Sequence[str]) -> list[Points]:
    """Select the record points of some models and source languages."""
    return [each for each in points if each.names in names and each.source in sources]


@in_recipes
def last_of_epochs(frame: pd.DataFrame, by: Sequence[str] = ("corruption",)) -> pd.DataFrame:
    """Keep the last record point of every epoch of each combination of the columns `by`."""
    return frame.drop_duplicates([*by, "epoch"], keep="last")


@in_recipes
@holds_texts
def examples_of(workspaces: Sequence[Path], run: str, step: int, target: str, part: Split) -> pd.DataFrame:
    """List the examples behind one record of a run (`examples.of_record`)."""
    [*_, file] = [each for each in records.files(workspaces) if each.run == run]
    return examples.of_record(file, step, target, part, workspaces)


@in_recipes
def ranked_directions(
    workspaces: Sequence[Path],
    gold: Runs,
    gold_targets: Sequence[str],
    igap: Runs,
    igap_targets: Sequence[str],
    columns: Sequence[str],
    by: Sequence[str],
    at: float,
    epsilon: float,
    similarities: Sequence[tuple[str, str, str]],
    layer: int | None,
    names: Mapping[str, str],
    fixed: Fixed,
) -> pd.DataFrame:
    """TDR accuracy of IGap and of the similarities of languages, by the test accuracy of the runs `gold` (`ranking.ranking`).

    `igap` are runs on random labels; `similarities` are (shard, source, target), taken at `layer` or at the best aligned one;
    `names` are the tags of the gold's languages by those of the others.
    """
    accuracies = summary.accuracies(errors_of(workspaces, gold, columns, gold_targets), by)
    gaps = pd.DataFrame(columns=["source", "target", "value"])
    if igap:
        gaps = ranking.rename_ends(summary.igaps(errors_of(workspaces, igap, columns, igap_targets), by, at, epsilon), names)
    files = files_of(workspaces, "similarity", {shard for shard, _, _ in similarities})
    alike = ranking.rename_ends(queries.similarities(files, similarities), names)
    if layer is None:
        layer = ranking.best_aligned_layer(alike) if len(alike) else 0
    return ranking.ranking(accuracies, ranking.predictions(gaps, alike, layer), fixed)
