"""Gaps along the training error, the record points behind them, and the parts of the target error (figures 1 and 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.gap_curves import gap_curves
from isogloss.backend.charts.parts.apart import apart
from isogloss.backend.charts.record_points import Along, ColourBy, record_points
from isogloss.backend.charts.stacked import stacked_bars
from isogloss.backend.experiments.transfer.curves import Direction, Shown
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer import naming
from isogloss.backend.recipe_mark import in_recipes

ERROR = "Training error E′ (% of training examples)"
IGAP = "IGap (percentage points of error; lower = better transfer)"
SHOWN: dict[Shown, str] = {
    "transfer": "Cross-lingual transfer gap",
    "interlingual": "Interlingual gap",
    "intralingual": "Intralingual gap",
    "training": "Training error",
}
TITLES: dict[Along, str] = {"train": "Training error (% of training examples)", "step": "Training step", "epoch": "Epoch"}
PARTS = {"train": "Training error", "inter": "Interlingual gap", "intra": "Intralingual gap"}


@in_recipes
def curves(
    rows: pd.DataFrame,
    *,
    by: Sequence[str],
    differing: Sequence[str],
    lines: str,
    epsilon: float,
    colours: Mapping[str, str],
    levels: Mapping[str, float] | None,
    nothing: str,
    panels: bool = False,
) -> go.Figure:
    """Draw IGap over the training error (figure 1b): `lines` of Models, Directions, or Directions in Panels.

    `panels`: each model in its own, where the directions are not.
    `rows` are those of `igap_curves`, or with their record points (`igap_curves_and_points`), which lie behind.
    """
    points = rows["point"].astype(bool) if "point" in rows else pd.Series(False, rows.index)
    named = _lined(rows[~points], by, differing, lines)
    if lines != "Models":
        named = named.assign(least=named["models"], most=named["models"])
    drawn = gap_curves(
        named,
        x_title=ERROR,
        y_title=IGAP,
        title="IGap over the training error",
        epsilon=epsilon,
        behind=_lined(rows[points], by, differing, lines) if "point" in rows else None,
        colours=colours,
        levels=levels,
        nothing=nothing,
    )
    return apart(drawn) if panels and lines != "Panels" else drawn


def _lined(rows: pd.DataFrame, by: Sequence[str], differing: Sequence[str], lines: str) -> pd.DataFrame:
    """With the names of the lines, and of the panels where there are any."""
    named = naming.with_labels(rows, by, differing)
    if lines == "Models":
        return named
    direction = naming.directions(named)
    if lines == "Panels":
        return named.assign(panel=direction)
    return named.assign(line=np.where(named["line"] == "", direction, named["line"].astype(str) + " · " + direction))


@in_recipes
def scatter(
    rows: pd.DataFrame,
    *,
    by: Sequence[str],
    differing: Sequence[str],
    kind: Shown,
    along: Along,
    colour_by: ColourBy,
    panels: Sequence[Direction] | None,
    colours: Mapping[str, str],
    levels: Mapping[str, float],
) -> go.Figure:
    """Draw a point a model, or a model and target (figures 1a and 7), in one panel or one of each direction of `panels`.

    `rows` are those of `transfer_curves.scatter`.
    """
    named = naming.with_labels(rows, by, differing)
    if panels is not None:
        place = {source + naming.ARROW + target: index for index, (source, target) in enumerate(panels)}
        named = named.assign(panel=naming.directions(named)).sort_values(
            "panel", key=lambda column: column.map(place), kind="stable", ignore_index=True
        )
    return record_points(
        named,
        colour_by=colour_by,
        along=along,
        x_title=TITLES[along],
        y_title=_unit(kind),
        title=scatter_title(kind, along),
        colours=colours,
        levels=levels,
        falling=kind == "interlingual",
        nothing="No model was evaluated in these targets.",
    )


def scatter_title(kind: Shown, along: Along) -> str:
    """Return what a scatter is called."""
    return f"{SHOWN[kind]} over {TITLES[along].partition(' (')[0].lower()}"


def _unit(kind: Shown) -> str:
    if kind == "training":
        return "Training error (% of training examples; lower = more is learned)"
    better = "better generalisation" if kind == "intralingual" else "better transfer"
    return f"{SHOWN[kind]} (percentage points of error; lower = {better})"


@in_recipes
def parts(
    rows: pd.DataFrame,
    *,
    differing: Sequence[str],
    by_source: bool,
    bars: Sequence[str],
    runs: Mapping[str, tuple[float, int]],
    levels: Mapping[str, float],
    nothing: str,
) -> go.Figure:
    """Draw the target error in its three parts (figure 7), a panel a source or a model; without validation examples two parts.

    `rows` are those of `transfer_curves.decompose`; `bars` are the targets, `runs` have the learning rate and seed of each run.
    """
    whole = bool(rows["intra"].notna().any())
    notes = [
        f"least of {count(models, 'model')} in the window: " + run_said(runs.get(run)) + f"step {step:,}"
        for run, step, models in zip(rows["run"], rows["step"], rows["models"], strict=True)
    ]
    panel = "From " + rows["source"].map(naming.spoken) if by_source else naming.names(rows, differing)
    return stacked_bars(
        rows.assign(panel=panel, bar=rows["target"], note=notes),
        parts=PARTS if whole else {name: PARTS[name] for name in ("train", "inter")},
        total="Target error" if whole else "Error on translations",
        y_title="Error (percentage points; lower = better)",
        title="Parts of the target error",
        bars=bars,
        levels=levels,
        nothing=nothing,
    )


def run_said(run: tuple[float, int] | None) -> str:
    """Return the learning rate and seed of a run, within a sentence; nothing of one that is not known."""
    return "" if run is None else f"learning rate {run[0]:g}, seed {run[1]}, "
