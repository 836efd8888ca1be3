"""Notes on sentences and word pairs: none lost, seen wherever the sentence is listed, hostile text kept as text."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments import sentence_notes as notes
from isogloss.backend.store import quarantine

if TYPE_CHECKING:
    from pathlib import Path

CORPUS = "c" * 24
HOSTILE = '=1+1<script>alert("x")</script>\u202e../../etc\n\x00ث'


def texts(workspaces: list[Path], subject: notes.Subject) -> list[str]:
    return [note.text for note in notes.read(workspaces, subject.corpus).get(subject, ())]


def test_two_people_at_once_lose_nothing_and_a_later_text_takes_the_place_of_both(tmp_path: Path) -> None:
    subject = notes.sentence(CORPUS, "s1")
    first = notes.write(tmp_path, subject, ["idiom"], "first", by="Ada")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: notes.write(tmp_path, subject, [f"t{i}"], f"by {i}", replaces=[first.id]), range(40)))
    standing = notes.read([tmp_path], CORPUS)[subject]
    assert sorted(note.text for note in standing) == sorted(f"by {i}" for i in range(40))
    assert all(earlier.at <= later.at for earlier, later in pairwise(standing))
    last = notes.write(tmp_path, subject, [], "all of it", replaces=[note.id for note in standing])
    assert texts([tmp_path], subject) == ["all of it"]
    notes.write(tmp_path, subject, [], " ", replaces=[last.id])
    assert notes.read([tmp_path], CORPUS) == {}


def test_a_note_of_the_demo_can_be_replaced_in_ones_own_workspace(tmp_path: Path) -> None:
    own, demo, subject = tmp_path / "own", tmp_path / "demo", notes.sentence(CORPUS, "s1")
    shipped = notes.write(demo, subject, ["demo"], "shipped")
    notes.write(own, subject, ["mine"], "beside")
    assert texts([own, demo], subject) == ["shipped", "beside"]
    notes.write(own, subject, ["mine"], "instead", replaces=[shipped.id])
    assert texts([own, demo], subject) == ["beside", "instead"]
    assert texts([demo], subject) == ["shipped"]


def test_a_pair_of_words_is_the_same_whichever_way_round_and_however_cased() -> None:
    one = notes.word_pair(CORPUS, ("en", "Dog"), ("de", "hund"))
    assert one == notes.word_pair(CORPUS, ("de", "Hund"), ("en", "dog"))
    assert one != notes.word_pair(CORPUS, ("en", "hund"), ("de", "dog"))
    assert one != notes.word_pair("d" * 24, ("en", "dog"), ("de", "hund"))


def test_what_people_write_is_data(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    for corpus in (CORPUS, "../../outside", "/tmp"):
        subject = notes.sentence(corpus, HOSTILE)
        notes.write(workspace, subject, ["<b>&"], HOSTILE, by=HOSTILE)
        [kept] = notes.read([workspace], corpus)[subject]
        assert (kept.text, kept.tags) == (HOSTILE.strip(), ("<b>&",))
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]


@pytest.mark.parametrize(
    ("tags", "text"),
    [(["x" * 61], ""), (["a;b"], ""), (["a\u202eb"], ""), (["\ud800"], ""), ([""], ""), ([], "x" * 2001), ([], "\ud800"),
     ([str(i) for i in range(21)], "")],
)  # fmt: skip
def test_what_no_note_can_hold_is_refused(tmp_path: Path, tags: list[str], text: str) -> None:
    with pytest.raises(StoreError, match="at most 20 tags"):
        notes.write(tmp_path, notes.sentence(CORPUS, "s1"), tags, text)
    assert notes.read([tmp_path], CORPUS) == {}


def test_a_damaged_file_is_set_aside_and_the_others_stay(tmp_path: Path) -> None:
    subject = notes.sentence(CORPUS, "s1")
    for name in ("whole", "torn", "foreign"):
        notes.write(tmp_path, subject, [], name)
    files = {json.loads(file.read_text())["text"]: file for file in tmp_path.rglob("notes/*/*.json")}
    files["torn"].write_text(files["torn"].read_text()[:-20])
    files["foreign"].write_text(files["foreign"].read_text().replace(CORPUS, "d" * 24))  # another corpus' note: not of here
    assert texts([tmp_path], subject) == ["whole"]
    assert len(quarantine.notes(tmp_path)) == 1


def test_columns_and_filter_are_those_of_a_plain_search(tmp_path: Path) -> None:
    written = {"s1": ["idiom", "a"], "s2": ["a"], "s4": ["idiom"]}
    for id_, tags in written.items():
        notes.write(tmp_path, notes.sentence(CORPUS, id_), tags, f"on {id_}")
    notes.write(tmp_path, notes.word_pair(CORPUS, ("en", "dog"), ("de", "hund")), ["idiom"], "")
    frame = pd.DataFrame(
        {
            "x": ["s1", "s2", "s3", "s3"],
            "y": ["s2", "s3", "s4", "s3"],
            "w": ["a", "Dog", "b", "dog"],
            "v": ["b", "Hund", "c", "c"],
        }
    )
    asked = {
        "corpus": CORPUS,
        "workspaces": [tmp_path],
        "of": {"x": "", "y": "y_"},
        "words": {"words_": (("en", "w"), ("de", "v"))},
    }
    found = notes.with_notes(frame, **asked)
    for row in found.to_dict("records"):
        for column, before in (("x", ""), ("y", "y_")):
            tags = written.get(row[column], [])
            assert row[f"{before}tags"] == "; ".join(sorted(tags))
            assert row[f"{before}notes"] == (f"on {row[column]}" if tags else "")
    assert list(found["words_tags"]) == ["", "idiom", "", ""]
    assert list(notes.with_notes(frame, **asked, tag="idiom").index) == [0, 1, 2]
    assert list(notes.with_notes(frame, **asked, tag="idiom")["x"]) == ["s1", "s2", "s3"]
    assert notes.with_notes(frame.iloc[:0], **asked)["tags"].empty
