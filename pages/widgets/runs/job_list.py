"""Runs in lines: what each computes, where it stands, why it failed, and what can be done with it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

import streamlit as st

from isogloss.backend import people
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.pricing.estimate import duration
from isogloss.backend.experiments.words import count
from isogloss.backend.jobs import client, pace
from isogloss.backend.settings import settings
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.runs import worker
from isogloss.pages.widgets.words import ago, verbatim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from isogloss.backend.jobs.job import Job, State
    from isogloss.backend.models.entry import Model
    from isogloss.backend.people import Action

Colour = Literal["gray", "blue", "green", "red", "orange"]
BADGES: dict[State, tuple[str, str, Colour]] = {
    "waiting": ("Waiting", ":material/schedule:", "gray"),
    "running": ("Running", ":material/progress_activity:", "blue"),
    "done": ("Done", ":material/check:", "green"),
    "failed": ("Failed", ":material/error:", "red"),
    "cancelled": ("Cancelled", ":material/block:", "orange"),
}
Figure = tuple[str, dict[str, str | list[str]]]
"""The family of the page that shows a result, and what its URL says."""
WIDTHS = (3, 2.8, 2.2, 1.5, 1.1, 1.9)
"""Of the columns."""
OPEN = ":material/show_chart:"
SEEN = "runs-seen"
"""Session state: run id → sightings of its progress, for the time that is left."""
LEFT = "runs-left"
"""Session state: run id → what was said to be left of it, and when."""
TROUBLES = "runs-troubles"
"""Session state: run id → why what was last asked of it could not be done."""
FAILURES_SHOWN = 5
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def is_active(job: Job) -> bool:
    """Return whether the run waits or runs."""
    return job.state in ("waiting", "running")


def heading() -> None:
    """Draw what the columns of `row` hold."""
    for column, name in zip(st.columns(WIDTHS), ("Measurement", "Model", "On", "State", "Took", ""), strict=True):
        column.caption(name)


def row(job: Job, corpora: Mapping[str, str], model: Model | None = None, figure: Figure | None = None) -> None:
    """Draw one run in a line; its details open at a press. `corpora` is content id → name, `figure` where its result is."""
    with st.container(gap=None, key=f"run-{job.id}"):
        kind, _, of = registry.title(job.spec).partition(" · ")
        columns = st.columns(WIDTHS, vertical_alignment="center")
        with columns[0]:
            if figure is None:
                st.markdown(f"**{verbatim(kind)}**")
            else:
                family, query = figure
                st.page_link(navigation.page_of(family), label=f"**{verbatim(kind)}**", icon=OPEN, query_params=query)
        named = f"{model.name} · {of}" if model is not None and "model" not in job.spec else of
        columns[1].markdown(verbatim(named))
        columns[2].markdown(verbatim(corpora.get(str(job.spec.get("corpus")), "")))
        label, icon, colour = BADGES[job.state]
        columns[3].badge(label + (f" ({ordinal(job.place)})" if job.place else ""), icon=icon, color=colour)
        columns[4].markdown(duration(job.seconds) if job.seconds and not is_active(job) else "")
        with columns[5], st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            _actions(job, corpora)
        if is_active(job):
            st.progress(job.share, text=verbatim(f"{outcome(job)}{time_left(job)}"))
        failures(job.failures)
        if why := st.session_state.get(TROUBLES, {}).get(job.id):
            st.error(verbatim(why), icon=":material/error:")


def waiting(job: Job) -> str:
    """Say what a run waits for, in lower case."""
    return f"waiting, {ordinal(job.place)} in the queue" if job.place else "waiting for a worker"


def ordinal(place: int) -> str:
    """`2nd`, as a place in the queue."""
    last = place % 10 if place % 100 // 10 != 1 else 0
    return f"{place}{ENDINGS.get(last, 'th')}"


def outcome(job: Job) -> str:
    """Return where the run stands, in one line. A run of one piece has no checkpoints to count."""
    piece = registry.piece(job.spec)
    if piece is None:
        return _outcome_of_one(job)
    standing = f"{job.done:,} of {count(job.total, piece)} done"
    match job.state:
        case "waiting":
            return waiting(job).capitalize()
        case "running":
            return standing + (f", now {job.doing}" if job.doing else "")
        case "done":
            return standing
        case "failed":
            return f"{standing}, {len(job.failures)} failed"
        case "cancelled":
            return f"{standing} before it was cancelled"


def _outcome_of_one(job: Job) -> str:
    match job.state:
        case "waiting":
            return waiting(job).capitalize()
        case "running":
            return f"Now {job.doing}" if job.doing else "Started"
        case "done":
            return "Computed"
        case "failed":
            return "Not computed"
        case "cancelled":
            return "Cancelled before it was computed"


def time_left(job: Job) -> str:
    """Say the time left, ` · about 3 min left`, or nothing while the pace is not known."""
    if job.state != "running":
        return ""
    seen = st.session_state.setdefault(SEEN, {})
    seen[job.id] = pace.add_sighting(seen.get(job.id, ()), time.time(), job.share)
    said = st.session_state.setdefault(LEFT, {})
    said[job.id] = pace.smoothed(said.get(job.id), time.time(), pace.seconds_left(seen[job.id]))
    return "" if said[job.id] is None else f" · about {duration(said[job.id][1])} left"


def failures(found: Sequence[tuple[str, str]]) -> None:
    """Each failed checkpoint with its reason as a sentence; those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for checkpoint, reason in found:
        by_reason.setdefault(reason, []).append(checkpoint)
    for reason, checkpoints in list(by_reason.items())[:FAILURES_SHOWN]:
        named = ", ".join(filter(None, checkpoints))
        st.error(verbatim(f"{named}: {reason}" if named else reason), icon=":material/error:")
    if len(by_reason) > FAILURES_SHOWN:
        st.caption(f"And {len(by_reason) - FAILURES_SHOWN} other reasons.")


def _actions(job: Job, corpora: Mapping[str, str]) -> None:
    """Draw what is pressed most beside the rest, which opens with the details."""
    now = settings()
    if is_active(job):
        if _may("cancel", job) and st.button("Cancel", key=f"cancel-{job.id}", icon=":material/cancel:", type="tertiary"):
            _try(job, lambda: client.cancel(job.id, now))
    elif job.state != "done":
        _again(job, "Go on")
    with st.popover("Details", type="tertiary", key=f"details-{job.id}"):
        by = f" by {job.by}" if job.by else ""
        st.caption(verbatim(f"{registry.details(job.spec, corpora)} · {ago(job.created_at)}{by}"))
        if is_active(job):
            return
        st.markdown(verbatim(outcome(job)))
        if job.state == "done":
            _again(job, "Run again")
        forget = "Remove from this list; its scores stay."
        if _may("forget", job) and st.button(
            "Forget", key=f"forget-{job.id}", icon=":material/delete:", type="tertiary", help=forget
        ):
            st.session_state.get(SEEN, {}).pop(job.id, None)
            _try(job, lambda: client.forget(job.id, now))


def _again(job: Job, verb: str) -> None:
    reason = "What is computed already is not computed again."
    if _may("run", job) and st.button(verb, key=f"again-{job.id}", icon=":material/replay:", type="tertiary", help=reason):
        with st.spinner("Queueing…"):
            worker.start()
            _try(job, lambda: client.submit(registry.parse(job.spec), settings()))


def _may(action: Action, job: Job) -> bool:
    return people.refusal(action, of=job.by) is None


def _try(job: Job, action: Callable[[], object]) -> None:
    """Do it and draw the list again; why it could not be done is kept for the card, which draws itself again and again."""
    troubles = st.session_state.setdefault(TROUBLES, {})
    troubles.pop(job.id, None)
    try:
        action()
    except IsoglossError as error:
        troubles[job.id] = str(error)
    st.rerun()
