"""Every record point's training error against its gap (figure 1a)."""

from __future__ import annotations

from functools import partial

import streamlit as st

from backend.charts.parts.theme import colours_of
from backend.charts.record_points import ColourBy, record_points
from backend.experiments.transfer import curves as transfer_curves
from backend.experiments.transfer.curves import Gap
from backend.experiments.words import count
from pages.transfer.shared import frames, points
from pages.transfer.shared.cards import INTERLINGUAL, TRANSFER_GAP
from pages.transfer.shared.selection import BY, Selection
from pages.widgets import figure

COLOURS: dict[str, ColourBy] = {"Model": "model", "Epoch": "epoch", "Target": "target"}
GAPS: dict[Gap, str] = {"transfer": "Cross-lingual transfer gap", "interlingual": "Interlingual gap"}
MEAN = "A point a model, at the mean of its targets; else a point a model and target."
X = "Training error (% of training examples)"


def draw(selection: Selection) -> None:
    """Draw a point a record point, or a record point and target."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = COLOURS[
            st.segmented_control("Colour", list(COLOURS), default="Model", key="colour", bind="query-params", required=True)
        ]
        by_target = colour == "target"
        mean = st.toggle("Mean of targets", value=True, key="mean", bind="query-params", disabled=by_target, help=MEAN)
        chosen = points.directions(selection, "Whose points are drawn.")
    if selection.runs.empty:
        frames.say_empty()
        return
    everything = points.of(selection)
    wanted = chosen or transfer_curves.directions(everything)
    own = transfer_curves.only(everything, wanted)
    kind: Gap = "transfer" if transfer_curves.has_validation(own) else "interlingual"
    mean = mean and not by_target
    scattered = partial(transfer_curves.scatter, by=BY, kind=kind, mean=mean)
    data = scattered(own)
    if kind == "interlingual":
        st.caption(
            "These runs have no validation examples, which the cross-lingual transfer gap needs: this is the interlingual gap, "
            "on translations of the training examples."
        )
    if len(data) == transfer_curves.MOST:
        st.caption(f"{count(len(data), 'point')}, evenly taken from more.")
    drawn = record_points(
        points.with_labels(selection, data),
        colour_by=colour,
        x_title=X,
        y_title=f"{GAPS[kind]} (percentage points of error; lower = better transfer)",
        title=f"{GAPS[kind]} over the training error",
        colours=colours_of(model.name for model in selection.everything),
        nothing="No model was evaluated in these targets.",
    )
    figure.show(
        drawn,
        name=f"{GAPS[kind]} over training error, every model",
        data=data,
        card=TRANSFER_GAP if kind == "transfer" else INTERLINGUAL,
        snippet=points.python(selection, scattered, wanted=chosen or None),
        alt=f"{GAPS[kind]} over the training error, a point a model",
    )
