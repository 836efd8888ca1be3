"""A task whose training part is in one language, as MNLI's is beside XNLI's: read, kept, written and read again, split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.tasks import library, three_parts
from isogloss.backend.corpora.tasks.random_labels import corrupt
from isogloss.backend.corpora.tasks.readers import InputFile, read
from isogloss.backend.errors import CorpusError
from isogloss.pages.library.tasks import report
from isogloss.pages.library.tasks.table import tsv

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.tasks.task import LabelledTask

TAGS = ("de", "en", "fr")
WORDS = {"de": "Das Wasser ist kalt", "en": "The water is cold", "fr": "Cette eau est froide"}
LABELS = ("no", "perhaps", "yes")
TRAINING, TESTED = 30, 9


def lines(tag: str, count: int, start: int, labels: tuple[str, ...] = LABELS) -> str:
    rows = ((f"{WORDS[tag]} {i}.", f"{WORDS[tag]}, {i}?", labels[i % len(labels)]) for i in range(start, start + count))
    return "".join("\t".join(row) + "\n" for row in rows)


def dropped(folder: Path, files: dict[str, str]) -> LabelledTask:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read([InputFile(name, folder / name) for name in files])


def files(part: str = "test") -> dict[str, str]:
    tested = {f"{part}-{tag}.tsv": lines(tag, TESTED, 100) for tag in TAGS}
    return {"train-en.tsv": lines("en", TRAINING, 0)} | tested


@pytest.fixture
def task(tmp_path: Path) -> LabelledTask:
    return dropped(tmp_path / "files", files())


def test_it_is_read_and_says_what_it_cannot_show(task: LabelledTask) -> None:
    assert (task.languages, task.trained) == (list(TAGS), ["en"])
    assert (len(task.rows("train")), len(task.rows("validation")), len(task.rows())) == (30, 9, 39)
    for tag in TAGS:
        assert len(task.examples(tag, "train")) == (30 if tag == "en" else 0)
        assert task.examples(tag, "validation").texts == [f"{WORDS[tag]} {i}." for i in range(100, 109)]
    assert [note for note in task.report.warnings if "The training part is in en alone" in note and "no IGap" in note]


def test_a_third_part_is_kept_beside_in_every_language(tmp_path: Path) -> None:
    third = {f"test-{tag}.tsv": lines(tag, 6, 200) for tag in TAGS}
    task = dropped(tmp_path / "files", files("dev") | third)
    assert (task.trained, len(task.rows("validation")), len(task.rows("test"))) == (["en"], 9, 6)
    assert task.examples("fr", "test").texts[0] == f"{WORDS['fr']} 200."


def test_a_label_that_is_tested_in_another_language_must_be_trained_on(tmp_path: Path) -> None:
    wrong = files() | {"test-fr.tsv": lines("fr", TESTED, 100, ("no", "perhaps", "never"))}
    with pytest.raises(CorpusError, match="'never' is in the validation part of fr but not in its training part"):
        dropped(tmp_path / "files", wrong)


def test_kept_it_is_the_same_and_its_entry_knows_where_to_train(task: LabelledTask, tmp_path: Path) -> None:
    entry = library.keep(task, "Small", tmp_path)
    assert (entry.trained, entry.sources, entry.tags) == (("en",), ["en"], list(TAGS))
    assert (entry.rows, entry.validation_rows) == (39, 9)
    loaded = library.load(entry.id, [tmp_path])
    assert loaded.table.equals(task.table)
    assert loaded.trained == ["en"]
    (tmp_path / "back.tsv").write_bytes(tsv(task))
    assert read([InputFile("back.tsv", tmp_path / "back.tsv")]).table.equals(task.table)
    whole = library.keep(dropped(tmp_path / "files", {f"dev-{tag}.tsv": lines(tag, 30, 0) for tag in TAGS}), "Whole", tmp_path)
    assert (whole.trained, whole.sources) == ((), list(TAGS))


def test_labels_are_replaced_in_the_training_part_alone(task: LabelledTask) -> None:
    noisy = corrupt(task, 1.0, 3)
    assert (noisy.examples("en", "train").labels != task.examples("en", "train").labels).any()
    for tag in TAGS:
        assert (noisy.examples(tag, "validation").labels == task.examples(tag, "validation").labels).all()


def test_probes_train_where_there_are_rows_and_test_everywhere(task: LabelledTask) -> None:
    assert len(three_parts.examples(task, "en", "train")) == TRAINING
    halves = [three_parts.examples(task, "fr", part).row_ids for part in ("validation", "test")]
    assert sorted([*halves[0], *halves[1]]) == sorted(task.rows("validation"))
    with pytest.raises(CorpusError, match="no train rows in fr: they are in en alone"):
        three_parts.examples(task, "fr", "train")


def test_rows_that_share_a_first_sentence_are_found_in_the_languages_that_have_them(tmp_path: Path) -> None:
    texts = files()
    lines_of = texts["test-fr.tsv"].split("\n")
    lines_of[5] = "\t".join([lines_of[2].split("\t")[0], *lines_of[5].split("\t")[1:]])  # in French alone
    task = dropped(tmp_path / "files", texts | {"test-fr.tsv": "\n".join(lines_of)})
    first = task.same_first
    assert set(first) == set(task.rows())
    assert {row: other for row, other in first.items() if row != other} == {"test.6": "test.3"}


def test_the_library_shows_each_part_in_the_languages_that_have_it(task: LabelledTask) -> None:
    trained, tested = (report.alike(task, kind) for kind in ("Training", "Validation"))
    assert (trained.languages, tested.languages) == (["en"], list(TAGS))
    assert len(report.places(trained, "Training")) == 30
    assert len(report.places(tested, "Validation")) == 9
    assert report.cells(tested, "fr", report.places(tested, "Validation"))[0] == (f"{WORDS['fr']} 100.", f"{WORDS['fr']}, 100?")
    assert report.label_codes(task).shape == (3, 9)
    counts = report.label_counts(task)
    assert counts["validation", "fr"].sum() == 9
    assert ("train", "fr") not in counts.columns or counts["train", "fr"].sum() == 0
