"""One sentence a line, in its own direction and script, with a word marked and a note beside it. All of it is escaped HTML."""

from __future__ import annotations

from html import escape

import streamlit as st

from backend.corpora.languages.languages import language

MARK = "background:color-mix(in srgb, currentColor 16%, transparent);border-radius:.2em;padding:0 .12em;font-weight:600"


def line(text: str, tag: str, note: str = "", *, mark: tuple[int, int] | None = None) -> None:
    """Draw a sentence of the language `tag`; `mark` are the start and end of a word in its characters."""
    st.html(html(text, tag, note, mark=mark))


def html(text: str, tag: str, note: str = "", *, mark: tuple[int, int] | None = None) -> str:
    """Return the line as HTML: the sentence runs as its language does, the note stands at its end."""
    start, end = mark or (0, 0)
    marked = f'<mark style="{MARK};color:inherit">{escape(text[start:end])}</mark>' if end > start else ""
    shown = escape(text[:start]) + marked + escape(text[end:])
    right = language(tag).right_to_left
    return (
        '<div style="display:flex;gap:1rem;justify-content:space-between;align-items:baseline">'
        f'<span lang="{escape(tag)}" dir="{"rtl" if right else "ltr"}" style="flex:1;unicode-bidi:isolate;text-align:start">'
        f'{shown}</span><span style="opacity:.7;font-size:.85em;white-space:nowrap;min-width:9rem;text-align:end">'
        f"{escape(note)}</span></div>"
    )
