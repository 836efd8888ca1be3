"""Runs as cards: what each computes, where it stands, why it failed, and what can be done with it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

import streamlit as st

from backend import people
from backend.errors import IsoglossError
from backend.experiments import registry
from backend.experiments.estimate import duration
from backend.experiments.words import count
from backend.jobs import client, pace
from backend.settings import settings
from pages.widgets.runs import worker
from pages.widgets.words import ago, verbatim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from backend.jobs.job import Job, State
    from backend.people import Action

Colour = Literal["gray", "blue", "green", "red", "orange"]
BADGES: dict[State, tuple[str, str, Colour]] = {
    "waiting": ("Waiting", ":material/schedule:", "gray"),
    "running": ("Running", ":material/progress_activity:", "blue"),
    "done": ("Done", ":material/check:", "green"),
    "failed": ("Failed", ":material/error:", "red"),
    "cancelled": ("Cancelled", ":material/block:", "orange"),
}
SEEN = "runs-seen"
"""Session state: run id → sightings of its progress, for the time that is left."""
TROUBLES = "runs-troubles"
"""Session state: run id → why what was last asked of it could not be done."""
FAILURES_SHOWN = 5
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def is_active(job: Job) -> bool:
    """Return whether the run waits or runs."""
    return job.state in ("waiting", "running")


def card(job: Job, corpora: Mapping[str, str]) -> None:
    """One run. `corpora` is content id → name."""
    with st.container(border=True, gap="small", key=f"run-{job.id}"):
        label, icon, colour = BADGES[job.state]
        label += f" ({ordinal(job.place)})" if job.place else ""
        with st.container(horizontal=True, vertical_alignment="center"):
            st.badge(label, icon=icon, color=colour)
            st.markdown(f"**{verbatim(registry.title(job.spec))}**", width="stretch")
            _actions(job)
        by = f" by {job.by}" if job.by else ""
        st.caption(verbatim(f"{registry.details(job.spec, corpora)} · {ago(job.created_at)}{by}"))
        if is_active(job):
            st.progress(job.share, text=verbatim(f"{outcome(job)}{time_left(job)}"))
        else:
            st.markdown(verbatim(f"{outcome(job)}{took(job)}"))
        failures(job.failures)
        if why := st.session_state.get(TROUBLES, {}).get(job.id):
            st.error(verbatim(why), icon=":material/error:")


def took(job: Job) -> str:
    """Say how long the run was computed, without its time in the queue: ` · took 3 min`; nothing where that is not known."""
    seconds = job.seconds if job.seconds is not None else job.finished_at - job.created_at if job.finished_at else 0.0
    return f" · took {duration(seconds)}" if seconds else ""


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
    standing = f"{job.done} of {count(job.total, piece)} done"
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
    seconds = pace.seconds_left(seen[job.id])
    return "" if seconds is None else f" · about {duration(seconds)} left"


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


def _actions(job: Job) -> None:
    now = settings()
    if is_active(job):
        if _may("cancel", job) and st.button("Cancel", key=f"cancel-{job.id}", icon=":material/cancel:", type="tertiary"):
            _try(job, lambda: client.cancel(job.id, now))
        return
    again = "Go on" if job.state in ("failed", "cancelled") else "Run again"
    reason = "What is computed already is not computed again."
    if _may("run", job) and st.button(again, key=f"again-{job.id}", icon=":material/replay:", type="tertiary", help=reason):
        with st.spinner("Queueing…"):
            worker.start()
            _try(job, lambda: client.submit(registry.parse(job.spec), now))
    forget = "Remove from this list; its scores stay."
    if _may("forget", job) and st.button(
        "Forget", key=f"forget-{job.id}", icon=":material/delete:", type="tertiary", help=forget
    ):
        st.session_state.get(SEEN, {}).pop(job.id, None)
        _try(job, lambda: client.forget(job.id, now))


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
