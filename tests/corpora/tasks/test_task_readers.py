"""Tasks from files: every layout gives the same rows, and what is wrong is said with its file and line."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.tasks.readers import InputFile, read
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from isogloss.backend.corpora.tasks.task import LabelledTask

LABELS = ("entailment", "neutral", "contradiction")
WORDS = {"en": "The water number {} is cold", "de": "Das Wasser Nummer {} ist kalt", "ru": "Вода номер {} холодная"}
PAIRS = {"en": "Water {} is not warm", "de": "Wasser {} ist nicht warm", "ru": "Вода {} не тёплая"}

Drop = dict[str, Any]
"""File name → its text, or its bytes."""


def rows(language: str, count: int = 12, start: int = 0) -> list[tuple[str, str, str]]:
    return [(WORDS[language].format(i), PAIRS[language].format(i), LABELS[i % 3]) for i in range(start, start + count)]


def xtreme(part: str = "dev-", count: int = 12, start: int = 0) -> Drop:
    made = {tag: "".join("\t".join(row) + "\n" for row in rows(tag, count, start)) for tag in WORDS}
    return {f"{part}{tag}.tsv": text for tag, text in made.items()}


def table(fields: list[list[Any]], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(fields)
    return out.getvalue()


def wide(count: int = 12, *, pair: bool = True, prefix: str = "premise_") -> list[list[Any]]:
    names = [f"{prefix}{tag}" for tag in WORDS] + ([f"hypothesis_{tag}" for tag in WORDS] if pair else [])
    body = []
    for i in range(count):
        texts = [WORDS[tag].format(i) for tag in WORDS] + ([PAIRS[tag].format(i) for tag in WORDS] if pair else [])
        body.append([*texts, LABELS[i % 3]])
    return [[*names, "label"], *body]


def long(count: int = 12) -> list[list[Any]]:
    body = [[str(i + 1), tag, *row] for tag in WORDS for i, row in enumerate(rows(tag, count))]
    return [["id", "language", "text", "text_pair", "label"], *body]


def nested(count: int = 12) -> list[dict[str, Any]]:
    return [
        {
            "premise": {tag: WORDS[tag].format(i) for tag in WORDS},
            "hypothesis": {"language": list(WORDS), "translation": [PAIRS[tag].format(i) for tag in WORDS]},
            "label": i % 3,
        }
        for i in range(count)
    ]


@pytest.fixture
def drop(tmp_path: Path) -> Callable[..., LabelledTask]:
    """Write texts under their names and read them as one task."""

    def files(texts: Drop) -> list[InputFile]:
        found = []
        for number, (name, text) in enumerate(texts.items()):
            path = tmp_path / f"{number}-{len(list(tmp_path.iterdir()))}"
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
            found.append(InputFile(name, path))
        return found

    return lambda texts, validation=None, **options: read(files(texts), files(validation or {}), **options)


def content(task: LabelledTask, language: str) -> list[tuple[Any, ...]]:
    part = task.part(language)
    return list(zip(*(part[name].to_pylist() for name in ("text", "text_pair", "label")), strict=True))


LAYOUTS: dict[str, Drop] = {
    "XTREME": xtreme(),
    "XTREME without a part": xtreme(part=""),
    "XTREME, ends of lines of Windows": {name: text.replace("\n", "\r\n") for name, text in xtreme().items()},
    "a header": {name: f"sentence1\tsentence2\tlabel\n{text}" for name, text in xtreme().items()},
    "a header and ids": {
        name: "id\tsentence1\tsentence2\tlabel\n" + "".join(f"{i + 1}\t{line}\n" for i, line in enumerate(text.splitlines()))
        for name, text in xtreme().items()
    },
    "CSV": {"mine.csv": table(wide())},
    "CSV with semicolons": {"mine.csv": table(wide(), ";")},
    "TSV": {"mine.tsv": table(wide(), "\t")},
    "JSON Lines": {"mine.jsonl": "".join(json.dumps(dict(zip(wide()[0], row, strict=True))) + "\n" for row in wide()[1:])},
    "long CSV": {"mine.csv": table(long())},
    "long CSV, other order": {"mine.csv": table([long()[0], *sorted(long()[1:], key=lambda row: (int(row[0]), row[1]))])},
    "nested": {"all.jsonl": "".join(json.dumps(row) + "\n" for row in nested())},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_the_same_task(drop: Callable[..., LabelledTask], layout: str) -> None:
    task = drop(LAYOUTS[layout])
    assert (task.languages, task.labels, task.is_pair) == (["de", "en", "ru"], sorted(LABELS), True)
    for tag in WORDS:
        assert content(task, tag) == rows(tag)
        assert task.part(tag)["row_id"].to_pylist() == task.rows()
    assert (task.report.skipped_count, task.report.warnings, task.report.label_differs) == (0, (), 0)
    assert set(task.table["split"].to_pylist()) == {"train"}


def test_single_sentences(drop: Callable[..., LabelledTask]) -> None:
    bare = [["row_id", "en", "de", "ru", "label"], *[[f"x{i}", *row] for i, row in enumerate(wide(pair=False)[1:])]]
    two = {f"{tag}.tsv": "".join(f"{text}\t{label}\n" for text, _, label in rows(tag)) for tag in WORDS}
    for texts in ({"a.csv": table(wide(pair=False, prefix="text_"))}, {"a.csv": table(bare)}, two):
        task = drop(texts)
        assert not task.is_pair
        assert content(task, "ru") == [(text, None, label) for text, _, label in rows("ru")]
    assert drop({"a.csv": table(bare)}).rows() == [f"x{i}" for i in range(12)]


def test_parquet_and_archives(drop: Callable[..., LabelledTask], tmp_path: Path) -> None:
    path = tmp_path / "a"
    pq.write_table(pa.Table.from_pylist(nested()), path)
    task = read([InputFile("all.parquet", path)])
    assert content(task, "de") == rows("de")
    with zipfile.ZipFile(tmp_path / "b", "w") as archive:
        for tag in WORDS:
            archive.writestr(f"x-final/{tag}/dev_2k.tsv", f"id\tsentence1\tsentence2\tlabel\n{numbered(tag)}")
        archive.writestr("x-final/README.md", "text")
    task = read([InputFile("x-final.zip", tmp_path / "b")])
    assert content(task, "de") == rows("de")
    assert task.rows()[0] == "dev.1"
    assert "README.md" in task.report.warnings[0]


def numbered(tag: str) -> str:
    return "".join(f"{i + 1}\t" + "\t".join(row) + "\n" for i, row in enumerate(rows(tag)))


def test_rows_end_at_line_feeds_alone_and_quotes_are_text(drop: Callable[..., LabelledTask]) -> None:
    texts = xtreme()
    texts["dev-ru.tsv"] = texts["dev-ru.tsv"].replace("Вода номер 3 ", "Вода\u2028номер\u0085 3 ", 1)
    texts["dev-en.tsv"] = texts["dev-en.tsv"].replace("The water number 5 is", '"The water ""number 5 is', 1)
    task = drop(texts)
    assert content(task, "ru")[3][0] == "Вода\u2028номер\u0085 3 холодная"
    assert content(task, "en")[5][0] == '"The water ""number 5 is cold'
    assert len(task.rows()) == 12


def test_labels_that_differ_are_kept_and_counted(drop: Callable[..., LabelledTask]) -> None:
    texts = xtreme()
    texts["dev-de.tsv"] = texts["dev-de.tsv"].replace("neutral", "entailment", 2)
    texts["dev-ru.tsv"] = texts["dev-ru.tsv"].replace("contradiction", "neutral", 1)
    task = drop(texts)
    assert task.report.label_differs == 3
    assert (task.label_differs("de", "en"), task.label_differs("de", "ru")) == (2, 3)
    assert "3 rows have another label in another language (3 between de and ru)" in task.report.warnings[0]
    assert task.examples("de", labels_of="en").labels.tolist() == task.examples("en").labels.tolist()


def test_parts(drop: Callable[..., LabelledTask]) -> None:
    train, dev, test = xtreme("train-", 12), xtreme("dev-", 6, 20), xtreme("test-", 6, 40)
    task = drop({**test, **train, **dev})
    assert task.rows() == [f"train.{i}" for i in range(1, 13)] + [f"dev.{i}" for i in range(1, 7)]
    assert task.rows("validation") == [f"dev.{i}" for i in range(1, 7)]
    assert content(task, "ru")[12:] == rows("ru", 6, 20)
    assert "Kept beside, for probes: the test part (18 rows" in task.report.warnings[0]
    assert task.rows("test") == [f"test.{i}" for i in range(1, 7)]
    assert task.examples("ru", "test").texts == [first for first, *_ in rows("ru", 6, 40)]
    assert task.table.equals(drop({**train, **dev}).table)  # what transfer reads, and the task's id with it, is the same
    task = drop({**test, **dev})
    assert (task.rows("train")[0], task.rows("validation")[0]) == ("dev.1", "test.1")
    assert "The dev part is for training" in task.report.warnings[0]
    task = drop(xtreme("x_", 12), xtreme("y_", 6, 20))
    assert (len(task.rows("train")), len(task.rows("validation"))) == (12, 6)
    marked = [[*row, "split" if i == 0 else "train" if i < 9 else "validation"] for i, row in enumerate(wide())]
    task = drop({"a.csv": table(marked)})
    assert (len(task.rows("train")), len(task.rows("validation"))) == (8, 4)
    marked[3][-1] = "trial"
    with pytest.raises(CorpusError, match=r"a.csv, line 4: 'trial' is no part of a task"):
        drop({"a.csv": table(marked)})


def test_training_rows_in_one_language_alone_are_a_task_of_their_own(drop: Callable[..., LabelledTask]) -> None:
    english = {"train-en.tsv": xtreme("train-")["train-en.tsv"]}
    german = {"train-de.tsv": xtreme("train-")["train-de.tsv"]}
    with pytest.raises(CorpusError, match=r"train-(de|en).tsv: The train part has no ru, .*files of one language alone"):
        drop({**english, **german, **xtreme()})
    with pytest.raises(CorpusError, match=r"dev-en.tsv: The dev part has no de, ru, "):
        drop({"dev-en.tsv": xtreme()["dev-en.tsv"], **xtreme("train-")})  # of what is validated on nothing may lack
    task = drop(english)
    assert task.languages == ["en"]
    assert "extra training data" in task.report.warnings[0]


def test_a_row_that_one_language_lacks_is_left_out_of_all_and_named(drop: Callable[..., LabelledTask]) -> None:
    texts = xtreme()
    lines = texts["dev-de.tsv"].split("\n")
    lines[3], lines[7] = "", f"  \t{lines[7].split(chr(9))[1]}\tneutral"
    texts["dev-de.tsv"] = "\n".join(lines)
    lines = texts["dev-ru.tsv"].split("\n")
    lines[9] = "\t".join([*lines[9].split("\t")[:2], "-"])
    texts["dev-ru.tsv"] = "\n".join(lines)
    task = drop(texts)
    assert task.rows() == [f"dev.{i}" for i in range(1, 13) if i not in (4, 8, 10)]
    assert [(s.file, s.line, s.reason) for s in task.report.skipped] == [
        ("dev-de.tsv", 4, "no text in de; no label in de: left out in every language"),
        ("dev-de.tsv", 8, "no text in de: left out in every language"),
        ("dev-ru.tsv", 10, "no label in ru: left out in every language"),
    ]
    partial = [row for row in long() if not (row[0] == "5" and row[1] == "ru")]
    task = drop({"a.csv": table(partial)})
    assert (len(task.rows()), task.report.skipped_count) == (11, 1)
    assert task.report.skipped[0].reason == "no row in ru: left out in every language"


def test_a_pair_without_its_second_sentence_is_no_row(drop: Callable[..., LabelledTask]) -> None:
    body = wide()
    body[2][4] = ""
    task = drop({"a.csv": table(body)})
    assert (len(task.rows()), task.report.skipped[0].line) == (11, 3)


def test_repeats_and_leaks_are_counted(drop: Callable[..., LabelledTask]) -> None:
    body = wide()
    body[5][:6] = body[4][:6]
    notes = drop({"a.csv": table(body)}).report.warnings
    assert "Rows that repeat an earlier one, kept: 1 in de, 1 in en, 1 in ru. With another label: 1 in de" in notes[0]
    assert "a.csv, line 6" in notes[0]
    notes = drop({"a.csv": table(wide())}, {"b.csv": table(wide(6))}).report.warnings
    assert "also trained on: 6 in de, 6 in en, 6 in ru. The first: b.csv, line 2." in notes[-1]
    texts = xtreme()
    texts["dev-de.tsv"] = texts["dev-de.tsv"].replace("Das Wasser Nummer 3 ist kalt", "NS")
    assert "A placeholder such as 'NS' stands for a sentence, kept: 1 in de" in drop(texts).report.warnings[0]


def spoilt(name: str, old: str, new: str, count: int = 1, **options: Any) -> Drop:
    texts = xtreme(**options)
    assert old in texts[name]
    return {**texts, name: texts[name].replace(old, new, count)}


def without(column: int, body: list[list[Any]]) -> str:
    return table([[field for i, field in enumerate(row) if i != column] for row in body])


BROKEN: dict[str, tuple[Drop, str]] = {
    "rows of different number": (
        {**xtreme(), "dev-de.tsv": xtreme(count=11)["dev-de.tsv"]},
        r"dev-de.tsv, line 11: The file has 11 lines, but dev-en.tsv has 12: they are not parallel",
    ),
    "a row with a column too many": (
        spoilt("dev-en.tsv", "is cold", "is\tcold"),
        r"dev-en.tsv, line 2: The row has 3 fields, but the first has 4|"
        r"dev-en.tsv, line 1: The first row has 4 fields",
    ),
    "a later row with a column too many": (
        spoilt("dev-en.tsv", "number 4 is", "number 4\tis"),
        r"dev-en.tsv, line 5: The row has 4 fields, but the first has 3",
    ),
    "one column": ({"dev-en.tsv": "a\nb\n", "dev-de.tsv": "a\nb\n"}, r"dev-de.tsv, line 1: The first row has 1 field,"),
    "no label anywhere": (
        {f"{t}.tsv": "".join(f"{a}\t{b}\n" for a, b, _ in rows(t, 30)) for t in WORDS},
        r"de.tsv: There are \d+ different labels in 30 rows, .* published test files often have none",
    ),
    "no label in one language": (
        {**xtreme(), "dev-de.tsv": "".join(f"{a}\t{b}\n" for a, b, _ in rows("de"))},
        r"dev-de.tsv: de has single sentences",
    ),
    "one class": (
        {name: text.replace("neutral", "entailment").replace("contradiction", "entailment") for name, text in xtreme().items()},
        r"dev-de.tsv: Every row with a text and a label in every language has the label 'entailment'. A classifier needs two",
    ),
    "a label in capitals": (
        spoilt("dev-ru.tsv", "neutral", "Neutral"),
        r"dev-ru.tsv, line 2: The label 'Neutral' differs from 'neutral' only in .* Did you mean 'neutral'",
    ),
    "a slip": (
        spoilt("dev-ru.tsv", "neutral", "neutrall", count=1) | {},
        r"dev-ru.tsv, line 2: The label 'neutrall' is used in ru but not in de",
    ),
    "a slip in all languages": (
        {name: text.replace("neutral", "neutrall", 1) for name, text in xtreme(count=90).items()},
        r"dev-de.tsv, line 2: The label 'neutrall' is in one row only, and looks like a slip. Did you mean 'neutral'",
    ),
    "a label that is validated but not trained": (
        {**{n: t.replace("neutral", "entailment") for n, t in xtreme("train-").items()}, **xtreme("dev-")},
        r"dev-de.tsv, line 2: The label 'neutral' is in the validation part of de but not in its training part",
    ),
    "an unknown language": (
        {"a.csv": table([[name.replace("_ru", "_xx") for name in wide()[0]], *wide()[1:]])},
        r"a.csv, line 1: The column 'premise_xx'",
    ),
    "a hypothesis without its column": ({"a.csv": without(5, wide())}, r"a.csv, line 1: ru has no column such as 'hypothesis_"),
    "no label column": ({"a.csv": without(6, wide())}, r"a.csv, line 1: There is no column of labels \(found: 'premise_en'"),
    "no texts": ({"a.csv": "label,number\na,1\nb,2\n"}, r"a.csv, line 1: There is no column of texts with a language"),
    "no ids": ({"a.csv": without(0, long())}, r"a.csv, line 1: The long format has no id column"),
    "the same id twice": (
        {"a.csv": table([*long(), ["3", "ru", "Ещё раз", "Да", "neutral"]])},
        r"a.csv, line 38: The id '3' is there a second time in ru \(first in a.csv, line 28\)",
    ),
    "a row without its language": (
        {"a.csv": table([*long(), ["99", "", "a", "b", "neutral"]])},
        r"a.csv, line 38: The row does not",
    ),
    "a language with few rows": (
        {"a.csv": table([row for row in long() if row[1] != "ru" or row[0] in ("1", "2")])},
        r"a.csv: ru has text in only 2 of 12 rows",
    ),
    "only missing labels": (
        {"all.jsonl": "".join(json.dumps({**row, "label": -1}) + "\n" for row in nested())},
        "No row has a text and a label",
    ),
    "scores for labels": (
        {"a.jsonl": '{"en": "One", "de": "Eins", "label": 0.5}\n{"en": "Two", "de": "Zwei", "label": 1}\n'},
        r"a.jsonl, line 1: The label '0.5' is no class",
    ),
    "swapped scripts": (
        {**xtreme(), "dev-ru.tsv": xtreme()["dev-de.tsv"]},
        r"dev-ru.tsv, line 1: Most of ru is not in the script of Russian",
    ),
    "two layouts": (
        {**xtreme(), "a.csv": table(wide())},
        r"The files differ in layout: a.csv is a column per language; dev-de.tsv is",
    ),
    "a part for some files": ({**xtreme(""), **xtreme("dev-")}, r"Nothing says whether these rows are for training"),
    "no table": ({"a.docx": "x"}, r"a.docx: This is no table of a task. Save the sheet as CSV"),
    "no language in the name": ({"mine.tsv": "a\tb\tc\n"}, r"mine.tsv, line 1: The name does not say which language"),
    "a blank row": (
        {n: "text\ttext_pair\tlabel\n" + t.replace("\n", "\n\n", 1) for n, t in xtreme().items()},
        r"dev-de.tsv, line 3: A row is blank",
    ),
    "UTF-16": ({**xtreme(), "dev-de.tsv": "a\tb\tc".encode("utf-16")}, r"dev-de.tsv, line 1: The file is UTF-16"),
    **{
        f"{what} in JSON's {place}": (
            {
                "a.jsonl": "".join(
                    f'{{"id": "{i}", "en": "One {i}", "de": "Eins {i}", "label": "{i % 2}"}}\n' for i in range(9)
                ).replace(f"{at}4", f"{at}{written}")
            },
            rf"a.jsonl, line 5: There is {says}",
        )
        for place, at in (("texts", "One "), ("ids", '"id": "'))
        for what, written, says in (("NUL", "\\u0000", "a NUL"), ("half a character", "\\ud800", "half a character"))
    },
    "half a character for a label": (
        {"a.jsonl": "".join(json.dumps({"en": f"One {i}", "de": f"Eins {i}", "label": "\ud800"}) + "\n" for i in range(3))},
        r"a.jsonl, line 1: There is half a character",
    ),
    "NUL": (spoilt("dev-de.tsv", "Wasser Nummer 2", "Wasser \0"), r"dev-de.tsv, line 3: There is a NUL"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_said_where(drop: Callable[..., LabelledTask], case: str) -> None:
    texts, says = BROKEN[case]
    with pytest.raises(CorpusError, match=says):
        drop(texts)


def test_labels_that_may_occur(drop: Callable[..., LabelledTask]) -> None:
    texts = {name: text.replace("neutral", "natural", 2) for name, text in xtreme().items()}
    assert "natural" in drop(texts).labels
    with pytest.raises(CorpusError, match=r"dev-de.tsv, line 2: The label 'natural' is not one of .* Did you mean 'neutral'"):
        drop(texts, labels=LABELS)


def test_some_languages(drop: Callable[..., LabelledTask]) -> None:
    assert drop(xtreme(), languages=["rus", "German"]).languages == ["de", "ru"]
    with pytest.raises(CorpusError, match="The files have no 'fi'"):
        drop(xtreme(), languages=["fi"])


def test_a_column_that_is_no_text_is_named(drop: Callable[..., LabelledTask]) -> None:
    body = [[*row, "genre" if i == 0 else "news"] for i, row in enumerate(wide())]
    assert drop({"a.csv": table(body)}).report.warnings == (
        "a.csv: the column 'genre' is no language's text and was left out.",
    )


def test_a_second_column_of_labels_is_named(drop: Callable[..., LabelledTask]) -> None:
    body = [[*row, "gold_label" if i == 0 else "other"] for i, row in enumerate(wide())]
    assert drop({"a.csv": table(body)}).report.warnings == (
        "a.csv: the column 'gold_label' is no language's text and was left out.",
    )
    body = [[*row, "class" if i == 0 else "other"] for i, row in enumerate(long())]
    assert drop({"a.csv": table(body)}).report.warnings == ("Columns that were left out: 'class' (first in a.csv).",)


def test_a_shared_column_of_labels_beside_each_languages_own_is_named(drop: Callable[..., LabelledTask]) -> None:
    names = [f"label_{tag}" for tag in WORDS]
    body = [[*row, *(names if i == 0 else [row[-1]] * 3)] for i, row in enumerate(wide())]
    task = drop({"a.csv": table([[*body[0]], *([*row[:6], "other", *row[7:]] for row in body[1:])])})
    assert task.labels == sorted(LABELS)
    assert task.report.warnings == ("a.csv: the column 'label' was left out, since every language has labels of its own.",)


def test_a_label_of_one_row_is_a_class_and_said(drop: Callable[..., LabelledTask]) -> None:
    files = {name: text.replace("neutral", "banana", 1) for name, text in xtreme(count=30).items()}
    task = drop(files)
    assert "banana" in task.labels
    (said,) = task.report.warnings
    assert said == "Labels of one row only, each a class of its own: 'banana'. The first: dev-de.tsv, line 2."
    twice = {name: text.replace("neutral", "banana", 2) for name, text in xtreme(count=30).items()}
    assert drop(twice).report.warnings == ()


def test_two_files_of_one_language_are_said(drop: Callable[..., LabelledTask]) -> None:
    files = xtreme() | {"xnli.dev.en.tsv": xtreme()["dev-en.tsv"]}
    with pytest.raises(CorpusError, match=r"^xnli.dev.en.tsv, line 1: .*first in dev-en.tsv.* Leave one of the two"):
        drop(files)


def test_left_out_columns_of_many_files_are_named_once(drop: Callable[..., LabelledTask]) -> None:
    head, more = "sentence1\tsentence2\tlabel\tgenre\ttext\n", "\tnews\tlonger\n"
    files = {name: head + text.replace("\n", more) for name, text in xtreme().items()}
    task = drop(files)
    assert task.report.warnings == ("Columns that were left out: 'sentence1', 'genre' (first in dev-de.tsv).",)
    assert content(task, "en")[0][0] == "longer"  # `text` goes before `sentence1`: what was not read is said


def test_the_second_name_of_a_language_is_where_it_goes_wrong(drop: Callable[..., LabelledTask]) -> None:
    files = xtreme() | {"dev-eng.tsv": xtreme()["dev-en.tsv"]}
    with pytest.raises(CorpusError, match=r"^dev-eng.tsv: 'en' and 'eng' are both English"):
        drop(files)


def test_numbers_are_labels(drop: Callable[..., LabelledTask]) -> None:
    lines = [{"text_en": f"One {i}", "text_de": f"Eins {i}", "label": [0, 1.0, None, "1"][i % 4]} for i in range(8)]
    task = drop({"a.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
    assert task.labels == ["0", "1"]
    assert [(s.line, s.reason) for s in task.report.skipped] == [(n, "no label: left out in every language") for n in (3, 7)]


@pytest.mark.parametrize(("folder", "languages", "count", "differs"), [("xnli", 15, 2490, 0), ("pawsx", 7, 2000, 72)])
def test_real_tasks(real_data: Path, folder: str, languages: int, count: int, differs: int) -> None:
    paths = sorted((real_data / folder).glob("*.tsv"))
    task = read([InputFile(path.name, path) for path in paths])
    assert (len(task.languages), len(task.rows()), task.report.label_differs) == (languages, count, differs)
    assert task.report.skipped_count == 0
    for path in paths:
        lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
        assert content(task, path.stem.removeprefix("dev-")) == [tuple(line.split("\t")) for line in lines]
    if folder == "pawsx":
        assert max(task.label_differs("en", tag) for tag in task.languages) == 32
        # One Korean text holds a separator (U+001C) that `str.splitlines` would end a row at.
        assert any(len(text.splitlines()) > 1 for text in task.examples("ko").texts + (task.examples("ko").pairs or []))
