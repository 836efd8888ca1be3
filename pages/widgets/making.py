"""A file that takes a while to make: made beside the page, which says how far it is, and then taken away."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from isogloss.pages.widgets.words import verbatim

Progress = Callable[[float, str], object]
"""Is told the share done, 0 to 1, and what is in hand."""


@dataclass
class _Making:
    """A zip in the making; one thread writes it, the page reads it."""

    of: str
    share: float = 0.0
    what: str = "Reading scores"
    made: bytes = b""
    error: str = ""
    done: bool = False


def offer(key: str, of: str, what: str, file: str, make: Callable[[Progress], bytes]) -> None:
    """Draw the button (`what` is on it) that has a zip of something (`of`) made, how far it is, and its download as `file`."""
    slot = f"{key}-made"
    making: _Making | None = st.session_state.get(slot)
    if st.button(what, type="primary", key=f"{key}-make", disabled=making is not None and not making.done):
        st.session_state[slot] = making = _Making(of)
        threading.Thread(target=_make, args=(making, make), daemon=True).start()  # a rerun of the page would end it half-way
        st.rerun()
    if making is None or making.of != of:
        return
    if not making.done:
        _progress(making)
    elif making.error:
        st.error(verbatim(making.error), icon=":material/error:")
    else:
        label = f"Download ({len(making.made) / 1e6:.1f} MB)"
        st.download_button(label, making.made, file, "application/zip", on_click="ignore", key=key)


@st.fragment(run_every=1.0)
def _progress(making: _Making) -> None:
    """Draw how far a zip is, and the page again once it is made."""
    if making.done:
        st.rerun()
    st.progress(making.share, verbatim(making.what))


def _make(making: _Making, make: Callable[[Progress], bytes]) -> None:
    """Make a zip, beside the page."""

    def tell(share: float, what: str) -> None:
        making.share, making.what = min(share, 1.0), what

    try:
        making.made = make(tell)
    except Exception as error:  # noqa: BLE001 — nobody else would say it
        making.error = str(error) or type(error).__name__
    making.done = True
