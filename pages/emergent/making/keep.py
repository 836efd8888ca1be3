"""What every form that makes a corpus at a press does then: keep it, say so, and look at it."""

from __future__ import annotations

from collections.abc import Callable, Collection

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.library import EmergentEntry
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt, workspaces


def keep(make: Callable[[], EmergentEntry], name: str, selection: Selection | None) -> None:
    """Make the corpus `name` and look at it, among those looked at already; where it cannot be made, that is said."""
    with st.spinner(f"Making {verbatim(name)} …", show_time=True):
        entry = attempt(lambda: _made(make))
    if entry is None:
        return
    if entry.name == name:
        notes.after_rerun(f"{verbatim(name)} is saved.")
    else:
        notes.after_rerun(f"The same utterances are saved already, as {verbatim(entry.name)}.", ":material/info:")
    look_at({entry.id}, selection, str(st.session_state.get("view") or "Overview"))


def _made(make: Callable[[], EmergentEntry]) -> EmergentEntry:
    people.require("import")  # before it takes its time
    return make()


def look_at(ids: Collection[str], selection: Selection | None, view: str) -> None:
    """Draw the page again, in this view, with these corpora chosen too."""
    known = unique_names(emergent_library.entries(workspaces()))
    chosen = list(selection.corpora) if selection else []
    new = [name for name, entry in known.items() if entry.id in ids and name not in chosen]
    open_cell(view, corpora=[*chosen, *new])
