"""Notes and tags below a listed sentence or word pair: shown, written, and what a list is filtered by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from isogloss.backend import people
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments import sentence_notes
from isogloss.backend.experiments.sentence_notes import LONGEST_NAME, LONGEST_TAG, LONGEST_TEXT, MOST_TAGS, Note, Subject
from isogloss.backend.files import digest
from isogloss.backend.settings import settings
from isogloss.pages.widgets import notes as toasts
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.words import ago, verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

ANY = "Any"
NAME = "note-name"
"""Session state: who wrote last; boards' notes begin with the same name."""
CHIP = "border:1px solid color-mix(in srgb, currentColor 35%, transparent);border-radius:.7em;padding:0 .5em"


@dataclass(frozen=True)
class Known:
    """The notes of a corpus."""

    by_subject: Mapping[Subject, tuple[Note, ...]]
    tags: tuple[str, ...]
    """In use."""


def known(corpus: str) -> Known:
    """Return the notes of a corpus, as the workspaces have them now."""
    with guard():
        found = sentence_notes.read(workspaces(), corpus)
    return Known(found, tuple(sentence_notes.tags_of(note for each in found.values() for note in each)))


def choose(of: Known) -> str | None:
    """Draw the box of the tag that a list is filtered by, where any is in use; None for all rows."""
    if not of.tags:
        return None
    chosen = select("Tag", [ANY, *of.tags], "tag", width=170, help="Rows with this tag alone.")
    return None if chosen == ANY else chosen


def below(subjects: Mapping[str, Subject], notes: Known, place: int, before: Callable[[], object] | None = None) -> None:
    """Draw the notes on what a row lists, and the way to write one: `subjects` by what the form calls them.

    `place` is the row's: two rows may list the same sentence. `before` draws what stands beside the form's button.
    """
    for what, subject in subjects.items():
        for note in notes.by_subject.get(subject, ()):
            st.html(html(note, what if len(subjects) > 1 else ""))
    key = f"note-{place}-{digest(list(subjects.values()))[:12]}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if before is not None:
            before()
        if people.refusal("note"):
            return
        opened = st.popover("Note", icon=":material/sell:", type="tertiary", key=key, on_change="rerun")
    if opened.open:
        with opened:
            _form(subjects, notes, key)


def html(note: Note, what: str) -> str:
    """Return a note as one line of HTML: what it is on, tags, text, writer and time; all of it escaped."""
    tags = "".join(f'<bdi style="{CHIP}">{escape(tag)}</bdi>' for tag in note.tags)
    text = f'<span dir="auto" style="white-space:pre-line;unicode-bidi:isolate">{escape(note.text)}</span>' if note.text else ""
    who = ", ".join(filter(None, (note.by, ago(note.at.timestamp()))))
    head = f'<span style="opacity:.7">{escape(what)}</span>' if what else ""
    style = "display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline;font-size:.85em"
    return f'<div style="{style}">{head}{tags}{text}<bdi style="opacity:.7">{escape(who)}</bdi></div>'


def _form(subjects: Mapping[str, Subject], known_notes: Known, key: str) -> None:
    """Draw the form of one note. It begins with all that stands and one may change, and takes its place."""
    names = list(subjects)
    on = names[0]
    if len(names) > 1:
        on = st.segmented_control("On", names, default=on, required=True, key=f"{key}-on")
    standing = [note for note in known_notes.by_subject.get(subjects[on], ()) if not people.refusal("change", of=note.by)]
    form_key = f"{key}-{digest([on, *(note.id for note in standing)])[:12]}"
    tags = sentence_notes.tags_of(standing)
    st.multiselect(
        "Tags",
        sorted({*known_notes.tags, *tags}),
        tags,
        key=f"{form_key}-tags",
        accept_new_options=True,
        max_selections=MOST_TAGS,
        placeholder="Choose or type one",
        help=f"Of at most {LONGEST_TAG} characters.",
    )
    st.text_area("Note", _text(standing), max_chars=LONGEST_TEXT, height=90, key=f"{form_key}-text")
    if not people.now().name:
        st.text_input(
            "Your name", st.session_state.get(NAME, ""), max_chars=LONGEST_NAME, key=f"{form_key}-by", placeholder="Optional"
        )
    replaced = [note.id for note in standing]
    st.button("Save", type="primary", key=f"{form_key}-save", on_click=_save, args=(key, form_key, subjects[on], replaced))
    if standing:
        st.caption("Emptied, it is taken away.")


def _text(standing: Sequence[Note]) -> str:
    return "\n".join(note.text for note in standing if note.text)[:LONGEST_TEXT]


def _save(key: str, own: str, subject: Subject, replaced: Sequence[str]) -> None:
    """Keep the note and close the form; what was wrong is said, and the form stays."""
    tags, text, by = (st.session_state.get(f"{own}-{part}", "") for part in ("tags", "text", "by"))
    if not (tags or text.strip() or replaced):
        toasts.after_rerun("Choose a tag or write a note first.", ":material/info:")
        return
    try:
        sentence_notes.write(settings().workspace, subject, tags, text, by=by, replaces=replaced)
    except IsoglossError as error:
        toasts.after_rerun(verbatim(str(error)), ":material/error:")
        return
    if by:
        st.session_state[NAME] = by
    st.session_state[key] = False
