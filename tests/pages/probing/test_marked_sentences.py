"""Sentences with several marked words: every character is there once, escaped, in its language's direction."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from isogloss.pages.widgets.lists import lines

TAGS = re.compile("<[^>]*>")


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4))
def test_the_text_is_whole_whatever_is_marked(text: str, marks: list[tuple[int, int]]) -> None:
    shown = lines.html(text, "ar", None, marks=marks)
    assert unescape(TAGS.sub("", shown)) == unescape(lines.escape(text))
    assert 'dir="rtl"' in shown


def test_every_word_given_is_marked() -> None:
    shown = lines.html("Die Fähre <verlässt> den Hafen", "de", marks=[(21, 24), (4, 9)])
    assert re.findall("<mark[^>]*>([^<]*)</mark>", shown) == ["Fähre", "den"]
    assert "&lt;verlässt&gt;" in shown


def test_no_note_takes_no_room() -> None:
    assert "min-width" not in lines.html("text", "en", None)
    assert "min-width" in lines.html("text", "en")
