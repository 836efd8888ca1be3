"""Curves of probes' scores, with their controls as lines: random tags, and the most frequent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.languages import names_of
from isogloss.backend.charts.parts.apart import apart
from isogloss.backend.charts.parts.paper import add_named_reference
from isogloss.backend.figures.languages import language_table
from isogloss.backend.figures.probing import ACCURACY, CONTROL, MAJORITY, SELECTIVITY, WORD_MAJORITY, unit_title
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.charts.parts.axes import StepAxis

LINES = {
    ACCURACY: "Probe",
    CONTROL: "Control task",
    WORD_MAJORITY: "Most frequent tag of each word",
    MAJORITY: "Most frequent tag",
}
"""What is drawn beside the accuracy of a probe, and what it is called."""
DASHES = {WORD_MAJORITY: "dashdot", MAJORITY: "dot"}
BANDS = 4
"""More lines than this are drawn without their bands, which would hide each other."""
Lines = Literal["Mean", "Languages", "Seeds"]


@in_recipes
def trends(
    rows: pd.DataFrame,
    *,
    metric: str,
    unit: str,
    tag: str,
    x: Literal["layer", "step"],
    scale: StepAxis,
    lines: Lines,
    colours: Mapping[str, str],
    title: str,
    axis: str = "",
    panels: bool = False,
) -> go.Figure:
    """Draw a score over layers or checkpoints, a line a model, or a language or seed of it; accuracy with its controls.

    `panels`: each model in its own.
    `rows` have metric, model, `x`, value, low, high, n, and with `lines` of languages source and target, of seeds seed. `tag`
    is what is told of each `unit`.
    """
    level = rows["metric"].isin(list(DASHES))
    shown = _with_lines(rows[~level], lines)
    drawn = curves(
        shown,
        x=x,
        axis=axis,
        value_title=unit_title(metric, unit),
        title=title,
        step_scale=scale,
        colours=colours,
        chance=0.0 if metric == SELECTIVITY else None,
        chance_label="no better than random tags",
        n_title=f"{unit.capitalize()} at least",
        bands=panels or shown.groupby(["model", "metric", *shown.columns.intersection(["line"])]).ngroups <= BANDS,
        panels=panels,
        height=480,
    )
    _add_levels(drawn, rows[level], tag)
    drawn.layout.margin.t = 44  # the legend stands beside
    return apart(drawn) if panels else drawn


def _with_lines(rows: pd.DataFrame, lines: Lines) -> pd.DataFrame:
    """Name the `line` of every row where a model has several."""
    if lines == "Languages":
        rows = rows.assign(line=named_pairs(rows))
    elif lines == "Seeds":
        rows = rows.assign(line="seed " + rows["seed"].astype("Int64").astype("string"))
    elif rows["metric"].nunique() > 1:
        rows = rows.assign(line=rows["metric"].map(LINES))
    if "line" in rows:
        order = {name: i for i, name in enumerate(LINES)}
        rows = rows.sort_values("metric", key=lambda each: each.map(order), kind="stable")
    return rows


def named_pairs(rows: pd.DataFrame) -> list[str]:
    """Return the pair of languages of every row in words: `German`, `German → Finnish`."""
    names = names_of(language_table(tuple(dict.fromkeys([*rows["source"], *rows["target"]]))))
    return [
        names[source] if source == target else f"{names[source]} → {names[target]}"
        for source, target in zip(rows["source"], rows["target"], strict=True)
    ]


def _add_levels(drawn: go.Figure, rows: pd.DataFrame, tag: str) -> None:
    """A line for each of the most frequent tags, which no layer changes; a line a model where models differ in them."""
    for metric, dash in DASHES.items():
        means = rows[rows["metric"] == metric].groupby("model", sort=False)["value"].mean()
        alike = means.max() - means.min() < 0.0005
        for model, value in list(means.items())[: 1 if alike else None]:
            lines = [*([] if alike else [f"{model}:"]), *LINES[metric].replace("tag", tag).split(" of ")]
            if len(lines) > 1 and alike:
                lines[1] = f"of {lines[1]}"
            add_named_reference(drawn, value, lines, dash=dash, form=".3f")
