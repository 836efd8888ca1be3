"""Two atlases, or an atlas and a workspace: what changed from the one to the other, by how much, and what is new or gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.atlas import summed
from isogloss.backend.atlas.grids import FIELDS, pair_grids
from isogloss.backend.atlas.rounded import tolerance_of
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.atlas.summed import Footers

    Floats = NDArray[np.float64]
    Key = tuple[str, str, str, str, str, str]

KEY = ["family", "model", "corpus", "protocol", "of", "measure"]
COLUMNS = [
    *KEY,
    "unit",
    "better",
    "state",
    "before",
    "after",
    "difference",
    "low",
    "high",
    "interval",
    "cells",
    "changed",
    "new",
    "gone",
]


def changes(before: Sequence[Path], after: Sequence[Path], title: str = "") -> pd.DataFrame:
    """Return a row a measure of a model on a corpus that either of two sets of workspaces has.

    Cells (checkpoint by its label, layer, pair of languages) are set against their like. Columns: family, model, corpus (its
    id), protocol, of, measure, unit, better; state (`same`, `changed`, `new`, `gone`); before, after (means over the cells that
    both have), difference (after less before), low, high (its 95% interval); cells (that both have), changed (of these), new
    and gone (cells that one alone has).

    The interval is paired where both sides keep what each sentence contributes (`summed`), as `interval` says. It is else the
    widest that the difference can have, its ends' distances added up (Zou & Donner 2008), and `interval` says why. It is nan
    where nothing changed, and where a cell that did has none. Where an atlas's scores are rounded, what rounding alone may have
    set apart is the same.
    `title`: that of an imported atlas, after which its models may be called, too.
    """
    sides = [_by_measure(pair_grids(each), f" ({title})") for each in (before, after)]
    places = [(details.every(each), each) for each in (before, after)]
    rows = [
        dict(zip(KEY, key, strict=True)) | _measure(key) | _compared(sides[0].get(key), sides[1].get(key), places)
        for key in dict.fromkeys([*sides[0], *sides[1]])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _by_measure(grids: Sequence[PairGrid], called: str) -> dict[Key, tuple[PairGrid, int]]:
    """Return the grid of each measure, and its place there."""
    return {
        (grid.family.name, grid.model.name.removesuffix(called), grid.corpus.id, grid.protocol, grid.of, metric): (grid, place)
        for grid in grids
        for place, metric in enumerate(grid.metrics)
    }


def _measure(key: Key) -> dict[str, str]:
    measure = MEASURES[key[-1]]
    return {"unit": measure.unit, "better": measure.better}


def _cells(of: tuple[PairGrid, int] | None) -> pd.DataFrame:
    """Return the scores of a measure, a row a cell."""
    parts = []
    if of is not None:
        grid, metric = of
        layers, pairs = np.meshgrid(np.arange(len(grid.layers)), np.arange(len(grid.pairs)), indexing="ij")
        ends = np.array(grid.pairs, object).reshape(-1, 2)
        for place, checkpoint in enumerate(grid.checkpoints):
            found = grid.values(place)
            columns: dict[str, Any] = {name: found[name][metric].ravel() for name in FIELDS[:3]}
            at = {"layer": np.array(grid.layers)[layers.ravel()], "source": ends[pairs.ravel(), 0]}
            at |= {"target": ends[pairs.ravel(), 1]}
            parts.append(pd.DataFrame({"checkpoint": checkpoint.label} | at | columns).dropna(subset=["value"]))
    empty = pd.DataFrame(columns=["checkpoint", "layer", "source", "target", *FIELDS[:3]])
    return pd.concat(parts, ignore_index=True) if parts else empty


def _compared(
    before: tuple[PairGrid, int] | None,
    after: tuple[PairGrid, int] | None,
    places: Sequence[tuple[Footers, Sequence[Path]]],
) -> dict[str, Any]:
    by = ["checkpoint", "layer", "source", "target"]
    both = _cells(before).merge(_cells(after), on=by, how="outer", suffixes=("_before", "_after"), indicator="where")
    shared = both[both["where"] == "both"]
    names = [f"{name}_{side}" for name in FIELDS[:3] for side in ("before", "after")]
    numbers = {name: shared[name].to_numpy(np.float64) for name in names}
    sides = numbers["value_before"], numbers["value_after"]
    same = np.abs(sides[1] - sides[0]) <= _tolerance(before, after) * np.abs(sides[0])
    for name in FIELDS[:3]:
        numbers[f"{name}_after"] = np.where(same, numbers[f"{name}_before"], numbers[f"{name}_after"])
    changed = int((~same).sum())
    new, gone = (int((both["where"] == side).sum()) for side in ("right_only", "left_only"))
    state = "gone" if after is None else "new" if before is None else "changed" if changed or new or gone else "same"
    counts = {"cells": len(shared), "changed": changed, "new": new, "gone": gone}
    if before is None or after is None or not len(shared):
        unknown = dict.fromkeys(("before", "after", "difference", "low", "high"), np.nan)
        return {"state": state, **unknown, "interval": "", **counts}
    means = {name: float(each.mean()) for name, each in numbers.items()}
    difference = means["value_after"] - means["value_before"]
    low, high, which = np.nan, np.nan, ""
    if changed:
        files = [(side[0], *own) for side, own in zip((before, after), places, strict=True)]
        paired = summed.interval(files, before[0].metrics[before[1]], shared, difference)
        low, high = _interval(numbers, same) if isinstance(paired, str) else paired
        which = f"widest: {paired}" if isinstance(paired, str) and low == low else "" if low != low else "paired"
    return {
        "state": state,
        "before": means["value_before"],
        "after": means["value_after"],
        "difference": difference,
        "low": low,
        "high": high,
        "interval": which,
        **counts,
    }


def _tolerance(*sides: tuple[PairGrid, int] | None) -> float:
    """Return the share of a score by which rounding alone can set both sides apart."""
    return sum(tolerance_of([file.provenance for file in side[0].files]) for side in sides if side is not None)


def _interval(numbers: dict[str, Floats], same: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the mean of the cells' intervals of after less before; of a cell that is as it was, its difference of 0."""
    low = np.where(same, 0.0, numbers["low_after"] - numbers["high_before"])
    high = np.where(same, 0.0, numbers["high_after"] - numbers["low_before"])
    return float(low.mean()), float(high.mean())
