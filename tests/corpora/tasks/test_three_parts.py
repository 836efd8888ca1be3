"""Three parts of a labelled task, for probes: a test part beside, else stated shares; what transfer reads stays as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest

from backend.corpora.shared import brought
from backend.corpora.shared.inputs import InputFile
from backend.corpora.tasks import library as task_library
from backend.corpora.tasks import three_parts
from backend.corpora.tasks.readers import read
from backend.corpora.tasks.task import SCHEMA, LabelledTask, split
from backend.errors import CorpusError, StoreError
from pages.library.tasks.table import tsv

if TYPE_CHECKING:
    from pathlib import Path

    from backend.corpora.tagged.parts import Part

PARTS: tuple[Part, ...] = ("train", "validation", "test")


def files(part: str, count: int, first: int = 0, labels: str = "ny", without: int | None = None) -> dict[str, str]:
    """A file of each of two languages; one row may have no label."""
    made = {}
    for tag, word in (("de", "Wasser"), ("en", "Water")):
        rows = [f"{word} {i}\t{'' if i == without else labels[i % len(labels)]}\n" for i in range(first, first + count)]
        made[f"{part}-{tag}.tsv"] = "".join(rows)
    return made


def task_of(folder: Path, drop: dict[str, str]) -> LabelledTask:
    for name, text in drop.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read([InputFile(name, folder / name) for name in drop])


def test_own_parts(tmp_path: Path) -> None:
    task = task_of(tmp_path, files("train", 20) | files("dev", 6, 30) | files("test", 8, 40, without=43))
    assert "Kept beside, for probes: the test part (16 rows in all languages), 1 left out" in task.report.warnings[0]
    assert [three_parts.origin(task, part) for part in PARTS] == list(PARTS)
    texts = [three_parts.examples(task, "en", part).texts for part in PARTS]
    assert texts[0] == [f"Water {i}" for i in range(20)]
    assert texts[1] == [f"Water {i}" for i in range(30, 36)]
    assert texts[2] == [f"Water {i}" for i in range(40, 48) if i != 43]
    assert three_parts.examples(task, "de", "test").labels.tolist() == [0, 1, 0, 0, 1, 0, 1]
    assert (len(task.rows()), task.rows("test")[0]) == (26, "test.1")
    assert len(task.only(["en"]).examples("en", "test")) == 7
    with pytest.raises(CorpusError, match="The task has no language 'fi'"):
        three_parts.examples(task, "fi", "test")


@pytest.mark.parametrize(
    ("whole", "sizes", "origins"),
    [
        (files("train", 100), (80, 10, 10), ("80% of train", "10% of train", "10% of train")),
        (files("train", 100) | files("dev", 40, 200), (100, 20, 20), ("train", "half of validation", "half of validation")),
    ],
)
def test_shares_of_what_is_there(
    tmp_path: Path, whole: dict[str, str], sizes: tuple[int, ...], origins: tuple[str, ...]
) -> None:
    """Disjoint, together the task, and the same rows in every language, whose labels go with them."""
    task = task_of(tmp_path, whole)
    found = {tag: [three_parts.examples(task, tag, part) for part in PARTS] for tag in task.languages}
    assert tuple(map(len, found["en"])) == sizes
    assert tuple(three_parts.origin(task, part) for part in PARTS) == origins
    ids = [row for examples in found["en"] for row in examples.row_ids]
    assert sorted(ids) == sorted(task.rows())
    for own, other in zip(found["en"], found["de"], strict=True):
        assert own.row_ids == other.row_ids
        assert own.labels.tolist() == [int(text.split()[1]) % 2 for text in own.texts]
        assert [text.replace("Wasser", "Water") for text in other.texts] == own.texts


def test_too_few_rows(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="The task has 4 rows in its train part: too few to split a validation part from"):
        three_parts.examples(task_of(tmp_path, files("train", 4)), "en", "validation")


@pytest.mark.parametrize(
    ("test", "says"),
    [
        (files("test", 8, 40, labels="nyx"), "for its label 'x' is not one of the training part's"),
        (files("test", 8, 40, labels="-"), "for none has a text and a label in every language"),
        ({"test-de.tsv": files("test", 8)["test-de.tsv"], "test-en.tsv": "\tn\n" * 8}, "has text in only 0 of 8 rows"),
    ],
)
def test_a_test_part_that_cannot_be_used_costs_nothing(tmp_path: Path, test: dict[str, str], says: str) -> None:
    """The other parts are read as they are without it, and the report says why it was not."""
    alone = task_of(tmp_path, files("train", 20) | files("dev", 6, 30))
    task = task_of(tmp_path, files("train", 20) | files("dev", 6, 30) | test)
    assert task.table.equals(alone.table)
    assert task.test is None
    (note,) = (note for note in task.report.warnings if note.startswith("Not read: the test part (16 rows in all languages)"))
    assert says in note


def test_a_test_part_is_kept_beside(tmp_path: Path, workspace: Path) -> None:
    """The id is that of training and validation, under which results are stored; the test part comes and goes with it."""
    drop = files("train", 20) | files("dev", 6, 30)
    plain = task_library.keep(task_of(tmp_path, drop), "Mine", workspace)
    assert (plain.test_rows, plain.test_id) == (0, None)
    whole = task_of(tmp_path, drop | files("test", 8, 40))
    entry = task_library.keep(whole, "Another", workspace)
    assert (entry.id, entry.name, entry.rows, entry.validation_rows, entry.test_rows) == (plain.id, "Mine", 26, 6, 8)
    assert task_library.entries([workspace]) == [entry]
    again = task_library.load(entry.id, [workspace])
    assert again.table.equals(whole.table)
    assert again.test is not None
    assert again.test.equals(whole.test)
    assert task_library.keep(whole, "Mine", workspace) == entry
    assert task_library.keep(task_of(tmp_path, drop), "Mine", workspace) == entry
    with pytest.raises(CorpusError, match="The same rows are kept as 'Mine' with another test part"):
        task_library.keep(task_of(tmp_path, drop | files("test", 8, 60)), "Mine", workspace)
    folder = workspace / "tasks" / entry.id
    assert sorted(path.name for path in folder.iterdir()) == ["entry.json", "task.parquet", "test.parquet"]
    beside = (folder / "test.parquet").read_bytes()
    for damage in (lambda: (folder / "test.parquet").write_bytes(beside[:-3]), lambda: (folder / "test.parquet").unlink()):
        damage()
        assert len(brought.check(workspace)[1]) == 1
        with pytest.raises(StoreError, match="'Mine' is damaged on disk"):
            task_library.load(entry.id, [workspace])
    task_library.remove(entry.id, workspace)
    assert not folder.exists()
    first = task_library.keep(whole, "At once", workspace)
    assert (first.id, first.test_id) == (entry.id, entry.test_id)
    assert task_library.load(first.id, [workspace]).rows("test") == whole.rows("test")


def test_entries_from_before_are_read(tmp_path: Path, workspace: Path) -> None:
    entry = task_library.keep(task_of(tmp_path, files("train", 20)), "Mine", workspace)
    path = workspace / "tasks" / entry.id / "entry.json"
    older = {key: value for key, value in json.loads(path.read_text()).items() if not key.startswith("test_")}
    path.write_text(json.dumps(older))
    assert task_library.entries([workspace]) == [entry]
    assert task_library.load(entry.id, [workspace]).test is None


def test_a_split_leaves_the_test_part_alone(tmp_path: Path) -> None:
    whole = task_of(tmp_path, files("train", 20) | files("dev", 6, 30) | files("test", 8, 40))
    rows = whole.table.filter(pc.equal(whole.table["split"], "train"))
    again = split(replace(whole, table=rows), 0.25, 1)
    assert again.rows("test") == whole.rows("test")
    assert (len(again.rows("train")), len(again.rows("validation"))) == (15, 5)
    assert again.table.schema == SCHEMA


def test_the_download_holds_all_parts(tmp_path: Path) -> None:
    whole = task_of(tmp_path, files("train", 20) | files("dev", 6, 30) | files("test", 8, 40))
    (tmp_path / "down").write_bytes(tsv(whole))
    again = read([InputFile("down.tsv", tmp_path / "down")])
    assert again.table.equals(whole.table)
    assert again.test is not None
    assert again.test.equals(whole.test)
