"""List what is kept on one shelf of the Library: details, download, renaming and removal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import streamlit as st

from backend import people
from backend.corpora.covariates.library import CovariatesEntry
from backend.corpora.dictionaries.library import DictionaryEntry
from backend.corpora.shared import kept
from backend.corpora.shared.kept import MAX_NAME
from backend.corpora.word_alignments.library import AlignmentEntry
from backend.errors import IsoglossError
from backend.experiments.words import count
from backend.settings import settings
from pages.library.shared import measure
from pages.widgets import removal
from pages.widgets.choosing.selecting import unique_names
from pages.widgets.words import plain
from pages.widgets.workspace import attempt, guard, workspaces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from backend.corpora.shared.kept import Kind


Form = Literal["TSV", "CSV", "JSON Lines", "CoNLL-U"]
SUFFIXES: dict[Form, tuple[str, str]] = {
    "TSV": ("tsv", "text/tab-separated-values"),
    "CSV": ("csv", "text/csv"),
    "JSON Lines": ("jsonl", "application/jsonl"),
    "CoNLL-U": ("zip", "application/zip"),  # a file a language and part
}
Entry = TypeVar("Entry", bound=kept.Entry)
Content = TypeVar("Content")


@dataclass(frozen=True)
class Shelf(Generic[Entry, Content]):
    """How the entries of one kind are listed."""

    store: kept.Shelf[Entry]
    facts: Callable[[Entry], str]
    """The text beside the name."""
    more: Callable[[Entry], list[str]]
    """Details of the opened entry besides its licence and id."""
    load: Callable[[Entry], Content]
    show: Callable[[Entry, Content, str], None]
    """Draws the content; its text argument is a key for the widgets."""
    file: Callable[[Content], bytes]
    """The download, in the format below."""
    empty: str
    """The hint where nothing is kept."""
    form: Form = "TSV"
    scored: Literal["from", "with"] | None = "from"
    """How scores came of it: they stay after removal, and the message says so. None where none do."""

    @property
    def kind(self) -> Kind:
        """Name the kind, in keys of widgets and in messages."""
        return self.store.kind


def draw(shelf: Shelf[Entry, Content]) -> bool:
    """List every entry, its details drawn when they are opened. Returns whether any is the user's own."""
    with guard():
        known = shelf.store.entries(workspaces())
        own = {entry.id for entry in shelf.store.entries([settings().workspace])}
    if not known:
        with st.container(border=True):
            st.markdown(f"**No {shelf.kind} is saved yet.**")
            st.caption(shelf.empty)
    _just_kept(shelf, [entry for entry in known if entry.id in own], known)
    for entry in known:
        demo = "" if entry.id in own else " :gray-badge[demo]"
        key = opened_key(shelf.kind, entry.id)
        label = f"**{plain(entry.name)}**{demo} · {plain(shelf.facts(entry))}"
        with st.expander(label, key=key, on_change="rerun") as opened:
            if opened.open:
                _opened(shelf, entry, own=entry.id in own, key=key)
    return bool(own)


def _just_kept(shelf: Shelf[Entry, Content], own: Sequence[Entry], known: Sequence[Entry]) -> None:
    """Name what was just kept, with the ways to measure it."""
    new = set(measure.just_kept(shelf.kind, {entry.id: entry.name for entry in own}))
    entries = [entry for entry in own if entry.id in new]
    if not entries or not _measured(shelf.kind):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"just-kept-{shelf.kind.split()[0]}"):
        measure.label([entry.name for entry in entries])
        for entry in entries[:1]:
            _links(shelf.kind, entry, known)


def _measured(kind: str) -> bool:
    return kind in measure.CHOSEN_BY or kind in ("dictionary", "alignment", "table of covariates")


def _links(kind: str, entry: kept.Entry, known: Sequence[kept.Entry]) -> None:
    """Draw the links of an entry, by the name that the pages call it."""
    name = next(name for name, each in unique_names(known).items() if each.id == entry.id)
    if isinstance(entry, DictionaryEntry):
        measure.dictionary_links(entry, name)
    elif isinstance(entry, AlignmentEntry):
        measure.dictionary_links(entry, f"{name} (alignment)")
    elif isinstance(entry, CovariatesEntry):
        measure.covariate_links(entry)
    else:
        measure.links(kind, name)


def origin(source: str | None) -> list[str]:
    """Return where an entry is from, where that is known."""
    return [f"from {source}"] if source else []


def in_memory(load: Callable[[str, Sequence[Path]], Content]) -> Callable[[Entry], Content]:
    """Make what loads the content of an entry by its id, or returns what an earlier call loaded for the same entry.

    The whole entry is the key: its name is part of what the content's report says.
    """

    def loaded(entry: Entry) -> Content:
        content: Content = _loaded(load, entry)
        return content

    return loaded


@st.cache_resource(max_entries=6, show_spinner=False)
def _loaded(_load: Callable[[str, Sequence[Path]], Any], entry: kept.Entry) -> Any:
    return _load(entry.id, workspaces())


def opened_key(kind: Kind, entry_id: str) -> str:
    """Key of the session state that says whether the entry is open."""
    return f"{kind}-{entry_id[:12]}"


def _opened(shelf: Shelf[Entry, Content], entry: Entry, *, own: bool, key: str) -> None:
    licence = [entry.licence] if entry.licence else []
    since = f"saved {entry.created_at.astimezone():%-d %b %Y}" + (f" by {entry.by}" if entry.by else "")
    st.caption(plain(" · ".join([*shelf.more(entry), *licence, since, f"id {entry.id}"])))
    try:
        content = shelf.load(entry)
    except IsoglossError as error:
        if entry.names_only:
            st.info(plain(str(error)), icon=":material/info:")
        else:
            st.error(plain(str(error)), icon=":material/error:")
        _actions(shelf, entry, None, own=own, key=key)
        return
    _odd(entry.warnings)
    shelf.show(entry, content, key)
    _actions(shelf, entry, lambda: shelf.file(content), own=own, key=key)


def _odd(warnings: Sequence[str]) -> None:
    """Show the reader's warnings, folded away since they were shown when the entry was added."""
    if warnings:
        with st.expander(count(len(warnings), "warning"), icon=":material/warning:"):
            for warning in warnings:
                st.markdown(f"- {plain(warning)}")


def _actions(shelf: Shelf[Entry, Content], entry: Entry, file: Callable[[], bytes] | None, *, own: bool, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if file is not None:
            suffix, mime = SUFFIXES[shelf.form]
            st.download_button(
                f"Download {shelf.form}",
                data=file,
                file_name=f"{re.sub(r'[^a-z0-9]+', '-', entry.name.lower()).strip('-') or shelf.kind}.{suffix}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                key=f"{key}-{suffix}",
            )
        _links(shelf.kind, entry, shelf.store.entries(workspaces()))
        if not own:
            st.caption("Part of the demo workspace, which is read-only.")
            return
        if not people.refusal("rename") and st.button("Rename", icon=":material/edit:", key=f"{key}-rename"):
            st.dialog(f"Rename this {shelf.kind}")(_rename)(shelf, entry)
        if not people.refusal("remove") and st.button("Remove", icon=":material/delete:", key=f"{key}-remove"):
            _ask(shelf, entry)


def _rename(shelf: Shelf[Entry, Content], entry: Entry) -> None:
    name = st.text_input("Name", value=entry.name, max_chars=MAX_NAME, key=f"rename-{shelf.kind}")
    if st.button("Rename", type="primary", key=f"rename-{shelf.kind}-yes", disabled=not name.strip()):
        if attempt(lambda: shelf.store.rename(entry.id, name, settings().workspace)) is None:
            return
        # Another label makes another expander, which would be closed.
        st.session_state[opened_key(shelf.kind, entry.id)] = True
        st.rerun()


def _ask(shelf: Shelf[Entry, Content], entry: Entry) -> None:
    def remove() -> str:
        shelf.store.remove(entry.id, settings().workspace)
        return f"{plain(entry.name)} is removed."

    stays = f" The scores computed {shelf.scored} it stay." if shelf.scored else ""
    what = f"**{plain(entry.name)}** is deleted from the workspace.{stays}"
    removal.ask(f"Remove this {shelf.kind}?", what, remove, f"remove-{shelf.kind}")
