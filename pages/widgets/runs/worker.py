"""The workers of this machine in one line: what they compute on, in which precision, and why."""

from __future__ import annotations

import time

import streamlit as st

from isogloss.backend import people
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.pricing.machine import Machine
from isogloss.backend.jobs import slots, starter
from isogloss.backend.settings import Settings, settings
from isogloss.pages.widgets.words import verbatim

STARTED = "worker-started-at"
"""Session state: when this session asked for a worker."""
TROUBLE = "worker-trouble"
"""Session state: why no worker could be started when this session asked for one. Kept: the pages draw themselves again."""
PATIENCE_SECONDS = 30


def line() -> None:
    """Badges for the living workers; where there is none, a button that starts one."""
    now = settings()
    alive = slots.alive(now.workspace)
    if not alive:
        offer_worker("start-worker")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for report in alive:
            _badge(report.machine)
    st.session_state.pop(TROUBLE, None)


def offer_worker(key: str) -> None:
    """Where no worker is alive on this machine: that, and a button (`key` its own) that starts one. Nothing where one is."""
    now = settings()
    if slots.alive(now.workspace):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _absent(now, key)
    if why := st.session_state.get(TROUBLE):
        st.error(verbatim(why), icon=":material/error:")


def _badge(machine: Machine | None) -> None:
    if machine is None:
        st.badge("Worker starting", icon=":material/hourglass_top:", color="orange")
        return
    st.badge("Worker ready", icon=":material/memory:", color="green")
    why = machine.why_precision.removeprefix(f"{machine.precision}: ")
    st.caption(verbatim(f"{machine.device} · {machine.precision}" + (f" ({why})" if why else "")))


def _absent(now: Settings, key: str) -> None:
    if asked_lately():
        st.badge("Worker starting", icon=":material/hourglass_top:", color="orange")
        return
    st.badge("No worker on this machine", icon=":material/power_off:", color="gray")
    if people.refusal("run"):
        return
    if st.button("Start a worker", icon=":material/power_settings_new:", key=key, type="tertiary"):
        start()
        st.rerun()
    if STARTED in st.session_state and TROUBLE not in st.session_state:
        st.caption(verbatim(f"The last one is gone: {now.workspace / 'jobs' / 'worker.log'} on the server says why."))


def asked_lately() -> bool:
    """Return whether this session asked for a worker so lately that it may still be starting."""
    return bool(time.time() - st.session_state.get(STARTED, 0.0) < PATIENCE_SECONDS)


def ask() -> None:
    """Start a worker if none is alive. Raises `StoreError` where the workspace cannot be written."""
    starter.ensure_worker(settings())
    st.session_state[STARTED] = time.time()
    st.session_state.pop(TROUBLE, None)


def start() -> None:
    """Start a worker if none is alive; an expected error is shown by `line`, and nothing after this call is done."""
    try:
        ask()
    except IsoglossError as error:
        st.session_state[TROUBLE] = str(error)
        st.rerun()
