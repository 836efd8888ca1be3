"""“Read” stays pressed while files arrive: what draws the page again before the end starts the reading again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import streamlit as st

from backend.corpora import emergent_readers, task_readers

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from streamlit.testing.v1 import AppTest

GAME = "".join(f"[{i % 5}, {i % 3}, 7]\n" for i in range(25))
TASK = "text_en,text_de,label\n" + "".join(f"Water {i},Wasser {i},{i % 2}\n" for i in range(12))
SHELVES = [
    ("Emergent", "game.jsonl", GAME, "emergent", emergent_readers, "75 tokens · 25 utterances"),
    ("Tasks", "task.csv", TASK, "task", task_readers, "2 languages · 12 sentences"),
]


def shown(app: AppTest) -> str:
    return " ".join(str(each.value) for each in [*app.markdown, *app.error]).replace("\\", "")


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(("shelf", "name", "text", "key", "readers", "said"), SHELVES)
def test_a_page_drawn_again_while_it_reads_reads_on(
    open_page: Callable[..., AppTest],
    monkeypatch: pytest.MonkeyPatch,
    shelf: str,
    name: str,
    text: str,
    key: str,
    readers: ModuleType,
    said: str,
) -> None:
    app = open_page("library", shelf=shelf)
    app.file_uploader[0].upload(name, text.encode())
    app.run()
    real, calls = readers.read, []

    def interrupted(*given: Any, **named: Any) -> Any:
        calls.append(given)
        if len(calls) == 1:
            st.rerun()  # as where another file's upload ends
        return real(*given, **named)

    monkeypatch.setattr(readers, "read", interrupted)
    app.button(key=f"read-{key}").click().run()
    assert not app.exception
    assert len(calls) == 2
    assert said in shown(app)
    app.run()
    assert len(calls) == 2  # it is pressed no more


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(("shelf", "name", "text", "key", "readers", "said"), SHELVES)
def test_what_cannot_be_read_is_not_read_again_and_again(
    open_page: Callable[..., AppTest],
    monkeypatch: pytest.MonkeyPatch,
    shelf: str,
    name: str,
    text: str,
    key: str,
    readers: ModuleType,
    said: str,
) -> None:
    app = open_page("library", shelf=shelf)
    app.file_uploader[0].upload(name, b"\0\1" * 99)
    app.run()
    app.button(key=f"read-{key}").click().run()
    assert name in shown(app)
    calls: list[object] = []
    monkeypatch.setattr(readers, "read", lambda *given, **_: calls.append(given))
    app.run()
    assert not calls
