"""Clouds of record points: a gap or the training error over training, in one panel or one a direction (figures 1a and 7)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from isogloss.backend.boards.card import Card
from isogloss.backend.charts.record_points import Along, ColourBy
from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer.curves import Direction, Shown
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer import gaps as figures
from isogloss.backend.figures.transfer.gaps import SHOWN
from isogloss.pages.transfer.shared import frames, guesses, points
from isogloss.pages.transfer.shared.cards import INTERLINGUAL, INTRALINGUAL, TRAINING_ERROR, TRANSFER_GAP
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure

COLOURS: dict[str, ColourBy] = {"Model": "model", "Epoch": "epoch", "Target": "target"}
CARDS: dict[Shown, Card] = {
    "transfer": TRANSFER_GAP,
    "interlingual": INTERLINGUAL,
    "intralingual": INTRALINGUAL,
    "training": TRAINING_ERROR,
}
OVER: dict[Along, str] = {"train": "Training error", "step": "Steps", "epoch": "Epochs"}
OVER_HELP = "What stands along the axis. The training error itself is drawn over steps, or over epochs."
MEAN = "A point a model, at the mean of its targets; else a point a model and target."
PANELS = "A panel a direction, of the first six where none is chosen, as in figures 1a and 7."


@dataclass(frozen=True)
class ScatterOptions:
    """What is drawn."""

    kind: Shown
    along: Along
    colour: ColourBy
    mean: bool
    panels: bool


def draw(selection: Selection) -> None:
    """Draw a point a record point, or a record point and target."""
    asked, chosen = _controls(selection)
    if selection.runs.empty:
        frames.say_empty()
        return
    everything = points.points_of_runs(selection)
    known = transfer_curves.directions(everything)
    wanted = points.few(known, chosen) if asked.panels else chosen or known
    own = transfer_curves.only(everything, wanted)
    kind: Shown = asked.kind
    if kind in ("transfer", "intralingual") and not transfer_curves.has_validation(own):
        st.caption(
            f"These runs have no validation examples, which the {SHOWN[kind].lower()} needs: this is the interlingual gap, "
            "on translations of the training examples."
        )
        kind = "interlingual"
    scattered = partial(transfer_curves.scatter, by=BY, kind=kind, mean=asked.mean)
    recipe = points.recipe(selection, scattered, wanted=wanted if asked.panels else chosen or None)
    data = cooked.rows(recipe)
    if len(data) == transfer_curves.MOST:
        st.caption(f"{count(len(data), 'point')}, evenly taken from more.")
    name = figures.scatter_title(kind, asked.along)
    drawn = partial(
        figures.scatter,
        by=BY,
        differing=selection.differing(data),
        kind=kind,
        along=asked.along,
        colour_by=asked.colour,
        panels=wanted if asked.panels else None,
        colours=selection.colours,
        levels=_levels(selection, kind, asked),
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=f"{name}, {'a panel a direction' if asked.panels else 'every model'}",
        card=CARDS[kind],
        alt=f"{name}, a point a model",
    )


def _levels(selection: Selection, kind: Shown, asked: ScatterOptions) -> dict[str, float]:
    """Return what guessing gives: of a training error, and of an interlingual gap over it. Other gaps have no such level."""
    guess = guesses.guess_for(selection)
    known = kind == "training" or (kind == "interlingual" and asked.along == "train")
    return guess.errors() if guess and known else {}


def _controls(selection: Selection) -> tuple[ScatterOptions, list[Direction]]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox("Show", list(SHOWN), 0, SHOWN.__getitem__, "scatter_of", bind="query-params", width=240)
        colour = COLOURS[segments("Colour", list(COLOURS), "colour", "Model")]
        options = more.view_options()
    with options:
        over = segments("Over", OVER, "scatter_over", "train", OVER_HELP)
        chosen = points.directions(selection, "Whose points are drawn.")
        panels = st.toggle("Panels", key="scatter_panels", bind="query-params", help=PANELS)
        split = panels or colour == "target"
        mean = st.toggle("Mean of targets", value=True, key="mean", bind="query-params", disabled=split, help=MEAN)
    if kind == "training":
        along: Along = over if over != "train" else "step"
        # One language is trained on: its error has no target.
        return ScatterOptions(kind, along, "model" if colour == "target" else colour, not panels, panels), chosen
    return ScatterOptions(kind, over, colour, mean and not split, panels), chosen
