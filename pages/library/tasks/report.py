"""Show a labelled task: its size, its rows side by side, its labels and languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.words import count
from isogloss.pages.library.corpora import report as corpus_report
from isogloss.pages.library.corpora import text as corpus_text
from isogloss.pages.library.shared import paging, texts
from isogloss.pages.widgets.words import verbatim

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.corpora.tasks.library import TaskEntry
    from isogloss.backend.corpora.tasks.task import LabelledTask

LABELS_SHOWN = 8


def facts(entry: TaskEntry) -> str:
    """`15 languages · 2,490 pairs of sentences: 2,000 for training, 490 for validation · 500 for testing · 3 labels`."""
    what, several = ("pair of sentences", "pairs of sentences") if entry.is_pair else ("sentence", "sentences")
    training, validation = entry.rows - entry.validation_rows, entry.validation_rows
    part = f": {training:,} for training, {validation:,} for validation" if validation else ""
    beside = f" · {entry.test_rows:,} for testing" if entry.test_rows else ""
    sizes = f"{count(len(entry.languages), 'language')} · {count(entry.rows, what, several)}{part}{beside}"
    return f"{sizes} · {count(len(entry.labels), 'label')}"


def contents(task: LabelledTask, key: str, label: str) -> None:
    """Show how often each label occurs, and the rows side by side, the labels or the table of languages."""
    label_table = label_counts(task)
    most = sorted(label_table.index, key=lambda each: -label_table.loc[each].sum())
    listed = [f"{each}: {_range(label_table.loc[each].groupby('language').sum())}" for each in most[:LABELS_SHOWN]]
    more = [f"{len(most) - LABELS_SHOWN:,} more"] if len(most) > LABELS_SHOWN else []
    st.caption(verbatim(f"Labels · {' · '.join([*listed, *more])}"))
    shown = st.segmented_control(
        "Show", ["Rows", "Labels", "Languages"], default="Rows", required=True, key=f"{key}-view", label_visibility="collapsed"
    )
    match shown:
        case "Languages":
            corpus_report.languages(task.languages, task.report.source_names)
        case "Labels":
            labels(task, label_table)
        case _:
            rows(task, key=f"{key}-rows", label=label)


def label_counts(task: LabelledTask) -> pd.DataFrame:
    """Count the rows of each label: an index of labels, and columns (split, language)."""
    grouped: pd.DataFrame = task.table.group_by(["split", "language", "label"]).aggregate([([], "count_all")]).to_pandas()
    return grouped.pivot(index="label", columns=["split", "language"], values="count_all").fillna(0).astype(int)


def _range(numbers: pd.Series[int]) -> str:
    """`830`, or `987–1,003` where languages differ."""
    least, most = numbers.min(), numbers.max()
    return f"{most:,}" if least == most else f"{least:,}–{most:,}"


def labels(task: LabelledTask, label_table: pd.DataFrame) -> None:
    """Tabulate the labels by part, and in how many rows languages differ in them."""
    parts = {"Training": "train", "Validation": "validation"} if task.rows("validation") else {"Rows": "train"}
    frame = pd.DataFrame({"Label": label_table.index})
    for name, part in parts.items():
        frame[name] = [_range(label_table.loc[each, part]) for each in label_table.index]
    right = {name: st.column_config.TextColumn(alignment="right") for name in parts}
    st.dataframe(frame, hide_index=True, column_config=right, width="content", alt="Labels and how many rows have them")
    if not task.report.label_differs:
        st.caption("Every row has the same label in all languages." if len(task.languages) > 1 else "There is one language.")
        return
    st.caption(f"Rows whose label is not the same in all languages: {task.report.label_differs:,}. Between two of them:")
    st.dataframe(differing(task), width="content", alt="Rows whose label differs between two languages")


def differing(task: LabelledTask) -> pd.DataFrame:
    """Count the rows that have another label in the column's language than in the row's."""
    codes = label_codes(task)
    tags = task.languages
    return pd.DataFrame([[int((own != other).sum()) for other in codes] for own in codes], index=tags, columns=tags)


def label_codes(task: LabelledTask) -> NDArray[np.int32]:
    """Places in the task's labels, [languages, rows]: the rows are the same in every language."""
    known = pa.array(task.labels, pa.string())
    task = alike(task, "Labels differ")
    return np.stack([pc.index_in(task.part(tag)["label"], known).to_numpy() for tag in task.languages])


def rows(task: LabelledTask, *, key: str, label: str) -> None:
    """Show the rows of a part, or those that differ in label, in the chosen languages side by side, page by page."""
    kinds = ["Training", "Validation"] if task.rows("validation") else ["All"]
    kinds += ["Labels differ"] if task.report.label_differs else []
    with st.container(horizontal=True, vertical_alignment="top"):
        tags = corpus_text.side_by_side(task.languages, key=key)
        kind = (
            st.segmented_control("Which rows", kinds, default=kinds[0], required=True, key=f"{key}-kind")
            if kinds[1:]
            else kinds[0]
        )
    task = alike(task, kind or kinds[0])
    if without := [tag for tag in tags if tag not in task.languages]:
        st.caption(f"No {(kind or kinds[0]).lower()} rows in {', '.join(without)}.")
    tags = [tag for tag in tags if tag in task.languages]
    if not tags:
        return
    row_places = places(task, kind or kinds[0])
    slot, window = paging.window(len(row_places), "row", key=f"{key}-{kind}")
    columns = [(language(tag), cells(task, tag, row_places[window])) for tag in tags]
    heading = f"row · label in {tags[0]}" if task.report.label_differs else "row · label"
    with slot:
        texts.table(numbers(task, tags[0], row_places[window]), columns, label=label, numbers=heading)


def alike(task: LabelledTask, kind: str) -> LabelledTask:
    """Return the task with rows that all its languages have: where the training part is in one alone, the part of this kind."""
    if task.trained == task.languages:
        return task
    return task.only_part("train" if kind == "Training" else "validation")


def places(task: LabelledTask, kind: str) -> NDArray[np.int64]:
    """Return where the rows of one kind stand, the same in every language."""
    if kind == "Labels differ":
        codes = label_codes(task)
        return np.flatnonzero((codes != codes[0]).any(axis=0))
    split = task.part(task.languages[0])["split"]
    return np.flatnonzero(pc.equal(split, "validation" if kind == "Validation" else "train").to_numpy())


def cells(task: LabelledTask, tag: str, window: NDArray[np.int64]) -> list[texts.Cell]:
    """List the sentences, or pairs of them, at some places of one language."""
    some = task.part(tag).take(window)
    ones = some["text"].to_pylist()
    return list(zip(ones, some["text_pair"].to_pylist(), strict=True)) if task.is_pair else ones


def numbers(task: LabelledTask, tag: str, window: NDArray[np.int64]) -> list[str]:
    """`12 · 1`: the id and the label in `tag`; `12 · 1, fr 0` where another language, shown or not, has another one."""
    own = task.part(tag).take(window)
    headings = [f"{row} · {label}" for row, label in zip(own["row_id"].to_pylist(), own["label"].to_pylist(), strict=True)]
    if not task.report.label_differs:
        return headings
    others = {other: task.part(other).take(window)["label"].to_pylist() for other in task.languages}
    return [
        ", ".join(
            [first, *(f"{other} {theirs[place]}" for other, theirs in others.items() if theirs[place] != others[tag][place])]
        )
        for place, first in enumerate(headings)
    ]
