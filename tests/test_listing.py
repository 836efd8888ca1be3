"""What a draw asks of folders is looked up once, and what it publishes or removes is seen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from isogloss.backend import listing
from isogloss.backend.corpora.emergent import library
from isogloss.backend.corpora.emergent.corpus import EmergentReport
from isogloss.backend.listing import listed_once
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from pathlib import Path


def test_inside_each_is_looked_for_once_and_outside_each_time() -> None:
    looks: list[int] = []
    for _ in range(2):
        listing.once("a", lambda: looks.append(0))
    assert len(looks) == 2
    with listed_once():
        for asked in ("a", "b", "a", "b"):
            listing.once(asked, lambda: looks.append(1))
        with listed_once():  # the outer one's
            listing.once("a", lambda: looks.append(2))
        listing.once("a", lambda: looks.append(3))
        thread = threading.Thread(target=lambda: listing.once("a", lambda: looks.append(4)))
        thread.start(), thread.join()
        with pytest.raises(ZeroDivisionError):
            listing.once("c", lambda: 1 // 0)
        listing.once("c", lambda: looks.append(5))
    with pytest.raises(KeyError), listed_once():
        raise KeyError
    listing.once("a", lambda: looks.append(6))
    assert looks == [0, 0, 1, 1, 4, 5, 6]


def test_what_is_kept_renamed_and_removed_within_a_draw_is_seen(tmp_path: Path) -> None:
    def names() -> list[str]:
        return [entry.name for entry in library.entries([tmp_path])]

    with listed_once():
        assert names() == []
        entry = library.keep(from_utterances([[1, 2]], None, EmergentReport("x", "integers")), "One", tmp_path)
        assert names() == ["One"]
        names().clear()  # a list of one's own
        assert names() == ["One"]
        library.rename(entry.id, "Two", tmp_path)
        assert names() == ["Two"]
        library.remove(entry.id, tmp_path)
        assert names() == []
