"""The user's categories: whole, bounded, never lost to somebody else's."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments import categories
from isogloss.backend.experiments.categories import Key, Occurrence
from isogloss.backend.store.quarantine import notes

if TYPE_CHECKING:
    from pathlib import Path


def key(number: int = 0, corpus: str = "c" * 24) -> Key:
    return Key(
        corpus, Occurrence("en", "s1", number, number + 3), Occurrence("ar", "s1", 0, 4), Occurrence("ar", "ث/../", 2, 9)
    )


def test_a_category_is_there_again_and_can_change_and_go(tmp_path: Path) -> None:
    assert categories.read([tmp_path], key().corpus) == {}
    categories.set(tmp_path, key(), "  proper \n noun ")
    categories.set(tmp_path, key(1), "سياق")
    assert categories.read([tmp_path], key().corpus) == {key(): "proper noun", key(1): "سياق"}
    categories.set(tmp_path, key(), "context")
    categories.set(tmp_path, key(1), " ")
    assert categories.read([tmp_path], key().corpus) == {key(): "context"}


def test_corpora_do_not_share_categories_and_their_names_are_no_paths(tmp_path: Path) -> None:
    for corpus in ("a" * 24, "../../outside", "", "/tmp"):
        categories.set(tmp_path / "workspace", key(corpus=corpus), corpus[:2] or "none")
    for corpus in ("a" * 24, "../../outside", "", "/tmp"):
        assert categories.read([tmp_path / "workspace"], corpus) == {key(corpus=corpus): corpus[:2] or "none"}
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]


def test_the_first_workspace_decides_also_to_take_back(tmp_path: Path) -> None:
    own, demo = tmp_path / "own", tmp_path / "demo"
    for number in range(3):
        categories.set(demo, key(number), "of the demo")
    categories.set(own, key(1), "own")
    categories.set(own, key(2), "")
    assert categories.read([own, demo], key().corpus) == {key(0): "of the demo", key(1): "own"}
    assert categories.read([demo], key().corpus)[key(2)] == "of the demo"


def test_two_users_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: categories.set(tmp_path, key(number % 50), f"by {number // 50}"), range(200)))
    found = categories.read([tmp_path], key().corpus)
    assert set(found) == {key(number) for number in range(50)}
    assert set(found.values()) <= {f"by {user}" for user in range(4)}


@pytest.mark.parametrize("category", ["x" * 61, "a\u202eb", "a\x00b", "\ud800"])
def test_what_is_too_long_or_not_printable_is_refused(tmp_path: Path, category: str) -> None:
    with pytest.raises(StoreError, match="at most 60 printable"):
        categories.set(tmp_path, key(), category)
    categories.set(tmp_path, key(), "x" * 60)
    assert categories.read([tmp_path], key().corpus) == {key(): "x" * 60}


def test_what_somebody_wrote_into_a_file_is_checked(tmp_path: Path) -> None:
    for number in range(4):
        categories.set(tmp_path, key(number), "kept")
    files = sorted(tmp_path.rglob("categories/*/*.json"))
    by_start = {json.loads(file.read_text())["key"][1][2]: file for file in files}
    by_start[0].write_text(by_start[0].read_text()[:-20])
    by_start[1].write_text(by_start[1].read_text().replace('"kept"', f'"{"x" * 61}"'))
    by_start[2].write_text(by_start[2].read_text().replace('"kept"', '"<b>\\u202e"'))
    assert categories.read([tmp_path], key().corpus) == {key(3): "kept"}
    assert len(notes(tmp_path)) == 3


def test_a_workspace_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "categories").write_text("in the way")
    with pytest.raises(StoreError, match="Could not write"):
        categories.set(tmp_path, key(), "context")
    assert categories.read([tmp_path], key().corpus) == {}
