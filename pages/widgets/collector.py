"""Python's garbage collector, told not to look again at what the imports made."""

from __future__ import annotations

import atexit
import gc

import streamlit as st


@st.cache_resource(show_spinner=False)
def spare_imports(page: str) -> None:
    """Take all that lives now out of the collector's sight: once a page and server process, after the page's first run.

    A full collection goes through every object, and plotly, pandas and Streamlit have made 240,000 by then: 90 ms in which
    no thread runs, after every run of a script (`runner.postScriptGC`) and at times within one. Spared, it takes 1 ms, for the
    objects made since. What is spared is still freed by its reference count; only cycles among it are not.
    """
    del page  # the cache's key
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # else DuckDB's binding complains of leaks when the server ends
