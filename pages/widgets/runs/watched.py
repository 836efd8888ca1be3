"""Trainings that are watched, as pages show them: pages of a model draw themselves again when it has a new checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import plotly.graph_objects as go
import streamlit as st

from isogloss.backend.charts.parts.newest import newest_marked
from isogloss.backend.jobs.watch import record
from isogloss.backend.jobs.watch.record import State, Watch
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.settings import settings
from isogloss.pages.widgets.server.streamlit_internals import once_a_run

ASKING_SECONDS = 3.0
Known = tuple[tuple[str, str], ...]


def alive() -> list[tuple[Watch, State]]:
    """Return the watches that have not ended, read once in a run of the script."""
    return once_a_run("watches", lambda: record.alive(settings().workspace))


def follow(models: Sequence[Model]) -> None:
    """Draw the page again when one of these models has another checkpoint, or scores of one; ask only while one is watched."""
    names = {model.name for model in models}
    if names.isdisjoint(_name(*each) for each in alive()):
        return
    _ask(tuple(sorted(names)), _known(alive(), names))


@st.fragment(run_every=ASKING_SECONDS)
def _ask(names: tuple[str, ...], drawn: Known) -> None:
    """Look whether something is new since the page was drawn; where the watch has ended, it is drawn once more, without."""
    if _known(record.alive(settings().workspace), set(names)) != drawn:
        st.rerun()


def _known(watches: Iterable[tuple[Watch, State]], names: set[str]) -> Known:
    """Return which checkpoints of these models are in hand or have scores, and of which model nothing is there yet."""
    own = [(watch, state) for watch, state in watches if _name(watch, state) in names]
    there = [(watch.id, "") for watch, _ in own]
    return tuple(there + [(each.fingerprint, each.status) for _, state in own for each in state.seen if each.fingerprint])


def marked(figure: go.Figure, model: Model, checkpoints: Sequence[Checkpoint]) -> go.Figure:
    """Frame the column of `figure` whose checkpoint got scores last, while the model is watched; returns the figure."""
    return newest_marked(figure, [each.fingerprint for each in checkpoints], newest(model))


def newest(model: Model) -> str | None:
    """Return the fingerprint of the checkpoint that got scores last, while the model is watched; None where there is none."""
    scored = [state.scored[-1] for watch, state in alive() if _name(watch, state) == model.name and state.scored]
    return max(scored, key=lambda each: each.at).fingerprint if scored else None


def _name(watch: Watch, state: State) -> str:
    return state.model or watch.model
