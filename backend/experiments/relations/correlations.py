"""How strongly two measures go together at a unit, with intervals and p-values that know of shared languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from backend.experiments.relations.cubes import cube_of
from backend.experiments.relations.reading import EACH, Question
from backend.experiments.relations.tables import join, joined
from backend.metrics import permutation
from backend.metrics.correlation import Correlation, pearson, spearman

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from backend.experiments.relations.tables import Joined

Statistic = Literal["Pearson", "Spearman"]
MANY = 199
"""Permutations where a figure holds hundreds of correlations."""
LEAST = 4
"""Points that a correlation needs to be shown."""


@dataclass(frozen=True)
class Related:
    """A correlation, and its p from permuting languages (units, where these are no languages)."""

    statistic: Statistic
    plain: Correlation
    permuted: permutation.Permuted


def relate(found: Joined, x: str, y: str, amount: int = permutation.PERMUTATIONS) -> tuple[Related, Related]:
    """Pearson's and Spearman's correlation of two measures over all points that have both."""
    flat = tuple(_points(found, each) for each in found.stacked(x, y))
    a, b = found.shared(x, y)
    return (
        Related("Pearson", pearson(*flat), permutation.correlation(a, b, pairs=found.pairs, amount=amount)),
        Related("Spearman", spearman(*flat), permutation.correlation(a, b, pairs=found.pairs, ranks=True, amount=amount)),
    )


def over(question: Question, workspaces: Sequence[Path], x: str, y: str) -> pd.DataFrame:
    """The correlations at each checkpoint, or layer, that the question pools over, two rows each.

    Columns: what is pooled over, statistic, value, low, high (95%, points as independent), p (by permuting languages), n.
    """
    found = join(question, workspaces)
    rows = []
    for place, key in enumerate(found.over):
        one = _at(found, place)
        for each in relate(one, x, y, MANY):
            rows.append({str(found.along): key, "statistic": each.statistic} | _numbers(each))
    return pd.DataFrame(rows, columns=[str(found.along), "statistic", "value", "low", "high", "p", "n"])


def everywhere(
    question: Question, workspaces: Sequence[Path], x: str, y: str, statistic: Statistic = "Pearson"
) -> pd.DataFrame:
    """The correlation of x at each layer of each checkpoint with y as it is read: where does x predict y?

    y stays the same everywhere, unless it is read at `each` checkpoint or layer: then it is that of x. A row a cell: checkpoint
    (fingerprint), layer, value, p (by permuting languages), n.
    """
    cubes = {name: cube_of(reading.of, workspaces) for name, reading in question.readings.items()}
    inside = question.readings[x].model_copy(update={"checkpoint": EACH, "layer": EACH})
    rows = []
    follows = question.readings[y].layer == EACH
    for layer in cubes[x].layers:
        there = question.readings[y].model_copy(update={"layer": layer}) if follows else question.readings[y]
        asked = {x: inside.model_copy(update={"layer": layer}), y: there}
        own = joined(Question(unit=question.unit, along="checkpoint", readings=asked), cubes)
        rows += _cells(own, x, y, layer, statistic, moving=there.checkpoint == EACH)
    return pd.DataFrame(rows, columns=["checkpoint", "layer", "value", "p", "n"])


def _cells(own: Joined, x: str, y: str, layer: int, statistic: Statistic, *, moving: bool) -> list[dict[str, object]]:
    """The cells of one layer. Where y stays the same its languages are permuted once for all checkpoints."""
    a, b = own.shared(x, y)
    ranks = statistic == "Spearman"
    if moving:
        shared = [_at(own, i).shared(x, y) for i in range(len(a))]
        one = [permutation.correlation(right, left, pairs=own.pairs, ranks=ranks, amount=MANY) for left, right in shared]
        p = [each.p for each in one]
    else:
        p = permutation.correlations(b[0], a, pairs=own.pairs, ranks=ranks, amount=MANY).p.tolist() if len(a) else []
    found = []
    for place, key in enumerate(own.over):
        left, right = _at(own, place).stacked(x, y)
        plain = (spearman if ranks else pearson)(_points(own, left), _points(own, right))
        enough = plain.n >= LEAST
        value = plain.value if enough else np.nan
        found.append({"checkpoint": key, "layer": layer, "value": value, "p": p[place] if enough else np.nan, "n": plain.n})
    return found


def all_against_all(question: Question, workspaces: Sequence[Path], statistic: Statistic = "Pearson") -> pd.DataFrame:
    """The correlation of every two measures of the question: a row a pair (x, y), both ways: value, p (permuted), n."""
    found = join(question, workspaces)
    names = list(found.arrays)
    everything = np.stack([found.arrays[name] for name in names])
    rows = []
    for place, x in enumerate(names):
        ranks = statistic == "Spearman"
        others = everything[place + 1 :]
        if not len(others):
            break
        p = permutation.correlations(everything[place], others, pairs=found.pairs, ranks=ranks, amount=MANY).p
        for y, own in zip(names[place + 1 :], p.tolist(), strict=True):
            a, b = found.stacked(x, y)
            plain = (spearman if ranks else pearson)(_points(found, a), _points(found, b))
            enough = plain.n >= LEAST
            numbers = {"value": plain.value if enough else np.nan, "p": own if enough else np.nan, "n": plain.n}
            rows += [{"x": x, "y": y} | numbers, {"x": y, "y": x} | numbers]
    return pd.DataFrame(rows, columns=["x", "y", "value", "p", "n"])


def _at(found: Joined, place: int) -> Joined:
    """What is joined at one place of the stack."""
    arrays = {name: values[place] for name, values in found.arrays.items()}
    return type(found)(found.unit, None, found.names, (), arrays, found.symmetric)


def _points(found: Joined, values: np.ndarray) -> np.ndarray:
    """One number a point: of symmetric pairs one half."""
    if found.pairs and found.symmetric:
        values = np.where(np.triu(np.ones(values.shape[-2:], bool)), values, np.nan)
    return np.asarray(values[np.isfinite(values)])


def _numbers(each: Related) -> dict[str, object]:
    plain = each.plain
    return {"value": plain.value, "low": plain.low, "high": plain.high, "p": each.permuted.p, "n": plain.n}
