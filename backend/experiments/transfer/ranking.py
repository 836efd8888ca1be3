"""Transfer-direction-ranking (TDR) accuracy of scores against a task's accuracies: frames in, frames out. No training here.

A direction leads from the language that is trained on to the one that is evaluated. Source: Chi, Huang & Mao 2023, Eq. 6 and
tables 1 and 5.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from isogloss.backend.metrics.transfer.directions import transfer_direction_accuracy
from isogloss.backend.metrics.transfer.windows import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Fixed = Literal["source", "target"]
"""The end of the directions that are ranked against each other: from one source to many targets, or to one target."""
AVERAGE = "average"
"""Stands for a language in the row of the mean over all fixed languages."""
SCORES = ("L2", "Dot", "Cos", "IGap")
"""By the paper's names; `SIMILARITIES` says where the first three come from."""
SIMILARITIES = {"L2": ("vectors_l2", -1.0), "Dot": ("vectors_dot", 1.0), "Cos": ("vectors_cosine", 1.0)}
"""Score → its metric in `backend.experiments.transfer.similarity`, and the sign that makes higher better transfer."""
COLUMNS = ["score", "language", "value", "directions"]
_ENDS = ["source", "target"]


def ranking(gold: pd.DataFrame, scores: Mapping[str, pd.DataFrame], fixed: Fixed) -> pd.DataFrame:
    """TDR accuracy of each score, for each language at the fixed end and their mean (`AVERAGE`): `COLUMNS`.

    `gold` has source, target, accuracy (`transfer_summary.accuracies` of one model); each score source, target, value, higher =
    better transfer (`predictions`). All scores are compared on the same directions (`docs/definitions.md`, "Transfer"). `value`
    is a share, 0 to 1, nan for a language with fewer than two directions; the average is over the others.
    Raises ValueError where a frame has a direction twice.
    """
    parts = [_numbers(gold, "accuracy", "gold")]
    parts += [_numbers(frame, "value", name) for name, frame in scores.items()]
    common = reduce(lambda left, right: left.merge(right, on=_ENDS), parts)
    rows: list[dict[str, Any]] = []
    for name in scores:
        accuracies = []
        for language in sorted(gold.loc[gold["source"] != gold["target"], fixed].unique()):
            own = common[common[fixed] == language]
            value = transfer_direction_accuracy(own["gold"].to_numpy(np.float64), own[name].to_numpy(np.float64))
            rows.append({"score": name, "language": language, "value": value, "directions": len(own)})
            accuracies.append(value)
        known = [value for value in accuracies if not np.isnan(value)]
        mean = float(np.mean(known)) if known else np.nan
        rows.append({"score": name, "language": AVERAGE, "value": mean, "directions": len(common)})
    return pd.DataFrame(rows, columns=COLUMNS)


def predictions(igap: pd.DataFrame, similarity: pd.DataFrame, layer: int) -> dict[str, pd.DataFrame]:
    """Return the scores that there are of `SCORES`, as `ranking` takes them: source, target, value, higher = better transfer.

    `igap` is of one model (`transfer_summary.igaps`, whose least gap is the best transfer); `similarity` has metric, layer,
    source, target, value with one row a pair, which serves both directions. Either may be empty; so is an IGap without any
    value, which would leave no direction to compare.
    """
    by_score = {}
    at = similarity[similarity["layer"] == layer]
    for name, (metric, sign) in SIMILARITIES.items():
        own = at.loc[at["metric"] == metric, [*_ENDS, "value"]]
        if len(own):
            both = pd.concat([own, own.rename(columns={"source": "target", "target": "source"})], ignore_index=True)
            by_score[name] = both.assign(value=sign * both["value"])
    if igap["value"].notna().any():
        by_score["IGap"] = igap[[*_ENDS, "value"]].assign(value=-igap["value"])
    return by_score


def best_aligned_layer(similarity: pd.DataFrame) -> int:
    """Return the layer at which the nearest sentence is most often the translation, by the mean over pairs of `vectors_top1`.

    Of equals (within 1e-12) the lowest. Raises ValueError where no layer has a number.
    """
    means = similarity[similarity["metric"] == "vectors_top1"].groupby("layer")["value"].mean().dropna().sort_index()
    if means.empty:
        raise ValueError("The best aligned layer needs retrieval accuracies (vectors_top1) of at least one layer.")
    return int(means.index[means >= means.max() - TOLERANCE][0])


def counterparts(tags: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Map each of `tags` to what another corpus calls that language, where it has it.

    That is the same tag, else the only one of its primary language that is left (`sr` and `sr-Latn`).
    """
    wanted, left = list(dict.fromkeys(tags)), set(others)
    by_tag = {tag: tag for tag in wanted if tag in left}
    left -= by_tag.keys()
    rest = [tag for tag in wanted if tag not in by_tag]
    for tag in rest:
        alike = [other for other in left if _primary(other) == _primary(tag)]
        if len(alike) == 1 and sum(_primary(other) == _primary(tag) for other in rest) == 1:
            by_tag[tag] = alike[0]
    return {tag: by_tag[tag] for tag in wanted if tag in by_tag}


def rename_ends(frame: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows whose both ends `names` has, with the ends renamed."""
    kept = frame[frame["source"].isin(list(names)) & frame["target"].isin(list(names))]
    return kept.assign(source=kept["source"].map(names), target=kept["target"].map(names)).reset_index(drop=True)


def _numbers(frame: pd.DataFrame, column: str, name: str) -> pd.DataFrame:
    """source, target and `column` as `name`: the directions between two languages that have a number."""
    known = frame.loc[(frame["source"] != frame["target"]) & frame[column].notna(), [*_ENDS, column]]
    if known.duplicated(_ENDS).any():
        raise ValueError(f"There are two numbers for one direction in '{name}': rank one model at a time.")
    return known.rename(columns={column: name})


def _primary(tag: str) -> str:
    return tag.split("-")[0]
