"""Files that belong on another shelf than the one they were dropped on: said in a sentence, and taken there at a press."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend.corpora.guess import other_kind
from isogloss.backend.corpora.shared.inputs import listed, printable
from isogloss.pages.library.shared import held
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.kept import KindName
    from isogloss.pages.library.shared.upload import Dropped

TITLES: dict[KindName, str] = {
    "corpus": "Corpora",
    "dictionary": "Dictionaries",
    "alignment": "Alignments",
    "task": "Tasks",
    "tagged corpus": "Tagged text",
    "emergent corpus": "Emergent",
    "table of covariates": "Covariates",
}
"""The shelf of each kind."""
LOOKED_AT, NAMED = 50, 5
"""Files of one drop that are looked at, and that are named."""


def taken_here(kind: KindName) -> list[Dropped]:
    """List the files that were taken here from another shelf, with a button that leaves them out."""
    files: list[Dropped] = st.session_state.get(held.taken(kind), [])
    if files:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/pending: {verbatim(listed([printable(file.name) for file in files], NAMED))}")
            st.button("Leave out", key=f"leave-out-{kind.split()[0]}", on_click=held.release, args=(kind,))
    return files


def belong_here(kind: KindName, files: Sequence[Dropped]) -> bool:
    """Return whether all files may be of this kind; where not, say where they belong, with a press that takes them there."""
    here = f"{kind}-here-{held.drop(kind)}"
    guesses = [other_kind(kind, file.name, file) for file in files[:LOOKED_AT]]
    other = next((each for each in guesses if each is not None), None)
    if other is None or st.session_state.get(here):
        return True
    theirs = [file for file, guess in zip(files, guesses, strict=False) if guess == other]
    named = verbatim(listed([printable(file.name) for file in theirs], NAMED))
    belongs = "this belongs" if len(theirs) == 1 else "these belong"
    st.info(f"{named}: by the first lines {belongs} on the shelf **{TITLES[other]}**.", icon=":material/move_item:")
    with st.container(horizontal=True):
        rest = [file for file in files if file not in theirs]
        label = f"Take to {TITLES[other]}"
        st.button(label, type="primary", key=f"take-{kind.split()[0]}", on_click=_take, args=(kind, other, theirs, rest))
        st.button("Read here", key=f"here-{kind.split()[0]}", on_click=st.session_state.__setitem__, args=(here, True))
    return False


def _take(kind: KindName, other: KindName, theirs: list[Dropped], rest: list[Dropped]) -> None:
    st.session_state[held.taken(other)], st.session_state[held.taken(kind)] = theirs, rest
    st.session_state["shelf"], st.session_state[f"add-{TITLES[other]}"] = TITLES[other], True
