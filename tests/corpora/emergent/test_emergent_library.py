"""Kept emergent corpora: one folder for each content, symbols and all, and nothing damaged is trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend import parquet
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport
from isogloss.backend.corpora.parallel.corpus import Skipped
from isogloss.backend.errors import StoreError
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from pathlib import Path

REPORT = EmergentReport("Words", "words", (Skipped("x", 9, "odd"),), 5, (("odd", 6),), ("strange",), "a game")


def corpus(last: int = 2, vocabulary: tuple[str, ...] | None = ("wa", "é", "\u2028")) -> EmergentCorpus:
    return from_utterances([[0, 1, 1], [2], [last, 0]], vocabulary, REPORT)


def test_a_name_without_utterances_is_not_to_be_read(workspace: Path) -> None:
    whole, named = emergent_library.keep(corpus(), "Whole", workspace), emergent_library.keep(corpus(1), "Named", workspace)
    folder = workspace / "emergent" / named.id
    (folder / "entry.json").write_text(named.model_copy(update={"names_only": True}).model_dump_json())
    (folder / "emergent.parquet").unlink()
    assert emergent_library.readable([workspace]) == [whole]


@given(st.lists(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=6), min_size=1, max_size=20))
def test_what_is_kept_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[list[int]]) -> None:
    folder = tmp_path_factory.mktemp("workspace")
    entry = emergent_library.keep(from_utterances(rows), "x", folder)
    again = emergent_library.load(entry.id, [folder])
    assert [again.ids[a:b].tolist() for a, b in zip(again.starts, again.starts[1:], strict=False)] == rows
    assert emergent_library.content_id(again) == entry.id
    assert again.ids.flags.writeable


def test_many_utterances_come_back_from_several_parts(workspace: Path) -> None:
    count = (1 << 20) + 5  # more than one row group
    whole = EmergentCorpus(np.arange(count, dtype=np.int32) % 7, np.arange(count + 1, dtype=np.int64))
    entry = emergent_library.keep(whole, "long", workspace)
    again = emergent_library.load(entry.id, [workspace])
    assert (again.ids == whole.ids).all()
    assert (again.starts == whole.starts).all()


def test_content_makes_the_identity(workspace: Path) -> None:
    first = emergent_library.keep(corpus(), "first", workspace)
    assert emergent_library.keep(replace(corpus(), report=EmergentReport("other")), "second", workspace) == first
    others = [
        corpus(1),
        corpus(vocabulary=None),
        corpus(vocabulary=("wa", "é", "e")),
        from_utterances([[0, 1], [1, 2], [2, 0]], ("wa", "é", "\u2028")),
    ]
    ids = {emergent_library.keep(each, f"other {number}", workspace).id for number, each in enumerate(others)}
    assert len(ids | {first.id}) == 5


def test_other_symbols_are_another_corpus(workspace: Path) -> None:
    entry = emergent_library.keep(corpus(), "Mine", workspace)
    path = workspace / "emergent" / entry.id / "emergent.parquet"
    parquet.write(path, parquet.read(path), {"vocabulary": ["a", "b", "c"]})
    with pytest.raises(StoreError, match="'Mine' is damaged on disk"):
        emergent_library.load(entry.id, [workspace])
