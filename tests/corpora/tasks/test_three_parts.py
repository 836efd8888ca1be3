"""Three parts of a labelled task, for probes: a test part beside, else stated shares; what transfer reads stays as it was."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from isogloss.backend.corpora import kinds
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tagged import parts as tagged_parts
from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.corpora.tasks import three_parts
from isogloss.backend.corpora.tasks.readers import read
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask, split
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.settings import ROOT
from isogloss.pages.library.tasks.table import tsv

if TYPE_CHECKING:
    from isogloss.backend.corpora.tagged.parts import Part

XNLI = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data")) / "xnli"
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


@pytest.mark.parametrize("whole", [("train",), ("train", "validation"), ("train", "test")])
def test_rows_with_one_premise_stand_in_one_part(whole: tuple[str, ...]) -> None:
    """No premise of any language is in two parts, whatever is repeated where, and no row is lost."""
    draw = random.Random(len(whole) + len(whole[-1]))
    for _ in range(20):
        english = [draw.randrange(150) for _ in range(300)]
        german = [draw.randrange(2000) if draw.random() < 0.05 else premise for premise in english]  # translated once more
        german = [premise - premise % 2 if premise < 20 else premise for premise in german]  # two that are one here
        premises = {"de": german, "en": english}
        kinds = [whole[0] if i < 200 else whole[-1] for i in range(300)]
        rows = [
            {"row_id": f"{kind}{i}", "language": tag, "text": f"{tag} {premise}", "text_pair": f"{i}", "label": "ny"[i % 2]}
            | {"split": kind}
            for tag, own in premises.items()
            for i, (kind, premise) in enumerate(zip(kinds, own, strict=True))
        ]
        table = pa.Table.from_pylist(rows, SCHEMA)
        tested = pc.equal(table["split"], "test")
        task = LabelledTask(table.filter(pc.invert(tested)), test=table.filter(tested) if "test" in whole else None)
        found = {part: three_parts.examples(task, "en", part).row_ids for part in PARTS}
        assert sorted(row for rows in found.values() for row in rows) == sorted(f"{kind}{i}" for i, kind in enumerate(kinds))
        assert {part: three_parts.examples(task, "de", part).row_ids for part in PARTS} == found
        split = [part for part in PARTS if three_parts.origin(task, part) != part]
        for one, other in combinations(split, 2):
            for tag in ("de", "en"):
                texts = [set(three_parts.examples(task, tag, part).texts) for part in (one, other)]
                assert not texts[0] & texts[1]


def test_a_first_sentence_of_most_rows_is_no_premise(tmp_path: Path) -> None:
    drop = {"train-en.tsv": "".join(f"{['Tax', 'Law'][i % 2]}\tClaim {i}\t{'ny'[i % 3 // 2]}\n" for i in range(60))}
    task = task_of(tmp_path, drop)
    assert [len(three_parts.examples(task, "en", part)) for part in PARTS] == [48, 6, 6]


def test_without_repeated_premises_rows_are_split_as_by_their_ids(tmp_path: Path) -> None:
    task = task_of(tmp_path, files("train", 100))
    share = tagged_parts.share(["train"], "test")
    assert set(three_parts.examples(task, "en", "test").row_ids) == tagged_parts.chosen(task.rows(), share)
    assert set(task.same_first.items()) == {(row, row) for row in task.rows()}


def test_what_says_which_rows_the_parts_are(tmp_path: Path, workspace: Path) -> None:
    """Parts that are split are known by it: scores of a split by rows are others."""
    drops = [files("train", 20), files("train", 22) | files("dev", 6, 30)]
    drops.append(files("train", 23) | files("dev", 6, 30) | files("test", 8, 50))
    found = []
    for i, drop in enumerate(drops):
        (tmp_path / str(i)).mkdir()
        entry = task_library.keep(task_of(tmp_path / str(i), drop), str(i), workspace)
        found.append(entry.parts_id)
    assert found == ["by premise", "by premise", entry.test_id]
    assert three_parts.known_by("abc", ["train", "test"]) == "abc by premise"


@pytest.mark.skipif(not XNLI.exists(), reason="XNLI is not there")
def test_premises_of_xnli(tmp_path: Path) -> None:
    """Each has three hypotheses; four in five are trained on."""
    drop = {f"dev-{tag}.tsv": (XNLI / f"dev-{tag}.tsv").read_text(encoding="utf-8") for tag in ("en", "ur", "zh")}
    task = task_of(tmp_path, drop)
    parts = [three_parts.examples(task, "ur", part) for part in PARTS]
    texts = [set(examples.texts) for examples in parts]
    assert not texts[0] & texts[1] | texts[0] & texts[2] | texts[1] & texts[2]
    assert [len(examples) for examples in parts] == pytest.approx([1992, 249, 249], abs=6)
    assert [set(examples.labels.tolist()) for examples in parts] == [{0, 1, 2}] * 3


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
    with pytest.raises(CorpusError, match="The same rows are saved as 'Mine' with another test part"):
        task_library.keep(task_of(tmp_path, drop | files("test", 8, 60)), "Mine", workspace)
    folder = workspace / "tasks" / entry.id
    assert sorted(path.name for path in folder.iterdir()) == ["entry.json", "task.parquet", "test.parquet"]
    beside = (folder / "test.parquet").read_bytes()
    for damage in (lambda: (folder / "test.parquet").write_bytes(beside[:-3]), lambda: (folder / "test.parquet").unlink()):
        damage()
        assert len(kinds.check(workspace)[1]) == 1
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
