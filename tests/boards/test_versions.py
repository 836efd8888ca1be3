"""Versions of a board: what was kept at a meeting stays, whatever becomes of the scores, the notes and the board."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from test_board import SHARD, measured, on, pin, pinned, recipe

from isogloss.backend.boards import board, versions
from isogloss.backend.boards.again import again
from isogloss.backend.boards.parts import parts_of
from isogloss.backend.boards.report import to_page
from isogloss.backend.boards.titles import caption_of
from isogloss.backend.errors import StoreError
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.boards.records import Board, Pin

__all__ = ["on", "pin"]  # fixtures


def test_a_version_has_the_numbers_notes_and_order_of_then(tmp_path: Path, on: Board, pin: Pin) -> None:
    second = pinned(tmp_path, on, "Second")
    board.write_note(tmp_path, on.id, pin.id, "As we thought", by="A")
    text = board.write_text(tmp_path, on.id, "# Results", by="A")
    kept = versions.keep([tmp_path], on.id, "  Meeting of   3 March ")
    before = recipe(tmp_path).rows()
    measured(tmp_path, 0.7)
    board.write_note(tmp_path, on.id, pin.id, "We were wrong", by="B")
    board.remove(tmp_path, on.id, second.id)
    board.arrange(tmp_path, on.id, [text.id, pin.id])
    (found,) = versions.versions([tmp_path], on.id)
    assert found == kept
    assert found.title == "Meeting of 3 March"
    then = found.opened()
    assert [each.id for each in then.pins] == [pin.id, second.id, text.id]
    assert [note.text for note in then.notes[pin.id]] == ["As we thought"]
    now = again([tmp_path], on.id, pin)
    shown = versions.then([tmp_path], found, pin, now)
    pd.testing.assert_frame_equal(shown.rows, before)
    assert shown.picture is not None
    assert np.allclose(shown.picture.data[1].z, 0.9)
    assert "by 0.2 at most" in shown.said
    assert "changed since this version was kept" in shown.said
    assert caption_of(shown.rests_on) == caption_of(now.rests_on) != ""
    assert now.picture is not None
    assert np.allclose(now.picture.data[1].z, 0.7)
    page = to_page("Meeting", parts_of([tmp_path], then, version=found))
    assert "As we thought" in page
    assert "We were wrong" not in page
    assert "Results" in page


def test_nothing_is_said_to_be_other_where_nothing_is(tmp_path: Path, on: Board, pin: Pin) -> None:
    kept = versions.keep([tmp_path], on.id, "Day")
    assert versions.then([tmp_path], kept, pin, again([tmp_path], on.id, pin)).said == ""
    assert versions.then([tmp_path], kept, pin, None).said == ""


def test_a_version_is_shown_when_its_scores_are_gone(tmp_path: Path, on: Board, pin: Pin) -> None:
    measured(tmp_path, 0.8)  # other than when it was pinned: the version has the numbers of its own day
    kept = versions.keep([tmp_path], on.id, "Day")
    scores.shard_path(tmp_path, "abx", SHARD).unlink()
    shown = versions.then([tmp_path], kept, pin, again([tmp_path], on.id, pin))
    assert shown.said == versions.LOST
    assert shown.picture is not None
    assert np.allclose(shown.picture.data[1].z, 0.8)


def test_a_figure_that_was_lost_already_is_told_where_it_stands(tmp_path: Path, on: Board, pin: Pin) -> None:
    other = pinned(tmp_path, on)
    folder = board.folder_of(tmp_path, on.id)
    (folder / "rows" / f"{pin.id}.parquet").unlink()
    kept = versions.keep([tmp_path], on.id, "Day")
    assert set(kept.rests_on) == {other.id}
    with pytest.raises(StoreError, match="rows of this figure"):
        versions.then([tmp_path], kept, pin, None)
    assert len(versions.then([tmp_path], kept, other, None).rows)


def test_versions_are_found_by_title_or_id_and_removed_with_their_files(tmp_path: Path, on: Board, pin: Pin) -> None:
    with pytest.raises(StoreError, match="Keep one first"):
        versions.called([tmp_path], on.id, "Day")
    first = versions.keep([tmp_path], on.id, "Day")
    second = versions.keep([tmp_path], on.id, "Day")
    assert versions.called([tmp_path], on.id, "Day") == second  # the newest
    assert versions.called([tmp_path], on.id, first.id[:8]) == first
    with pytest.raises(StoreError, match="Did you mean 'Day'"):
        versions.called([tmp_path], on.id, "Dey")
    versions.remove(tmp_path, second)
    assert versions.versions([tmp_path], on.id) == [first]
    names = {path.name for path in (board.folder_of(tmp_path, on.id) / "versions").iterdir()}
    assert names == {first.id, f"{first.id}.json"}


@pytest.mark.parametrize("title", ["", "  ", "x" * 121])
def test_a_title_is_asked_for_before_anything_is_written(tmp_path: Path, on: Board, pin: Pin, title: str) -> None:
    with pytest.raises(StoreError, match="title of a version"):
        versions.keep([tmp_path], on.id, title)
    assert not (board.folder_of(tmp_path, on.id) / "versions").exists()


def test_a_damaged_or_hostile_version_is_left_out(tmp_path: Path, on: Board, pin: Pin) -> None:
    kept = versions.keep([tmp_path], on.id, "Day")
    folder = board.folder_of(tmp_path, on.id) / "versions"
    (folder / "aaaaaaaaaaaa.json").write_text("{", encoding="utf-8")
    assert versions.versions([tmp_path], on.id) == [kept]
    said = json.loads((folder / f"{kept.id}.json").read_text(encoding="utf-8"))
    hostile = versions.Version.model_validate(said | {"id": "../../../etc"})
    with pytest.raises(StoreError, match="not the id"):
        versions.then([tmp_path], hostile, pin, None)
    with pytest.raises(StoreError, match="not the id"):
        versions.remove(tmp_path, hostile)
