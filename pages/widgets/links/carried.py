"""What was chosen once follows to the other views and pages: model, checkpoint, layer and pair of languages.

Controls of the same key keep their value by themselves, on every page. Here are those that ask for the same thing under
several keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.server import streamlit_internals
from isogloss.pages.widgets.server.streamlit_internals import Control

CHOSEN, SEEN = "carried", "carried-seen"
"""Session state: what was chosen last, by what it is; and by control, what was seen in it last."""
TEMPLATES: dict[str, str] = {
    "pair_model": "{model}",
    "at_model": "{model}",
    "compare_model": "{model}",
    "pair_checkpoint": "{checkpoint}",
    "at_checkpoint": "{checkpoint}",
    "pair_layer": "{layer}",
    "at_layer": "{layer}",
    "at_probe": "layer {layer}",
    "pair_source": "{source}",
    "pair_target": "{target}",
    "at_pair": "{source} → {target}",
}
"""How each control says it, by its key."""
LANGUAGES = ("pair_source", "pair_target")
"""Controls that say a language by its name."""


def remember(controls: Sequence[Control]) -> None:
    """Keep what was chosen since the run before, or came with a link."""
    seen: dict[str, str] = st.session_state.setdefault(SEEN, {})
    for control in controls:
        if control.key not in TEMPLATES or len(control.texts) != 1:
            continue
        (text,) = control.texts
        if text != seen.get(control.key) and (control.key in seen or not control.at_default):
            st.session_state.setdefault(CHOSEN, {}).update(parts(control.key, text))
        seen[control.key] = text


def fill_in(asked: Mapping[str, Sequence[str]]) -> None:
    """Let controls that are new to the page start with what was chosen elsewhere, where the link does not say otherwise.

    Not on the way through the browser's history: there the address alone counts.
    """
    chosen: dict[str, str] = st.session_state.get(CHOSEN, {})
    if not chosen or streamlit_internals.is_history_navigation():
        return
    more = {key: [text] for key in TEMPLATES if key not in asked and (text := _said(key, chosen)) is not None}
    streamlit_internals.start_from({**{key: list(texts) for key, texts in asked.items()}, **more})


def parts(key: str, text: str) -> dict[str, str]:
    """Return what a control's text says, by what it is: `{"source": "ar", "target": "en"}`."""
    if key in LANGUAGES:
        return {key.removeprefix("pair_"): text.rpartition(" · ")[2]}
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(TEMPLATES[key]))
    match = re.fullmatch(pattern, text)
    return match.groupdict() if match else {}


def _said(key: str, chosen: Mapping[str, str]) -> str | None:
    try:
        text = TEMPLATES[key].format(**chosen)
    except KeyError:
        return None
    return language_name(text) if key in LANGUAGES else text
