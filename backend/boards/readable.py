"""A table's rows as people read them, on a board, presented, and in its report: columns, their names, and their numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.words import languages

INNER = ("checkpoint", "position", "run", "created_at", "corpus_id")
"""What a reader does without: content ids and places."""
LANGUAGES = ("source", "target", "language", "chosen", "best")
"""Columns that hold languages by their tags."""
HEADINGS = {"n": "n", "label": "Checkpoint", "layer_name": "Layer", "p": "p", "r2": "R²", "p_permuted": "p, permuted"}
"""What is not said by the column's name itself."""
INTERVAL = ", 95%"
"""Ends the heading of the two bounds of an estimate."""
_ID = re.compile(r"[0-9a-f]{24}(/|$)")


def readable(rows: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a table to read, and how the numbers of each column are written, as `printf` has it.

    Content ids and columns without any value are left out; both bounds of an estimate are one column beside it; languages and
    measures have their names.
    """
    shown = told(rows)
    columns: dict[str, Any] = {}
    if is_of_pairs(shown):
        ends = zip(shown["source"], shown["target"], strict=True)
        columns["Pair"] = [f"{languages([one])} – {languages([other])}" for one, other in ends]
        shown = shown.drop(columns=["source", "target"])
    bounds = bounds_of(shown)
    inside = {name for pair in bounds.values() for name in pair}
    for name in sorted((each for each in shown.columns if each not in inside), key=lambda name: name == "n"):  # n is last
        columns[heading(str(name))] = _named(shown[name], str(name))
        if name in bounds:
            low, high = (shown[each] for each in bounds[name])
            columns[f"{heading(str(name))}{INTERVAL}"] = [_between(*each) for each in zip(low, high, strict=True)]
    table = pd.DataFrame(columns, index=shown.index)
    return table, {str(name): f"%.{places}f" for name in table if (places := decimals(table[name])) is not None}


def as_text(rows: pd.DataFrame) -> pd.DataFrame:
    """Return `readable` with every number written as it says."""
    table, formats = readable(rows)
    for name, each in formats.items():
        table[name] = ["" if pd.isna(value) else (each % value).replace("-", "−") for value in table[name]]
    return table


def told(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that say something to a reader."""
    shown = rows.drop(columns=[name for name in rows.columns if name in INNER or _content(rows[name])])
    shown = shown if len(shown.columns) else rows
    empty = [name for name in shown.columns if shown[name].isna().all()]
    return shown.drop(columns=empty) if len(empty) < len(shown.columns) else shown


def bounds_of(rows: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Return the columns with the bounds of each estimate that has them: `low` and `high` are those of `value`."""
    found = {}
    for low in [str(name) for name in rows.columns if re.fullmatch(r"(.+_)?low", str(name))]:
        start = low.removesuffix("low")
        of = f"{start}value" if f"{start}value" in rows else start.removesuffix("_") or "value"
        if of in rows and f"{start}high" in rows and all(numeric(rows[each]) for each in (of, low, f"{start}high")):
            found[of] = (low, f"{start}high")
    return found


def heading(name: str) -> str:
    """Return what a column of the store is called."""
    if name in MEASURES:
        return MEASURES[name].title
    return HEADINGS.get(name, name.replace("_", " ").capitalize() if re.fullmatch("[a-z_]+", name) else name)


def decimals(column: pd.Series) -> int | None:
    """Return how many decimals a column's numbers have; None for one that holds none."""
    if not numeric(column):
        return None
    values = np.abs(column.to_numpy(np.float64, na_value=np.nan))
    finite = values[np.isfinite(values)]
    most = float(finite.max(initial=0.0))
    if np.all(finite == np.round(finite)):
        return 0
    return 6 if 0 < most < 0.01 else 3 if most < 10 else 2 if most < 100 else 1


def numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers."""
    return bool(pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column))


def named(metrics: pd.Series) -> list[Any]:
    """Return measures by their names."""
    return [MEASURES[each].title if each in MEASURES else each for each in metrics]


def is_of_pairs(rows: pd.DataFrame) -> bool:
    """Whether source and target are pairs without a direction: each once, in the alphabet's order."""
    if not {"source", "target"} <= set(rows.columns) or len(rows) < 3:
        return False
    return bool((rows["source"].astype(str) < rows["target"].astype(str)).all())


def _named(column: pd.Series, name: str) -> Any:
    if name in LANGUAGES:
        return [languages([each]) if isinstance(each, str) else each for each in column]
    if name in ("metric", "measure"):
        return named(column)
    if any(isinstance(each, list | tuple | dict | np.ndarray) for each in column):
        return [", ".join(map(str, each)) if isinstance(each, list | tuple | np.ndarray) else each for each in column]
    return column


def _between(low: float, high: float) -> str:
    return "" if pd.isna(low) or pd.isna(high) else f"{low:.3f} to {high:.3f}".replace("-", "−")


def _content(column: pd.Series) -> bool:
    """Whether a column holds content ids, which say nothing to a reader."""
    return any(isinstance(value, str) and _ID.match(value) for value in column)
