"""Which emergent corpora are looked at: chosen in the side bar and in the URL, several overlaid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from isogloss.backend import people
from isogloss.backend.charts.parts.theme import COLOURS, colours_of
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.library import EmergentEntry
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing.choices import has_value
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.workspace import guard, user_workspaces, workspaces

FIRST = 4
"""Corpora chosen by default, at most."""
SEEN = "emergent-seen"
"""Session state: ids of the kept corpora when the page was drawn last."""


@dataclass(frozen=True)
class Selection:
    """Corpora by the names they are shown under, which are unique among all that are kept."""

    corpora: Mapping[str, EmergentEntry]
    """Those chosen, in the order of their names; at least one."""
    everything: Mapping[str, EmergentEntry]
    """All that are kept."""

    @property
    def ids(self) -> dict[str, str]:
        """Return the chosen corpora's ids, by name."""
        return {name: entry.id for name, entry in self.corpora.items()}

    @cached_property
    def colours(self) -> dict[str, str]:
        """Give every chosen corpus a colour, by name, the oldest first: mostly the same whatever is added or chosen.

        There are fewer colours than there may be corpora: of two chosen ones that would share one, the later takes the first
        that is free. Not to be changed: a page asks for each corpus.
        """
        by_age = sorted(self.everything, key=lambda name: (self.everything[name].created_at, name))
        colour_of = colours_of(by_age)
        taken: set[str] = set()
        for name in (each for each in by_age if each in self.corpora):
            if colour_of[name] in taken:
                colour_of[name] = next((colour for colour in COLOURS if colour not in taken), colour_of[name])
            taken.add(colour_of[name])
        return {name: colour_of[name] for name in self.corpora}


def choose() -> Selection | None:
    """Draw the controls in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    with guard():
        everything = unique_names(emergent_library.readable(workspaces()))
    if not everything:
        _lacking()
        return None
    _choose_new(everything)
    with st.sidebar:
        names = st.multiselect(
            "Corpora",
            list(everything),
            default=_first(everything),
            key="corpora",
            bind="query-params",
            placeholder="At least one",
        )
        _add_one()
    if not names:
        st.info("Choose a corpus in the side bar.", icon=":material/left_panel_open:")
        return None
    return Selection({name: everything[name] for name in everything if name in names}, everything)


def _first(everything: Mapping[str, EmergentEntry]) -> list[str] | None:
    """Choose the default corpora: one's own, the newest first, and the demo's until there are any."""
    if has_value("corpora"):
        return None
    mine = {entry.id for entry in emergent_library.entries(user_workspaces())}
    who = people.now().name
    newest = sorted(everything, key=lambda name: (everything[name].by == who, everything[name].created_at), reverse=True)
    return [name for name in newest if everything[name].id in mine][:FIRST] or list(everything)[:FIRST]


def _choose_new(everything: Mapping[str, EmergentEntry]) -> None:
    """Add to those chosen what was grown, made or imported since the page was drawn last."""
    seen: set[str] | None = st.session_state.get(SEEN)
    st.session_state[SEEN] = {entry.id for entry in everything.values()}
    if seen is None:
        return
    new = [name for name, entry in everything.items() if entry.id not in seen]
    if new and has_value("corpora"):
        chosen = [name for name in st.session_state["corpora"] if name in everything]
        st.session_state["corpora"] = list(dict.fromkeys([*chosen, *new]))


def _lacking() -> None:
    """What is needed before anything can be measured, with the way to it."""
    st.info(
        "No emergent-language corpus is saved yet. Add your own in the Library, make one below, or grow one in a signalling "
        "game.",
        icon=":material/library_add:",
    )
    _add_one()


def _add_one() -> None:
    """The way to the Library, where corpora are dropped."""
    navigation.to_library("Add a corpus", "Emergent")
