"""The Library's tasks: dropped files are read, shown and kept; what cannot be is said in a sentence with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.corpora.tasks import task as tasks
from isogloss.backend.corpora.tasks.readers import read
from isogloss.pages.library.tasks import report as task_report
from isogloss.pages.library.tasks.table import tsv
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

LABELS = ("no", "maybe", "yes")
TEXTS = {
    "en": ("Water {} is cold", "It is not warm"),
    "ar": ("الماء {} بارد", "ليس دافئا"),
    "de": ("Wasser {} ist kalt", "Es ist nicht warm"),
}


def files(part: str = "dev", count: int = 24, **other: str) -> dict[str, str]:
    """XTREME's files in three languages; `other` gives lines 1 of some of them another label."""
    made = {}
    for tag, (text, pair) in TEXTS.items():
        labels = [other.get(tag, "no"), *(LABELS[i % 3] for i in range(1, count))]
        rows = (f"{text.format(f'{part} {i}')}\t{pair}\t{label}\n" for i, label in enumerate(labels))
        made[f"{part}-{tag}.tsv"] = "".join(rows)
    return made


def dropped(app: AppTest, training: Mapping[str, str], validation: Mapping[str, str] | None = None) -> AppTest:
    for place, some in enumerate((training, validation or {})):
        for name, text in some.items():
            app.file_uploader[place].upload(name, text.encode())
    app.run()
    return press(app, "read-task")


def task_of(folder: Path, drop: Mapping[str, str]) -> tasks.LabelledTask:
    for name, text in drop.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read([InputFile(name, folder / name) for name in drop])


def test_files_of_both_parts_are_read_shown_and_kept(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = open_page("library", shelf="Tasks")
    assert "No task is saved yet" in shown(app)
    lacking = files("train")
    lacking["train-de.tsv"] = lacking["train-de.tsv"].replace("Wasser train 4 ist kalt", "")
    dropped(app, lacking, files("dev", 9))
    text = shown(app)
    assert "XTREME · 3 languages · 32 pairs of sentences: 23 for training, 9 for validation · 3 labels" in text
    assert "1 row left out" in text
    left_out = next(frame.value for frame in app.dataframe if "Reason" in frame.value)
    assert left_out.to_dict("list") == {
        "File": ["train-de.tsv"],
        "Line": [5],
        "Reason": ["no text in de: left out in every language"],
    }
    assert "Labels · no: 11 · yes: 11 · maybe: 10" in text
    assert 'lang="ar" dir="rtl"' in text
    assert "الماء train 0 بارد" in text
    assert "ليس دافئا" in text
    assert "train.1 · no" in text
    assert app.text_input(key="found-task-name").value == "train"
    press(app, "keep-task")
    (entry,) = task_library.entries([workspace])
    again = open_page("library", shelf="Tasks")
    again.session_state[f"task-{entry.id[:12]}"] = True
    again.run()
    assert "1 row left out" in shown(again)
    control = next(each for each in again.segmented_control if each.label == "Which rows")
    control.set_value("Validation").run()
    assert "dev.9 · yes" in shown(again)
    assert "train.1" not in shown(again)


def test_labels_that_differ_are_counted_and_found(open_page: Callable[..., AppTest]) -> None:
    app = dropped(open_page("library", shelf="Tasks"), files(de="yes"))
    text = shown(app)
    assert "have another label in another language (1 between ar and de)" in text
    assert "Labels · yes: 8–9 · maybe: 8 · no: 7–8" in text
    assert "dev.1 · no, de yes" in text
    next(each for each in app.segmented_control if each.label == "Which rows").set_value("Labels differ").run()
    assert "dev.1 · no, de yes" in shown(app)
    assert "dev.2" not in shown(app)
    next(each for each in app.segmented_control if each.label == "Show").set_value("Labels").run()
    frames = [frame.value for frame in app.dataframe]
    counts = next(frame for frame in frames if "Label" in frame)
    assert dict(zip(counts["Label"], counts["Rows"], strict=True)) == {"maybe": "8", "no": "7–8", "yes": "8–9"}
    pairs = next(frame for frame in frames if "de" in frame)
    assert pairs.to_numpy().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_only_labels_that_may_occur_are_taken(open_page: Callable[..., AppTest]) -> None:
    app = open_page("library", shelf="Tasks")
    for name, text in files().items():
        app.file_uploader[0].upload(name, text.encode())
    app.run()
    box = next(each for each in app.multiselect if each.label == "Labels that may occur")
    app.session_state[str(box.key)] = ["no", "yes"]
    press(app, "read-task")
    assert "The label 'maybe' is not one of those expected" in app.error[0].value.replace("\\", "")


def test_rows_that_are_kept_already_are_said_to_be(open_page: Callable[..., AppTest], workspace: Path, tmp_path: Path) -> None:
    task_library.keep(task_of(tmp_path, files()), "Mine", workspace)
    app = open_page("library", shelf="Tasks")
    app.session_state["add-Tasks"] = True
    app.run()
    dropped(app, files())
    press(app, "keep-task")
    assert [toast.value for toast in app.toast] == ["The same rows are saved already, as Mine."]
    assert not app.run().toast
    assert len(task_library.entries([workspace])) == 1


TEXT = st.text("aéß\"', \t\n1", min_size=1, max_size=8).filter(lambda text: any(c.isalpha() for c in text))


@given(
    st.lists(st.tuples(TEXT, TEXT), min_size=4, max_size=7),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["dev.", "train.", ""]),
)
def test_the_downloaded_table_reads_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]], pair: bool, two_parts: bool, prefix: str
) -> None:
    later = {"dev.": "test.", "train.": "dev.", "": ""}[prefix]
    rows = []
    for tag in ("de", "en"):
        for place, (text, second) in enumerate(texts):
            split, part = ("validation", later) if two_parts and place > 1 else ("train", prefix)
            rows.append((f"{part}{place}", tag, text, second if pair else None, LABELS[place % 2], split))
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    task = tasks.LabelledTask(pa.table(columns, schema=tasks.SCHEMA))
    path = tmp_path_factory.mktemp("task") / "x.tsv"
    path.write_bytes(tsv(task))
    again = read([InputFile("dev-xnli.tsv" if prefix else "x.tsv", path)]).table
    if two_parts and not prefix:  # such ids say no part, so reading puts it there
        ids = [f"{'dev' if split == 'validation' else 'train'}.{row_id}" for row_id, *_, split in rows]
        columns[0] = pa.array(ids, pa.string())
    assert again.to_pylist() == pa.table(columns, schema=tasks.SCHEMA).to_pylist()


def test_counts_are_zero_where_a_part_lacks_a_label(tmp_path: Path) -> None:
    counts = task_report.label_counts(task_of(tmp_path, files("train", 6) | files("dev", 2)))
    assert counts.loc["yes", ("train", "en")] == 2
    assert counts.loc["yes", ("validation", "en")] == 0
    assert counts.to_numpy().sum() == 3 * 8
