"""Likely scripts where several threads ask for the first time: langcodes shares a tag, and lists what is broader in place."""

from __future__ import annotations

import threading
import time

import langcodes
import pytest

from isogloss.backend.corpora.languages.languages import likely


def test_one_thread_at_a_time_makes_a_tag_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[int] = []
    most: list[int] = []

    def maximize(tag: langcodes.Language) -> langcodes.Language:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.01)
        inside.pop()
        return tag

    monkeypatch.setattr(langcodes.Language, "maximize", maximize)
    threads = [threading.Thread(target=likely, args=(langcodes.Language.make(language="de"),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8
