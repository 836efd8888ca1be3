"""The trainings that are watched, each as a small line over its checkpoints, drawn again while they go on."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.charts import glance as small
from isogloss.backend.charts.parts import theme
from isogloss.backend.errors import IsoglossError
from isogloss.backend.jobs.watch import headline, record
from isogloss.backend.jobs.watch.record import State, Watch
from isogloss.backend.settings import settings
from isogloss.pages.home.figures import corpus_names
from isogloss.pages.shared import run_links
from isogloss.pages.widgets import fitted, navigation
from isogloss.pages.widgets.runs import watched
from isogloss.pages.widgets.words import ago, verbatim

ACROSS = 3
SECONDS = 5.0


def draw() -> None:
    """Draw what is watched; nothing, and nothing again, where nothing is."""
    if watched.alive():
        st.fragment(_lines, run_every=SECONDS)()


def _lines() -> None:
    found = record.alive(settings().workspace)
    if not found:
        st.rerun()
    for start in range(0, len(found), ACROSS):
        for column, each in zip(st.columns(ACROSS, gap="medium"), found[start : start + ACROSS], strict=False):
            with column, st.container(gap=None, key=f"watched-{each[0].id}"):
                _line(*each)


def _line(watch: Watch, state: State) -> None:
    name, last = state.model or watch.model, next(reversed(state.scored), None)
    try:
        words, values = _values(watch.id, watch, state, tuple((each.fingerprint, each.at) for each in state.scored))
        link = run_links.of_watch(watch, state, corpus_names())
    except IsoglossError as error:  # scores that were removed meanwhile
        st.caption(verbatim(str(error)))
        return
    label = f"**{verbatim(name)}**, watched"
    if link is None:
        st.markdown(label)
    else:
        st.page_link(navigation.page_of(link[0]), label=label, icon=":material/visibility:", query_params=link[1])
    if last is None or not values:
        st.caption("No checkpoint has scores yet.")
        return
    st.caption(verbatim(f"{words}: {values[-1][1]:.3f} at {values[-1][0]} ({ago(last.at)})"))
    places = [float(place) for place in range(1, len(values) + 1)]
    figure = small.lines({words: (places, [value for _, value in values])}, x="Checkpoint", y="", chance=None)
    figure.update_layout(showlegend=False)
    config = {**theme.config(f"watched-{watch.id}"), "displayModeBar": False}
    fitted.chart(figure, f"watched-line-{watch.id}", config=config, alt=f"{words} of {name} over its checkpoints")


@st.cache_data(show_spinner=False, max_entries=40)
def _values(
    identity: str,  # noqa: ARG001 — with `scored` the key
    _watch: Watch,
    _state: State,
    scored: tuple[tuple[str, float], ...],  # noqa: ARG001
) -> tuple[str, list[tuple[str, float]]]:
    """Return what the line is of and its values, read again when another checkpoint has scores."""
    return headline.series(_watch, _state, settings().workspace, settings().workspaces)
