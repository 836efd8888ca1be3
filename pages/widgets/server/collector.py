"""What a server tidies up between runs: Python's garbage every few seconds, and every hour what killed servers left behind.

The garbage collector is told not to look again at what the imports made.
"""

from __future__ import annotations

import atexit
import gc
import time

import streamlit as st

from isogloss.backend.jobs import memory
from isogloss.backend.settings import settings
from isogloss.backend.store import cache

PAUSE = 2.0
"""Seconds from one collection to the next."""
REST = 10.0
"""Seconds from one time that memory is given back to the system to the next: what large figures were made of stays else."""
_last = _given_back = 0.0
HOUR = 3600.0
_tidied = -HOUR


@st.cache_resource(show_spinner=False)
def spare_imports(page: str) -> None:
    """Take all that lives now out of the collector's sight: once a page and server process, after the page's first run.

    A full collection goes through every object, and plotly, pandas and Streamlit have made 240,000 by then: 90 ms in which
    no thread runs. Spared, it takes 1 ms for one visitor, for the objects made since; some 40 ms for twenty. What is spared is
    still freed by its reference count; only cycles among it are not.
    """
    del page  # the cache's key
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # else DuckDB's binding complains of leaks when the server ends


def collect_at_times() -> None:
    """Collect garbage, where the last collection was some seconds ago.

    Streamlit's own, after each run (`runner.postScriptGC`), is off: with twenty people it took 28% of the server's time.
    Figures are cycles, and wait for a collection: with none at all, memory would grow between those that Python itself makes.
    """
    global _last, _given_back
    now = time.monotonic()
    if now - _given_back >= REST:
        memory.give_back()
        _last = _given_back = time.monotonic()
    elif now - _last >= PAUSE:
        gc.collect()
        _last = time.monotonic()


def tidy_at_times() -> None:
    """Remove dropped files that a killed server was reading a day ago: in this server's first run, and every hour."""
    global _tidied
    if time.monotonic() - _tidied >= HOUR:
        _tidied = time.monotonic()
        cache.remove_idle_uploads(settings().workspace, cache.STALE_SECONDS)
        cache.forget_stale_layers(settings().workspace)
