"""What becomes of labels replaced at random: IGap and accuracy on translations (figure 3), and how fast they are learned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer import memorised
from isogloss.backend.experiments.transfer import summary as transfer_summary
from isogloss.backend.experiments.transfer.curves import Direction, Points
from isogloss.backend.experiments.transfer.memorised import Labels
from isogloss.backend.experiments.transfer.printed.tables import ALL_RANDOM, PAPER
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer import memorised as figures
from isogloss.pages.transfer.shared import frames, lacking, points
from isogloss.pages.transfer.shared.cards import IGAP, MEMORISATION, TRANSFERRED
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.workspace import workspaces

OWN = [name for name in BY if name != "corruption"]
"""What tells models apart here: a line is a corruption."""
ALL = "All models"
LABELS: dict[str, Labels] = {"As learned": "learned", "True": "true"}
LABELS_HELP = (
    "Of the accuracy on translations. As learned: the labels trained on, replaced ones included, as in figure 3b. True: the "
    "task's own, before any was replaced."
)
OVER = "Epochs: the last record point of each."
HOW = (
    "No run with replaced labels is computed: open “Train models” above, then “More”, and choose shares in “Label corruption”, "
    "such as 0%, 50% and 100%."
)


def draw(selection: Selection) -> None:
    """Draw IGap and the accuracy on translations by the share of labels replaced, and the training error over training."""
    runs = selection.runs_of_any_corruption
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sources = sorted(set(runs["source"]))
        source = select("Trained on", sources, "pair_source", named=language_name, width=200) if sources else None
        at, epsilon = frames.window()
        labels = LABELS[segments("Labels", list(LABELS), "labels", "As learned", LABELS_HELP)]
    if source is None:
        frames.say_empty()
        return
    if not (runs["corruption"] > 0).any():
        st.info(HOW, icon=":material/info:")
    elif not selection.runs.empty:
        lacking.offer(selection, at, epsilon)
    own = [each for each in points.points_of_runs(selection, corrupted=True) if each.source == source]
    shared = transfer_curves.shared_directions(own)
    shown = _Shown(selection, shared, transfer_curves.only(own, shared), _classes(selection, source), at, epsilon)
    left, right = st.columns(2)
    with left:
        _igap(shown)
    with right:
        _accuracy(shown, labels)
    accuracy, gap = (number(100 * ALL_RANDOM[name], ".1f") for name in ("accuracy", "igap"))
    st.caption(
        f"Mean of {count(len(shared), 'direction')} from {language_name(source)}. Printed for XLM-R on XNLI with every label "
        f"random: accuracy {accuracy}% by the labels learned, IGap {gap} points ({PAPER}, section 5.4)."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model = _model(selection, runs[runs["source"] == source])
        over = segments("Over", ("Epochs", "Steps"), "memory_over", help_=OVER)
    _training(selection, model, source, over)


@dataclass(frozen=True)
class _Shown:
    """What both figures by the share of labels replaced are of."""

    selection: Selection
    directions: list[Direction]
    own: list[Points]
    classes: int | None
    """None where the runs differ in it."""
    at: float
    epsilon: float


def _classes(selection: Selection, source: str) -> int | None:
    runs = selection.runs_of_any_corruption
    wanted = set(runs.loc[runs["source"] == source, "run"])
    found = {file.provenance["classes"] for file in selection.have if file.run in wanted}
    return found.pop() if len(found) == 1 else None


def _model(selection: Selection, runs: pd.DataFrame) -> pd.Series | None:
    """Return a model by what tells it apart, `OWN`; None for all of them in one figure."""
    models = runs.drop_duplicates(OWN)[OWN]
    by_name = dict(zip(frames.names_of(selection, models, OWN), models.to_dict("records"), strict=True))
    names = list(by_name)
    name = select("Model", [*names, ALL], "at_model", width=280) if len(names) > 1 else names[0]
    return None if name == ALL else pd.Series(by_name[name])


def _training(selection: Selection, model: pd.Series | None, source: str, over: str) -> None:
    """Training error over training: of one model a line a corruption, else a line a model, of the corruptions chosen."""
    corrupted = model is not None
    steps = [partial(rows_with, source=[source])]
    steps += [] if model is None else [partial(transfer_frames.rows_of_model, by=OWN, model=model.tolist())]
    steps += [partial(transfer_frames.last_of_epochs, by=BY)] if over == "Epochs" else []
    recipe = frames.recipe(selection, partial(transfer_summary.memorisation, by=BY), *steps, corrupted=corrupted)
    data = cooked.rows(recipe)
    drawn = partial(
        figures.training,
        by=BY,
        differing=selection.differing(data),
        by_share=corrupted,
        over_epochs=over == "Epochs",
        classes=_classes(selection, source),
        colours=selection.colours,
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=f"Training error over {over.lower()}, {'labels replaced' if corrupted else 'every model'}",
        card=MEMORISATION,
        alt="Training error over training, a line for each share of labels replaced or model",
    )


def _igap(shown: _Shown) -> None:
    """Draw the mean IGap of this source's directions at the window by corruption, one line per model (figure 3a)."""
    at = shown.at
    gaps = partial(transfer_curves.mean_curves, by=BY, at=[at], epsilon=shown.epsilon)
    recipe = points.recipe(shown.selection, gaps, wanted=shown.directions, corrupted=True)
    data = cooked.rows(recipe)
    drawn = partial(
        figures.igap,
        by=OWN,
        differing=shown.selection.differing(data, OWN),
        at=at,
        classes=shown.classes,
        colours=shown.selection.colours,
    )
    figure.draw(
        recipe.with_chart(drawn),
        name="IGap by share of labels replaced",
        card=IGAP,
        alt="IGap by share of labels replaced, with that of chance",
    )


def _accuracy(shown: _Shown, labels: Labels) -> None:
    """Draw the accuracy on translations by corruption, one line per model, and what chance gives (figure 3b)."""
    rights = partial(memorised.accuracies, by=BY, at=shown.at, epsilon=shown.epsilon, labels=labels, workspaces=workspaces())
    recipe = points.recipe(shown.selection, rights, wanted=shown.directions, corrupted=True)
    data = cooked.rows(recipe)
    drawn = partial(
        figures.accuracy,
        by=OWN,
        differing=shown.selection.differing(data, OWN),
        at=shown.at,
        labels=labels,
        classes=shown.classes,
        colours=shown.selection.colours,
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=f"Accuracy on translations by share of labels replaced, {figures.LEARNED[labels]}",
        card=TRANSFERRED,
        alt="Accuracy on translations by share of labels replaced, with that of chance",
    )
