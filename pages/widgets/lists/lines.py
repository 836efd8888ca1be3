"""One sentence a line, in its own direction and script, with a word marked and a note beside it. All of it is escaped HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from isogloss.backend.corpora.languages.languages import language

Span = tuple[int, int]
MARK = "background:color-mix(in srgb, currentColor 16%, transparent);border-radius:.2em;padding:0 .12em;font-weight:600"


def line(text: str, tag: str, note: str | None = "", *, mark: Span | None = None, marks: Sequence[Span] = ()) -> None:
    """Draw a sentence of the language `tag`; `mark` or `marks` are the start and end of words in its characters."""
    st.html(html(text, tag, note, mark=mark, marks=marks))


def gloss(text: str, tag: str) -> None:
    """Draw what the sentence above says in the language `tag`, smaller; nothing where that is not known."""
    if text:
        st.html(f'<div style="opacity:.7;font-size:.85em"><span {_running(tag)}>{escape(text)}</span></div>')


def html(text: str, tag: str, note: str | None = "", *, mark: Span | None = None, marks: Sequence[Span] = ()) -> str:
    """Return the line as HTML: the sentence runs as its language does, the note stands at its end; None leaves it no room."""
    shown, at = "", 0
    for start, end in sorted([*marks, *([mark] if mark else [])]):
        if end > start >= at:
            shown += f'{escape(text[at:start])}<mark style="{MARK};color:inherit">{escape(text[start:end])}</mark>'
            at = end
    shown += escape(text[at:])
    aside = (
        f'<span style="opacity:.7;font-size:.85em;white-space:nowrap;min-width:9rem;text-align:end">{escape(note)}</span>'
        if note is not None
        else ""
    )
    return (
        '<div style="display:flex;gap:1rem;justify-content:space-between;align-items:baseline">'
        f'<span {_running(tag)} style="flex:1;unicode-bidi:isolate;text-align:start">'
        f"{shown}</span>{aside}</div>"
    )


def words(found: Sequence[tuple[str, str]], tag: str) -> None:
    """Draw words of the language `tag`, each with a note, in one row that wraps."""
    each = '<span style="white-space:nowrap"><bdi {running}>{word}</bdi> <span style="opacity:.7">{note}</span></span>'
    shown = "".join(each.format(running=_running(tag), word=escape(word), note=escape(note)) for word, note in found)
    st.html(f'<div style="display:flex;flex-wrap:wrap;column-gap:1.2rem;row-gap:.2rem;font-size:.9em">{shown}</div>')


def _running(tag: str) -> str:
    """Return the attributes of text of a language."""
    return f'lang="{escape(tag)}" dir="{language(tag).direction}"'
