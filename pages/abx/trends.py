"""Curves over checkpoints and over layers, with intervals (de Seyssel et al. 2025, figures 2 and 3)."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.curves import BESIDE, curves
from backend.charts.parts.theme import colours_of
from pages.abx import cards, frames
from pages.abx.selection import Selection
from pages.abx.snippets import PLACED, only, snippet
from pages.widgets import figure
from pages.widgets.selecting import placed

CARDS = {"abx_language": cards.LANGUAGE, "abx_meaning": cards.MEANING, "retrieval_top1": cards.RETRIEVAL}
MEASURES = {"Language": "abx_language", "Meaning": "abx_meaning", "Retrieval": "retrieval_top1"}


LINES = (
    "Mean: a line a model, over checkpoints the mean of the chosen layers, over layers the last chosen checkpoint. "
    "Each: a line a layer, or a line a checkpoint."
)


def draw(selection: Selection) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = st.segmented_control("Over", ["Checkpoints", "Layers"], default="Checkpoints", key="over", bind="query-params")
        axis = st.segmented_control(
            "Axis", ["Linear", "Log"], default="Linear", key="axis", bind="query-params", disabled=over == "Layers"
        )
        lines = st.segmented_control("Lines", ["Mean", "Each"], default="Mean", key="lines", bind="query-params", help=LINES)
        retrieval = st.toggle("Retrieval too", key="retrieval", bind="query-params")
    data = frames.grid(selection)
    if data.empty:
        return
    data = over_checkpoints(data, lines == "Each") if over != "Layers" else over_layers(data, lines == "Each")
    measures = ["abx_language", "abx_meaning", *(["retrieval_top1"] if retrieval else [])]
    # Many lines need the width for their names.
    wide = data[["model", *data.columns.intersection(["line"])]].drop_duplicates().shape[0] > BESIDE
    columns = [st.container()] if wide else st.columns(2)
    for place, metric in enumerate(measures):
        with columns[place % len(columns)]:
            drawn = curves(
                data[data["metric"] == metric],
                x="layer" if over == "Layers" else "step",
                value_title=frames.UNITS[metric],
                title=CARDS[metric].name,
                step_scale="log" if axis == "Log" else "linear",
                colours=colours_of(model.name for model in selection.everything),
                chance=frames.chance(metric),
                height=400,
            )
            figure.show(
                drawn,
                name=f"{CARDS[metric].name} over {(over or 'checkpoints').lower()}",
                data=data[data["metric"] == metric],
                card=CARDS[metric],
                snippet=_snippet(selection, metric, over, lines == "Each"),
                alt=f"{CARDS[metric].name} over {(over or 'checkpoints').lower()}",
            )


def _snippet(selection: Selection, metric: str, over: str | None, each: bool) -> str:
    """The figure's numbers in Python: `over_checkpoints` or `over_layers`, written out."""
    match over, each:
        case "Layers", True:
            then = "frame = frame.assign(line=frame['label'])\n"
        case "Layers", False:
            then = (
                "last = frame.groupby('model')['position'].transform('max')\n"
                "frame = frame[frame['position'] == last].assign(line=lambda rows: rows['label'])\n"
            )
        case _, True:
            then = PLACED + "frame = frame.assign(line='layer ' + frame['layer'].astype(str))\n"
        case _:
            then = PLACED + (
                "means = {'value': 'mean', 'low': 'mean', 'high': 'mean', 'n': 'min'}\n"
                "frame = frame.groupby(['metric', 'model', 'step'], as_index=False, sort=False).agg(means)\n"
            )
    return snippet(selection, "grid", then=only(metric, selection.layers) + then)


def over_checkpoints(data: pd.DataFrame, each: bool) -> pd.DataFrame:
    """A line a model (mean over the chosen layers), or one a layer. Checkpoints without a step stand at their position."""
    data = placed(data)
    if each:
        return data.assign(line="layer " + data["layer"].astype(str))
    keys = ["metric", "model", "step"]
    return data.groupby(keys, as_index=False, sort=False).agg({"value": "mean", "low": "mean", "high": "mean", "n": "min"})


def over_layers(data: pd.DataFrame, each: bool) -> pd.DataFrame:
    """A line a model (its last chosen checkpoint), or one a checkpoint."""
    if each:
        return data.assign(line=data["label"])
    last = data.groupby("model")["position"].transform("max")
    return data[data["position"] == last].assign(line=lambda frame: frame["label"])
