"""The examples behind an error in another language: the source's text and its translation, and what the model said of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.transfer import data as transfer_data
from isogloss.backend.store import records
from isogloss.backend.training.finetune.records import bits, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.corpora.tasks.task import Split
    from isogloss.backend.experiments.transfer.data import TransferData
    from isogloss.backend.store.records import RecordFile

Kind = Literal["lost", "wrong", "gained", "kept"]
"""Right in the source language and wrong in the target; wrong in both; right in the target alone; right in both."""
COLUMNS = [
    "row_id",
    "source_text",
    "source_pair",
    "target_text",
    "target_pair",
    "gold",
    "target_gold",
    "source_predicted",
    "target_predicted",
    "kind",
]


def of_record(file: RecordFile, step: int, target: str, part: Split, workspaces: Sequence[Path]) -> pd.DataFrame:
    """`join_predictions` for the model of one step of a kept run.

    Raises `StoreError` where it was not evaluated there, and what `data_of` and `join_predictions` raise.
    """
    packed = records.predictions(file, step)
    source = file.provenance["source"]
    for language in (source, target):
        if (part, language) not in packed:
            raise StoreError(
                f"The model of step {step} was not evaluated on the {_PARTS[part]} in {language}. "
                "Choose another record, or train with targets evaluated at more points."
            )
    return join_predictions(transfer_data.data_of(file.provenance, workspaces), packed, target, part)


def join_predictions(data: TransferData, packed: Mapping[tuple[str, str], bytes], target: str, part: Split) -> pd.DataFrame:
    """Return one row per example, in the data's order: `COLUMNS`. Labels are names; `packed`: predictions by (part, language).

    `gold` is the source's label and `target_gold` what the target's prediction is held against: the source's too for
    translations of training examples, the target language's own for validation examples (in PAWS-X some differ). Second texts
    are None in a task of single texts. `row_id` numbers validation examples from 1 where `data` does not say their ids.
    Raises `StoreError` where the examples are not as many as the predictions.
    """
    source_data, source = data.data, data.data.source
    if part == "train":
        gold = target_gold = source_data.labels
    else:
        gold, target_gold = source_data.validation_labels[source], source_data.validation_labels[target]
    n, classes = len(gold), source_data.classes
    names = np.array([*data.labels, *[_NO_LABEL] * (classes - len(data.labels))], dtype=object)
    predicted = {language: _unpacked(packed[part, language], n, classes) for language in (source, target)}
    right, transferred = predicted[source] == gold, predicted[target] == target_gold
    texts = [_columns(transfer_data.part_of(source_data, language, part)) for language in (source, target)]
    return pd.DataFrame(
        {
            "row_id": data.row_ids if part == "train" else data.validation_ids or [str(i + 1) for i in range(n)],
            "source_text": texts[0][0],
            "source_pair": texts[0][1],
            "target_text": texts[1][0],
            "target_pair": texts[1][1],
            "gold": names[gold],
            "target_gold": names[target_gold],
            "source_predicted": names[predicted[source]],
            "target_predicted": names[predicted[target]],
            "kind": np.select([right & ~transferred, ~right & ~transferred, ~right], ["lost", "wrong", "gained"], "kept"),
        },
        columns=COLUMNS,
    )


def confusions(examples: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """How often each gold label (a row) was predicted as each (a column) in the target language; labels without any too."""
    counts = pd.crosstab(examples["target_gold"], examples["target_predicted"])
    return counts.reindex(index=list(labels), columns=list(labels), fill_value=0).rename_axis(index="gold", columns=None)


_NO_LABEL = "–"
"""A class that no example has: a task of one label is learned with two."""
_PARTS = {"train": "training examples", "validation": "validation examples"}


def _unpacked(packed: bytes, n: int, classes: int) -> NDArray[np.uint8]:
    if len(packed) == math.ceil(n * bits(classes) / 8):
        found = unpack(packed, n, classes)
        if found.max(initial=0) < classes:
            return found
    raise StoreError("The predictions do not fit the data that they were made on. Train this run again.")


def _columns(texts: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[list[str], list[str | None]]:
    """First and second texts."""
    first = [each if isinstance(each, str) else each[0] for each in texts]
    return first, [None if isinstance(each, str) else each[1] for each in texts]
