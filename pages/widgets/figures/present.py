"""A figure alone in the window, for a projector: `?present=2` is the second figure of the page.

Arrow keys step the layer and the checkpoint (or the first other select box), escape leaves. Everything else of the page is
drawn as ever, but not seen: its select boxes are what the keys turn, and a link restores all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import streamlit as st

from isogloss.pages.widgets.server import streamlit_internals

KEY, COUNT, BOXES, KEYS = "present", "present-count", "present-boxes", "present-keys"
"""Session state: which figure is alone, how many were drawn in this run, the options of select boxes, and the pressed key."""
OWN = ("at_", "pair_", "of_", "compare", "best_")
"""Keys of the select boxes above a figure, which say what of the selection it shows, begin so."""
UNSEEN = "<style>.st-key-present-control { display: none; }</style>"
STYLE = """<style>
[data-testid=stApp] { visibility: hidden; }
.st-key-presented, .st-key-presented * { visibility: visible; }
.st-key-presented { position: fixed; inset: 0; z-index: 1000000; padding: 1rem 1.5rem .5rem; width: 100vw; height: 100vh;
  --taken: 3.5rem; }
.st-key-presented [data-testid=stFullScreenFrame], .st-key-presented .stPlotlyChart {
  height: calc(100vh - var(--taken)) !important; }
.st-key-presented [data-testid=stElementToolbar] { display: none; }
</style>"""
_keys = st.components.v2.component(
    "isogloss_present",
    html='<div class="hint"></div>\n<button type="button">Leave</button>',
    css=".hint, button { font-size: 14px; opacity: .7; color: var(--st-text-color); }\n"
    ":host { display: block; } button { border: 0; background: none; cursor: pointer; float: right; margin-top: -1.3em; }",
    js=Path(__file__).with_name("present.js").read_text(encoding="utf-8"),
)


def begin() -> None:
    """Read which figure is alone: call before any figure is drawn."""
    st.session_state[COUNT], st.session_state[BOXES] = 0, {}
    asked = streamlit_internals.asked_for().get(KEY, [""])[-1]
    if streamlit_internals.is_history_navigation() or KEY not in st.session_state:
        st.session_state[KEY] = asked if asked.isdecimal() else ""
    if st.session_state[KEY]:
        with st.container(key="present-control"):  # it holds the place in the address
            st.html(UNSEEN)
            st.text_input("Figure shown alone", key=KEY, bind="query-params")


def offers(key: str, label: str, options: Sequence[object]) -> None:
    """Take note of a select box that arrow keys may turn."""
    st.session_state.setdefault(BOXES, {})[key] = (label, list(options))


def is_alone() -> bool:
    """Count a figure; returns whether it is the one that fills the window."""
    st.session_state[COUNT] = st.session_state.get(COUNT, 0) + 1
    return str(st.session_state[COUNT]) == st.session_state.get(KEY)


def button(closes: str) -> None:
    """Draw the button of the figure drawn last, in the popover `closes`, which would stay open above it."""
    place = st.session_state.get(COUNT, 0)
    show = partial(st.session_state.update, {KEY: str(place), closes: False})
    st.button("Present", icon=":material/slideshow:", type="tertiary", key=f"present-{place}", on_click=show)


@contextmanager
def stage() -> Iterator[None]:
    """Fill the window with a figure of the page, drawn within."""
    across, down = _turned()
    boxes = st.session_state[BOXES]
    arrows = [f"{keys} {boxes[key][0].lower()}" for keys, key in (("← →", across), ("↑ ↓", down)) if key]
    with alone(arrows, _turn):
        yield


@contextmanager
def alone(hints: Sequence[str], press: Callable[[str], object]) -> Iterator[None]:
    """Fill the window with what is drawn within; `press` is told each key but Escape, which leaves."""

    def pressed() -> None:
        if (key := str(st.session_state[KEYS].pressed)) == "Escape":
            st.session_state[KEY] = ""
        else:
            press(key)

    st.html(STYLE)
    with st.container(key="presented", gap=None):
        yield
        _keys(key=KEYS, data={"hint": " · ".join([*hints, "Esc leaves"])}, on_pressed_change=pressed)


def _turned() -> tuple[str | None, str | None]:
    """Return the keys of the boxes that horizontal and vertical arrows turn: a figure's own, not those beside the page."""
    boxes: dict[str, tuple[str, list[object]]] = st.session_state.get(BOXES, {})
    able = [key for key, (_, options) in boxes.items() if len(options) > 1 and key.startswith(OWN)]
    down = next((key for key in able if key.endswith(("layer", "probe"))), None)
    across = next((key for key in able if key.endswith("checkpoint")), None)
    return across or next((key for key in able if key != down), None), down


def _turn(pressed: str) -> None:
    across, down = _turned()
    key, by = {"ArrowLeft": (across, -1), "ArrowRight": (across, 1), "ArrowUp": (down, 1), "ArrowDown": (down, -1)}.get(
        pressed, (None, 0)
    )
    if key is None or key not in st.session_state:
        return
    _, options = st.session_state[BOXES][key]
    if st.session_state[key] in options:
        place = options.index(st.session_state[key]) + by
        st.session_state[key] = options[min(max(place, 0), len(options) - 1)]
