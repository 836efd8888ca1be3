"""How many labels of translations a model gives as it learned them, replaced ones included (section 5.4, figure 3b).

A label that is random can only be learned by heart, so what is right beyond chance was carried across languages. The paper does
not say which model its accuracies are of: here of the one behind each IGap, with which the printed 62.6 and 37.0 at labels all
random agree (they sum to 99.6, at a training error near zero).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from isogloss.backend.experiments.transfer.curves import Points, decompose
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.files import digest
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import records
from isogloss.backend.training.finetune.records import unpack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.store.records import RecordFile

Labels = Literal["learned", "true"]
"""`learned`: those that the model was trained on, replaced ones included. `true`: the task's own, before any was replaced."""


def chance_accuracy(classes: int) -> float:
    """Return the accuracy of a random prediction, of any labels: 1/classes, 33.3% of three."""
    return 1 / classes


def chance_igap(classes: int, train_error: float = 0.0) -> float:
    """Return the interlingual gap of a random prediction at a training error: at 0, 66.7 points of three classes."""
    return 1 - chance_accuracy(classes) - train_error


def _records(workspaces: Sequence[Path], **_: object) -> tuple[tuple[str, float], ...]:
    """Return the records of all runs, each with when it was published: data do not change under the name that they have."""
    return tuple((str(file.path), file.modified) for file in records.files(workspaces))


@in_recipes
@depends_on(_records)
def accuracies(
    points: Sequence[Points],
    by: Sequence[str],
    at: float,
    epsilon: float,
    labels: Labels = "learned",
    workspaces: Sequence[Path] = (),
) -> pd.DataFrame:
    """Accuracy on translations of the training examples, mean over a model's directions: `by`, value, directions, known.

    Each direction's is of the model behind its IGap in `[at, at + epsilon)`. `value` is nan where one direction has none.
    `true` labels are read from the data, and the predictions from the records, of `workspaces`.
    """
    parts = decompose(points, by, at, epsilon)
    if labels == "learned":
        parts["value"] = 1 - (parts["train"] + parts["inter"])
    else:
        parts["value"] = _by_true_labels(parts, workspaces)
    wanted = pd.DataFrame([(*each.names, len(each.targets)) for each in points], columns=[*by, "directions"])
    whole = wanted.groupby(list(by), as_index=False, sort=True, dropna=False)["directions"].sum()
    means = parts.groupby(list(by), as_index=False, dropna=False).agg(value=("value", "mean"), known=("value", "size"))
    merged = whole.merge(means, on=list(by), how="left")
    merged["known"] = merged["known"].fillna(0).astype(np.int64)
    merged["value"] = merged["value"].where(merged["known"] == merged["directions"])
    ordered: pd.DataFrame = merged[[*by, "value", "directions", "known"]]
    return ordered


def _by_true_labels(parts: pd.DataFrame, workspaces: Sequence[Path]) -> list[float]:
    """Accuracy of each row's record in its target by the labels that the data have before any is replaced."""
    files = {file.run: file for file in records.files(workspaces) if file.run in set(parts["run"])}
    gold: dict[str, NDArray[np.int64]] = {}
    asked: dict[tuple[str, int], dict[tuple[str, str], bytes]] = {}
    values = []
    for run, step, target in zip(parts["run"].tolist(), parts["step"].tolist(), parts["target"].tolist(), strict=True):
        file = files[run]
        if (run, step) not in asked:
            asked[run, step] = records.predictions(file, step)
        labels = _true_labels(file, gold, workspaces)
        made = unpack(asked[run, step]["train", target], len(labels), file.provenance["classes"])
        values.append(float(np.mean(made == labels)))
    return values


def _true_labels(file: RecordFile, gold: dict[str, NDArray[np.int64]], workspaces: Sequence[Path]) -> NDArray[np.int64]:
    """Return the classes of a run's training examples before any was replaced; `gold` keeps those that are read."""
    provenance = dict(file.provenance) | {"corruption": 0.0, "extra": None}
    named = ("data", "corpus", "source", "languages", "draw", "validation_share", "sentences", "rows")
    key = digest([provenance.get(name) for name in named])
    if key not in gold:
        gold[key] = data_of(provenance, workspaces).data.labels
    return gold[key]
