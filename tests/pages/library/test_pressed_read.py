"""“Read” stays pressed while files arrive: what draws the page again before the end starts the reading again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import streamlit as st

from isogloss.backend.corpora.shared import apart

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

GAME = "".join(f"[{i % 5}, {i % 3}, 7]\n" for i in range(25))
TASK = "text_en,text_de,label\n" + "".join(f"Water {i},Wasser {i},{i % 2}\n" for i in range(12))
TAGGED = "".join(f"water{i}\tNOUN\nflows\tVERB\n\n" for i in range(12))


@dataclass(frozen=True)
class Shelf:
    """Where something is dropped, what, and what is said once it is read."""

    name: str
    file: str
    text: str
    button: str
    said: str


SHELVES = [
    Shelf("Emergent", "game.jsonl", GAME, "read-emergent", "75 tokens · 25 utterances"),
    Shelf("Tasks", "task.csv", TASK, "read-task", "2 languages · 12 sentences"),
    Shelf("Tagged text", "train-en.tsv", TAGGED, "read-tagged", "1 language · 12 sentences · 24 words"),
]
every_shelf = pytest.mark.parametrize("shelf", SHELVES, ids=lambda shelf: shelf.name)


def shown(app: AppTest) -> str:
    return " ".join(str(each.value) for each in [*app.markdown, *app.error]).replace("\\", "")


@pytest.mark.usefixtures("workspace")
@every_shelf
def test_a_page_drawn_again_while_it_reads_reads_on(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, shelf: Shelf
) -> None:
    app = open_page("library", shelf=shelf.name)
    app.file_uploader[0].upload(shelf.file, shelf.text.encode())
    app.run()
    real, calls = apart.read, []

    def interrupted(*given: Any, **named: Any) -> Any:
        if given[0].__name__ != "read":
            return real(*given, **named)
        calls.append(given)
        if len(calls) == 1:
            st.rerun()  # as where another file's upload ends
        return real(*given, **named)

    monkeypatch.setattr(apart, "read", interrupted)
    app.button(key=shelf.button).click().run()
    assert not app.exception
    assert len(calls) == 2
    assert shelf.said in shown(app)
    app.run()
    assert len(calls) == 2  # it is pressed no more


@pytest.mark.usefixtures("workspace")
@every_shelf
def test_what_cannot_be_read_is_not_read_again_and_again(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, shelf: Shelf
) -> None:
    app = open_page("library", shelf=shelf.name)
    app.file_uploader[0].upload(shelf.file, b"\0\1" * 99)
    app.run()
    app.button(key=shelf.button).click().run()
    assert shelf.file in shown(app)
    calls: list[object] = []
    monkeypatch.setattr(apart, "read", lambda *given, **_: calls.append(given))
    app.run()
    assert not calls
