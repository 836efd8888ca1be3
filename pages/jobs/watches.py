"""The trainings that are watched: where, what was seen last, what was passed over and why, what rules said, and its end."""

from __future__ import annotations

import streamlit as st

from isogloss.backend import people
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.words import Names, count
from isogloss.backend.jobs.watch import record
from isogloss.backend.jobs.watch.record import State, Watch
from isogloss.backend.settings import settings
from isogloss.pages.shared import run_links
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.runs.job_list import OPEN
from isogloss.pages.widgets.words import ago, verbatim
from isogloss.pages.widgets.workspace import guard

SHOWN = 10
"""Watches that ended, notes and checkpoints passed over: no more of each are listed."""


def draw(names: Names) -> None:
    """Draw a line for each watch, the newest first; nothing where there is none. `names` is content id → name."""
    found = record.watches(settings().workspace)
    living = [each for each in found if record.is_alive(each[1])]
    ended = [each for each in found if not record.is_alive(each[1])][:SHOWN]
    for watch, state in [*living, *ended]:
        with guard():
            _one(watch, state, names)


def _one(watch: Watch, state: State, names: Names) -> None:
    alive = record.is_alive(state)
    with st.container(border=True, gap="small", key=f"watch-{watch.id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            badge = ("Watching", ":material/visibility:", "blue") if alive else ("Ended", ":material/visibility_off:", "gray")
            st.badge(badge[0], icon=badge[1], color=badge[2])  # type: ignore[arg-type]
            kind = registry.title({**watch.spec, "model": watch.model, "checkpoints": []}).partition(" · ")[0]
            model, link = f"**{verbatim(state.model or watch.model)}**", run_links.of_watch(watch, state, names)
            if link is None:
                st.markdown(model, width="content")
            else:
                st.page_link(navigation.page_of(link[0]), label=model, icon=OPEN, query_params=link[1], width="content")
            st.markdown(f"{verbatim(kind)} · {verbatim(watch.location)}")
            may = alive and people.refusal("cancel", of=watch.by) is None
            if may and st.button("Stop", key=f"stop-watch-{watch.id}", icon=":material/stop:", type="tertiary"):
                record.end(settings().workspace, watch.id, "It was stopped.")
                st.rerun()
        st.caption(verbatim(standing(watch, state)))
        for fired in state.fired[-SHOWN:][::-1]:
            st.warning(verbatim(f"{fired.sentence} ({ago(fired.at)})"), icon=":material/notifications:")
        if state.trouble:
            st.caption(f":material/cloud_off: {verbatim(state.trouble)}")
        waiting = [each for each in state.latest.values() if each.status == "waiting"]
        passed = [each for each in state.seen if each.status in ("passed", "failed")]
        for each in [*waiting, *passed[::-1]][:SHOWN]:
            st.caption(f":material/{'hourglass_top' if each in waiting else 'block'}: {verbatim(f'{each.name} {each.why}')}")


def standing(watch: Watch, state: State) -> str:
    """Say in one line what a watch has done, and what was seen last."""
    parts = [f"{count(len(state.scored), 'checkpoint')} scored"]
    if queued := [each.label for each in state.seen if each.status == "queued"]:
        parts.append(f"{', '.join(queued)} on the way")
    if scored := state.scored:
        parts.append(f"last {scored[-1].label}, {ago(scored[-1].at)}")
    elif not state.seen:
        parts.append("no checkpoint seen yet")
    if watch.every:
        parts.append(f"every {watch.every:,} steps")
    parts += [f"rule: {rule}" for rule in watch.rules]
    parts += [f"by {watch.by}"] if watch.by else []
    if state.ended:
        parts.append(state.ended)
    elif not state.by_worker:
        parts.append("by a command")
    return " · ".join(parts)
