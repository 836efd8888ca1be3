"""Whatever a client sends for a control, a page is drawn: what a control cannot hold leaves it at its default."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import WStates
from streamlit.testing.v1 import AppTest

from isogloss.pages.widgets.server import streamlit_internals
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

PAGES = (
    "home",
    "abx",
    "alignment",
    "geometry",
    "probing",
    "transfer",
    "latent",
    "tokenisers",
    "emergent",
    "relations",
    "boards",
    "library",
    "jobs",
)
SINGLE = {
    "string_value": ["", "no such thing", "x" * 5000, "{", "null"],
    "double_value": [float("nan"), float("inf"), -1e300, 0.5],
    "int_value": [0, -(2**62), 2**62],
    "bool_value": [True],
}
SEVERAL: dict[str, list[list[Any]]] = {
    "string_array_value": [[], ["no such thing"], ["no such thing"] * 2],
    "double_array_value": [[], [float("nan")], [1e300, -1e300], [0.25]],
    "int_array_value": [[7]],
}


@pytest.fixture(autouse=True)
def _as_the_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WStates, "__getitem__", WStates.__getitem__)  # restored afterwards
    streamlit_internals.take_defaults_for_what_does_not_fit()


def forged(state: WidgetState, chance: random.Random) -> WidgetState:
    """What no browser sends for a control."""
    found = WidgetState(id=state.id)
    kind = chance.choice([*SINGLE, *SEVERAL])
    if kind in SINGLE:
        setattr(found, kind, chance.choice(SINGLE[kind]))
    else:
        getattr(found, kind).data.extend(chance.choice(SEVERAL[kind]))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_no_value_breaks_a_page(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A third of the controls at a time, and what follows from it."""
    on_the_demo(monkeypatch, tmp_path)
    chance, app = random.Random(page), opened(page, {})
    for _ in range(3):
        states = app._tree.get_widget_states()
        held = [each for each in states.widgets if each.WhichOneof("value") not in ("trigger_value", None)]
        for state in chance.sample(held, (len(held) + 2) // 3):
            state.CopyFrom(forged(state, chance))
        app._run(states)
        assert not app.exception, app.exception[0].message


def controls() -> None:
    import streamlit as st

    one = st.segmented_control("View", ["a", "b"], default="b", required=True, key="view")
    several = st.multiselect("Some", ["a", "b", "c"], default=["c"], key="some")
    at = st.select_slider("ε", [0.1, 0.2, 0.3], 0.2, key="at")
    number = st.number_input("Number", 0, 10, 3, key="number")
    left = st.pills("Left out", ["a", "b"], default="a", key="left")
    box = st.selectbox("Box", ["a", "b"], 1, key="box")
    st.text(repr((one, several, at, number, left, box)))


TEXTS = "string_array_value"
DEFAULTS = "('b', ['c'], 0.2, 3, 'a', 'b')"


def sent(**values: tuple[str, Any]) -> str:
    """What the controls hold after a client has sent these, each of a kind of message."""
    app = AppTest.from_function(controls).run()
    states = app._tree.get_widget_states()
    for state in states.widgets:
        kind, value = values.get(state.id.rpartition("-")[2], ("", None))
        if isinstance(value, list):
            getattr(state, kind).data[:] = value
            getattr(state, kind).SetInParent()
        elif kind:
            setattr(state, kind, value)
    app._run(states)
    assert not app.exception
    return str(app.text[0].value)


def test_what_a_control_cannot_hold_leaves_its_default() -> None:
    assert sent() == DEFAULTS
    keys = ("view", "some", "at", "number", "left", "box")
    for kind, value in (("bool_value", True), ("int_array_value", [1]), ("json_value", "{}")):
        assert sent(**dict.fromkeys(keys, (kind, value))) == DEFAULTS
    nothing, other, twice = ([], ["d"], ["a", "a"])
    assert sent(view=(TEXTS, nothing), at=(TEXTS, nothing), number=("double_value", float("nan"))) == DEFAULTS
    assert sent(view=(TEXTS, other), box=("string_value", "d"), some=(TEXTS, twice)) == DEFAULTS


def test_what_a_control_can_hold_it_holds() -> None:
    found = sent(view=(TEXTS, ["a"]), some=(TEXTS, ["b", "a"]), number=("double_value", 4.0), left=(TEXTS, ["b"]))
    assert found == "('a', ['b', 'a'], 0.2, 4, 'b', 'b')"
    assert sent(some=(TEXTS, []), at=(TEXTS, ["0.3"]), box=("string_value", "a")) == "('b', [], 0.3, 3, 'a', 'a')"
    assert sent(number=("int_value", 4)) == "('b', ['c'], 0.2, 4, 'a', 'b')"  # as a browser sends whole numbers
