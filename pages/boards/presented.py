"""A board before a group: one figure fills the window; keys lead to the next, to its other layers and to its notes."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.again import Again
from isogloss.backend.boards.layers import at_layer, layer_of, named_at
from isogloss.backend.boards.records import Opened, Pin
from isogloss.backend.boards.titles import title_of
from isogloss.backend.charts.parts.projector import enlarged
from isogloss.backend.charts.parts.theme import config
from isogloss.pages.boards import pinned
from isogloss.pages.widgets.figures import present
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard

LAYERS, NOTES = "board-layers", "board-notes"
"""Session state: the layer that each pin was turned to, and whether notes are shown."""
TAKEN, NOTES_TAKE = "6.5rem", "12rem"
"""Heights of all but the figure and the notes, and of the notes."""
STYLE = f"""<style>
.st-key-presented.st-key-presented {{ --taken: %s; }}
.st-key-presented-notes {{ max-height: {NOTES_TAKE}; overflow-y: auto; }}
.st-key-presented-notes p {{ font-size: 1.25rem; }}
.st-key-presented .st-key-presented-text {{
  min-height: calc(100vh - 5.5rem); max-height: calc(100vh - 5.5rem); overflow-y: auto; padding: 8vh 8vw 0;
}}
.st-key-presented [data-testid=stHeaderActionElements] {{ display: none; }}
.st-key-presented-text h2 {{ font-size: 3rem; }}
.st-key-presented-text :is(p, li, td, th) {{ font-size: 1.75rem; line-height: 1.5; }}
</style>"""


def button() -> None:
    """Draw the button that presents the board from its first figure."""
    show = partial(st.session_state.update, {present.KEY: "1", LAYERS: {}})
    st.button("Present", icon=":material/slideshow:", type="primary", key="board-present", on_click=show)


def draw(on: Opened) -> bool:
    """Draw the figure that is presented; returns whether one is. A link to one that is there no more shows the last."""
    asked = st.session_state.get(present.KEY, "")
    if not asked or not on.pins:
        return False
    place = min(max(int(asked), 1), len(on.pins))
    pin = on.pins[place - 1]
    layer, before = st.session_state.setdefault(LAYERS, {}).get(pin.id), layer_of(pin.recipe)
    notes = on.notes.get(pin.id, ())
    hints = ["← → figure", *(["↑ ↓ layer"] if before is not None else []), *(["n notes"] if notes and not pin.is_text else [])]
    with present.alone(hints, partial(_press, on, place)), guard():
        at = _at(pin, layer)
        notes_shown = bool(notes) and not pin.is_text and st.session_state.get(NOTES, False)
        st.html(STYLE % (f"calc({TAKEN} + {NOTES_TAKE})" if notes_shown else TAKEN))
        if pin.is_text:
            st.markdown(f":gray[{place} of {len(on.pins)}]")
            with st.container(key="presented-text"):
                for note in notes:
                    pinned.text_of(note, signed=False)
            return True
        shown = pinned.drawn(on.board.id, at)
        st.markdown(f"### {verbatim(title_of(at, shown.rests_on))} :gray[{place} of {len(on.pins)}]")
        if shown.said and layer is None:
            st.caption(verbatim(shown.said))
        _figure(shown, at)
        if notes_shown:
            with st.container(key="presented-notes"):
                for note in notes:
                    pinned.text_of(note)
    return True


def _figure(shown: Again, pin: Pin) -> None:
    if shown.picture is None:
        pinned.table(shown, "presented-rows", pin.alt, height=560)
    else:
        drawn = enlarged(shown.picture)
        st.plotly_chart(
            drawn, key="presented-figure", config=config(pin.name), alt=pin.alt, theme="streamlit", height="stretch"
        )


def _at(pin: Pin, layer: int | None) -> Pin:
    if layer is None or (before := layer_of(pin.recipe)) is None:
        return pin
    name, title = (named_at(each, before, layer) for each in (pin.name, pin.title))
    return pin.model_copy(update={"recipe": at_layer(pin.recipe, layer), "name": name, "title": title})


def _press(on: Opened, place: int, key: str) -> None:
    """Go to the figure before or after, to the next layer with scores, or show and hide the notes."""
    pin = on.pins[place - 1]
    if key in ("ArrowLeft", "ArrowRight"):
        to = place + (1 if key == "ArrowRight" else -1)
        st.session_state[present.KEY] = str(min(max(to, 1), len(on.pins)))
    elif key == "n":
        st.session_state[NOTES] = not st.session_state.get(NOTES, False)
    elif (before := layer_of(pin.recipe)) is not None:
        layer = st.session_state[LAYERS].get(pin.id, before) + (1 if key == "ArrowUp" else -1)
        if layer == before:
            st.session_state[LAYERS].pop(pin.id, None)
        elif not pinned.drawn(on.board.id, _at(pin, layer)).as_pinned:
            st.session_state[LAYERS][pin.id] = layer
