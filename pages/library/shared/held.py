"""Hold what was read and is not kept yet, one of each kind, in the session until it is named and kept or dropped."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import streamlit as st

from isogloss.backend.corpora.shared.inputs import shared_name
from isogloss.backend.corpora.shared.kept import MAX_NAME, free_name
from isogloss.backend.settings import settings
from isogloss.pages.library.shared import losses as lost
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from isogloss.backend.corpora.shared.kept import Entry, KindName
    from isogloss.backend.corpora.shared.kind import Kind
    from isogloss.backend.corpora.shared.loss import Loss


def waiting(kind: KindName) -> tuple[Any, str] | None:
    """Return what was read and not yet kept, with the name to suggest."""
    waits: tuple[Any, str] | None = st.session_state.get(_state(kind))
    return waits


def read_button(kind: KindName, *, disabled: bool = False) -> bool:
    """Draw the button “Read”, which stays pressed until the files are read (`answering`), however often the page is drawn.

    A file whose upload ends while others are read draws it again, and with that a press of an ordinary button would be lost.
    """
    st.button(
        "Read",
        icon=":material/search:",
        type="primary",
        key=f"read-{kind.split()[0]}",
        on_click=_ask,
        args=(kind,),
        disabled=disabled,
    )
    return bool(st.session_state.get(_asked(kind))) and not disabled


@contextmanager
def answering(kind: KindName) -> Iterator[None]:
    """Wrap the reading that the button asked for; a page drawn again before its end reads again, with files added since."""
    try:
        yield
    except Exception:  # not of a new drawing, which is no Exception
        not_asked(kind)
        raise
    not_asked(kind)


def not_asked(kind: KindName) -> None:
    """Release a press of “Read”."""
    st.session_state.pop(_asked(kind), None)


def hold(kind: KindName, what: object, suggested: str) -> None:
    """Hold what was read, and replace its uploader by an empty one."""
    st.session_state[_state(kind)] = (what, suggested)
    st.session_state[_drops(kind)] = drop(kind) + 1
    st.session_state.pop(_in_vain(kind), None)
    release(kind)
    not_asked(kind)
    st.rerun()


def taken(kind: KindName) -> str:
    """Key of the session state: the files that were taken here from another shelf."""
    return f"{kind}-taken"


def release(kind: KindName) -> None:
    """Let go of the files that were taken here."""
    st.session_state.pop(taken(kind), None)


def drop(kind: KindName) -> int:
    """Count the finished additions of a kind: part of the keys of widgets that must be new after each."""
    number: int = st.session_state.setdefault(_drops(kind), 0)
    return number


def let_go(kind: KindName) -> None:
    """Drop what was read."""
    st.session_state.pop(_state(kind), None)


def discard(kind: KindName) -> None:
    """Drop what was read, and draw the page again."""
    let_go(kind)
    was_in_vain(kind)
    st.rerun()


def was_in_vain(kind: KindName) -> None:
    """Say that what was read by itself was not what was meant, or could not be read."""
    st.session_state[_in_vain(kind)] = True


def by_itself(kind: KindName) -> bool:
    """Return whether files that say all themselves are read without a press: not where that was in vain the last time."""
    return _in_vain(kind) not in st.session_state


def name_and_keep(
    kind: KindName, suggested: str, keep: Callable[[str], Entry], *, same: str, losses: Sequence[Loss] = ()
) -> None:
    """Draw the name and the buttons that keep or drop what was read. Where the name is taken, a message asks for another.

    `same` names the content (`sentences`, `pairs`) in the message that it is saved already under another name. Where a file's
    `losses` are large, they are shown, and keeping the rest is not what the page proposes.
    """
    asks = lost.ask(losses)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", value=suggested, max_chars=MAX_NAME, key=f"found-{kind}-name")
        label, style = lost.GO_ON if asks else "Save", lost.importance(asks=asks)
        keeping = st.button(label, icon=":material/save:", type=style, key=f"keep-{kind}", disabled=not name.strip())
        if st.button("Discard", key=f"discard-{kind}"):
            discard(kind)
    if not keeping:
        return
    entry = attempt(lambda: keep(name))
    if entry is None:
        return
    del st.session_state[_state(kind)]
    if entry.name == " ".join(name.split()):
        notes.after_rerun(f"{verbatim(entry.name)} is saved.")
    else:
        notes.after_rerun(f"The same {same} are saved already, as {verbatim(entry.name)}.", ":material/info:")
    st.rerun()


def _state(kind: KindName) -> str:
    return f"{kind}-found"


def _ask(kind: KindName) -> None:
    st.session_state[_asked(kind)] = True


def _asked(kind: KindName) -> str:
    return f"{kind}-asked"


def _in_vain(kind: KindName) -> str:
    return f"{kind}-in-vain"


def _drops(kind: KindName) -> str:
    return f"{kind}-drops"


def suggestion(*files: str) -> str:
    """Suggest a name for what some files hold: what their names have in common, without endings."""
    return "".join(c for c in shared_name(files) if c.isprintable())[:MAX_NAME].strip()


def free(name: str, kind: Kind[Any, Any]) -> str:
    """Return the name, with a number behind it where something of the user's has it on this shelf."""
    return free_name(name, [entry.name for entry in kind.entries([settings().workspace])])
