"""A shelf of the Library: what is kept of one kind, with details, download, renaming and removal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.kept import MAX_NAME
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.library.shared import adding, left_out, measure, several
from isogloss.pages.widgets import removal
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt, guard, workspaces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.backend.corpora.shared.kept import KindName
    from isogloss.backend.corpora.shared.kind import Kind

Form = Literal["TSV", "CSV", "JSON Lines", "CoNLL-U"]
SUFFIXES: dict[Form, tuple[str, str]] = {
    "TSV": ("tsv", "text/tab-separated-values"),
    "CSV": ("csv", "text/csv"),
    "JSON Lines": ("jsonl", "application/jsonl"),
    "CoNLL-U": ("zip", "application/zip"),  # a file a language and part
}
E = TypeVar("E", bound=kept.Entry)
C = TypeVar("C")
V = TypeVar("V")


@dataclass(frozen=True)
class Shelf(Generic[E, C, V]):
    """How content of one kind is asked for, listed and shown."""

    kind: Kind[E, C]
    title: str
    heading: str
    """Over what adds to it."""
    ask: Callable[[], None]
    """Draw what asks for new content."""
    empty: str
    """The hint where nothing is kept."""
    facts: Callable[[E], str]
    """An entry's size in words."""
    contains: str
    """What its content is a list of."""
    show: Callable[[V, str, str], None]
    """Draw the content; its text arguments are a key for the widgets and a label."""
    file: Callable[[V], bytes]
    """The download, in the format below."""
    links: Callable[[E, str], None]
    """Draw the links to the pages that measure an entry, by the name that they call it."""

    form: Form = "TSV"
    format_first: bool = False
    """Whether the format stands beside the name, and not among the details."""
    same: str = ""
    """What is saved already, where that is not what its content is a list of."""
    more: Callable[[E], list[str]] = lambda _entry: []
    """Further details of an entry."""
    passed_over: Callable[[E], list[str]] = lambda _entry: []
    """What its reader passed over without listing it."""
    source: Callable[[E], str | None] = lambda _entry: None
    """Where an entry is from, where that is known."""
    suggest: Callable[[C], str] = lambda content: content.report.format  # type: ignore[attr-defined]
    """A name, where files suggest none."""
    view: Callable[[C], V] | None = None
    """Make of the content what is shown, where that is another."""
    left_out: Callable[[C, str], None] | None = None
    """Draw what was left out of it, where that is more than rows."""
    waits: Callable[[], bool] = lambda: False
    """Whether something of it is to be decided on, so that it stays in sight while others are kept."""

    def viewed(self, content: C) -> V:
        """Make of the content what is shown."""
        return self.view(content) if self.view else content  # type: ignore[return-value]

    def format(self, entry: E) -> list[str]:
        """Name the format of an entry, where its kind has several."""
        return [entry.format] if hasattr(entry, "format") else []

    def recognised(self, entry: E) -> list[str]:
        """Say what was read: format, size and source."""
        return [*self.format(entry), self.facts(entry), *filter(None, [self.source(entry)])]

    def label(self, entry: E) -> str:
        """Say what stands beside the name of an entry."""
        return " · ".join([*(self.format(entry) if self.format_first else []), self.facts(entry)])

    def details(self, entry: E) -> list[str]:
        """List what is known of an opened entry."""
        source = self.source(entry)
        own = [*([] if self.format_first else self.format(entry)), *self.passed_over(entry), *self.more(entry)]
        licence = [entry.licence] if entry.licence else []
        since = f"saved {entry.created_at.astimezone():%-d %b %Y}" + (f" by {entry.by}" if entry.by else "")
        return [*own, *([f"from {source}"] if source else []), *licence, since, f"id {entry.id}"]

    @property
    def same_things(self) -> str:
        """What is saved already, where something is."""
        return self.same or self.contains.lower()

    def draw_left_out(self, content: C, key: str) -> None:
        """Draw what was left out of some content."""
        if self.left_out:
            self.left_out(content, key)
        else:
            left_out.list_rows(self.kind.report(content), key=key, what=self.kind.row)

    def review(self, read_now: Any, suggested: str) -> None:
        """Show what was read, to be named and kept or dropped."""
        if isinstance(read_now, several.ReviewedUpload):
            several.draw(self, read_now)
        else:
            adding.review(self, read_now, suggested)


def draw(shelf: Shelf[E, C, V]) -> bool:
    """List every entry, its details drawn when they are opened. Returns whether any is the user's own."""
    with guard():
        known = shelf.kind.entries(workspaces())
        own_ids = {entry.id for entry in shelf.kind.entries([settings().workspace])}
    if not known:
        with st.container(border=True):
            st.markdown(f"**No {shelf.kind.name} is saved yet.**")
            st.caption(shelf.empty)
    _just_kept(shelf, [entry for entry in known if entry.id in own_ids], known)
    for entry in sorted(known, key=lambda each: each.id not in own_ids):
        demo = "" if entry.id in own_ids else " :gray-badge[demo]"
        key = opened_key(shelf.kind.name, entry.id)
        label = f"**{verbatim(entry.name)}**{demo} · {verbatim(shelf.label(entry))}"
        with st.expander(label, key=key, on_change="rerun") as opened:
            if opened.open:
                _opened(shelf, entry, own=entry.id in own_ids, key=key)
    return bool(own_ids)


def _just_kept(shelf: Shelf[E, C, V], own: Sequence[E], known: Sequence[E]) -> None:
    """Name what was just kept, with the ways to measure it."""
    new = set(measure.just_kept(shelf.kind.name, {entry.id: entry.name for entry in own}))
    entries = [entry for entry in own if entry.id in new]
    if not entries:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"just-kept-{shelf.kind.name.split()[0]}"):
        measure.label([entry.name for entry in entries])
        _links(shelf, entries[0], known)
    measure.offer_pair(shelf.kind.name, _name(entries[0], known))


def _links(shelf: Shelf[E, C, V], entry: E, known: Sequence[E]) -> None:
    shelf.links(entry, _name(entry, known))


def _name(entry: E, known: Sequence[E]) -> str:
    return next(name for name, each in unique_names(known).items() if each.id == entry.id)


@st.cache_resource(max_entries=6, show_spinner=False)
def loaded(_kind: Kind[E, C], entry: E) -> C:
    """Load the content of an entry, or return what an earlier call loaded for the same entry.

    The whole entry is the key: its name is part of what the content's report says.
    """
    return _kind.load(entry.id, workspaces())


def opened_key(kind: KindName, entry_id: str) -> str:
    """Key of the session state that says whether the entry is open."""
    return f"{kind}-{entry_id[:12]}"


def _opened(shelf: Shelf[E, C, V], entry: E, *, own: bool, key: str) -> None:
    st.caption(verbatim(" · ".join(shelf.details(entry))))
    try:
        content = loaded(shelf.kind, entry)
        viewed = shelf.viewed(content)
    except IsoglossError as error:
        if entry.names_only:
            st.info(verbatim(str(error)), icon=":material/info:")
        else:
            st.error(verbatim(str(error)), icon=":material/error:")
        _actions(shelf, entry, None, own=own, key=key)
        return
    if entry.warnings:  # shown when the entry was added
        left_out.fold(entry.warnings, count(len(entry.warnings), "warning"))
    shelf.draw_left_out(content, key)
    shelf.show(viewed, key, f"{shelf.contains} of {entry.name}")
    _actions(shelf, entry, lambda: shelf.file(viewed), own=own, key=key)


def _actions(shelf: Shelf[E, C, V], entry: E, file: Callable[[], bytes] | None, *, own: bool, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if file is not None:
            suffix, mime = SUFFIXES[shelf.form]
            st.download_button(
                f"Download {shelf.form}",
                data=file,
                file_name=f"{re.sub(r'[^a-z0-9]+', '-', entry.name.lower()).strip('-') or shelf.kind.name}.{suffix}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
                key=f"{key}-{suffix}",
            )
        _links(shelf, entry, shelf.kind.entries(workspaces()))
        if not own:
            st.caption("Part of the demo workspace, which is read-only.")
            return
        if not people.refusal("rename") and st.button("Rename", icon=":material/edit:", key=f"{key}-rename"):
            st.dialog(f"Rename this {shelf.kind.name}")(_rename)(shelf, entry)
        if not people.refusal("remove") and st.button("Remove", icon=":material/delete:", key=f"{key}-remove"):
            _ask(shelf, entry)


def _rename(shelf: Shelf[E, C, V], entry: E) -> None:
    name = st.text_input("Name", value=entry.name, max_chars=MAX_NAME, key=f"rename-{shelf.kind.name}")
    if st.button("Rename", type="primary", key=f"rename-{shelf.kind.name}-yes", disabled=not name.strip()):
        if attempt(lambda: shelf.kind.rename(entry.id, name, settings().workspace)) is None:
            return
        # Another label makes another expander, which would be closed.
        st.session_state[opened_key(shelf.kind.name, entry.id)] = True
        st.rerun()


def _ask(shelf: Shelf[E, C, V], entry: E) -> None:
    def remove() -> str:
        shelf.kind.remove(entry.id, settings().workspace)
        return f"{verbatim(entry.name)} is removed."

    stays = f" The scores computed {shelf.kind.scored} it stay." if shelf.kind.scored else ""
    what = f"**{verbatim(entry.name)}** is deleted from the workspace.{stays}"
    removal.ask(f"Remove this {shelf.kind.name}?", what, remove, f"remove-{shelf.kind.name}")
