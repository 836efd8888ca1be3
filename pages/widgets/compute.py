"""What is not computed yet: said as such, priced, computed at a press, and watched while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from backend.errors import IsoglossError
from backend.experiments.estimate import Estimate
from backend.jobs import client, slots
from backend.jobs.client import Job
from backend.jobs.families import AnySpec
from backend.settings import settings

WATCHED = "watched-runs"
"""Session state: the runs that this page started, until they are over."""


def offer(spec: AnySpec, sentence: str, estimate: Callable[[dict[str, object]], Estimate | None], key: str) -> None:
    """Say what is missing and what computing just that will cost; a press submits it. While it runs, show its progress."""
    run = running(spec)
    if run is None:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/hourglass_empty: {sentence}")
            cost = _cost(estimate)
            if st.button(f"Compute ({cost})" if cost else "Compute", key=key, type="primary", icon=":material/play_arrow:"):
                submit(spec)
                st.rerun()
    else:
        watch(run)


def _cost(estimate: Callable[[dict[str, object]], Estimate | None]) -> str:
    for worker in slots.alive(settings().workspace):
        if found := estimate(worker):
            return found.text
    return ""


def submit(spec: AnySpec) -> None:
    """Queue the spec, starting a worker where none is alive."""
    try:
        if client.ensure_worker(settings()):
            with st.spinner("Starting a worker…"):
                client.client(settings())
        st.session_state.setdefault(WATCHED, {})[spec.id] = client.submit(spec, settings())
    except IsoglossError as error:
        st.error(str(error), icon=":material/error:")
        st.stop()


def running(spec: AnySpec) -> str | None:
    """The id of the run of this spec that this page started and that is not over, or None."""
    return st.session_state.get(WATCHED, {}).get(spec.id)


@st.fragment(run_every=1.0)
def watch(run_id: str) -> None:
    """The run's progress, refreshed by itself; when it is over, the page is drawn again with what it gave."""
    job = client.job(run_id, settings())
    with st.container(border=True):
        if job is None:
            st.progress(0.0, text="Waiting for the queue…")
            return
        st.progress(job.share, text=in_words(job))
        for label, reason in job.failures:
            st.error(f"{label}: {reason}" if label else reason, icon=":material/error:")
        if job.state in {"waiting", "running"}:
            if st.button("Cancel", key=f"cancel-{run_id}", type="tertiary", icon=":material/cancel:"):
                client.cancel(run_id, settings())
        elif not job.failures or st.button("Close", key=f"close-{run_id}", type="tertiary", icon=":material/close:"):
            _forget([run_id])
            st.rerun()


def _forget(run_ids: Sequence[str]) -> None:
    watched = st.session_state.get(WATCHED, {})
    for spec_id in [spec_id for spec_id, run_id in watched.items() if run_id in run_ids]:
        del watched[spec_id]


def in_words(job: Job) -> str:
    """One line on where a run stands."""
    match job.state:
        case "waiting":
            return "Waiting for a worker"
        case "done":
            return f"Done: {job.done} of {job.total}"
        case "failed":
            return f"{job.done} of {job.total} done, {len(job.failures)} failed"
        case "cancelled":
            return f"Cancelled: {job.done} of {job.total} done"
        case "running":
            doing = f", now {job.doing}" if job.doing else ""
            return f"{job.done} of {job.total} done{doing}"
