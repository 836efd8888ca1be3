"""A pinned figure drawn anew from the scores as they are now, and what is other in them than when it was pinned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa

from isogloss.backend.boards import as_pinned, board
from isogloss.backend.boards.origins import provenance
from isogloss.backend.boards.provenance import Provenance, versions
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.words import count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.boards.records import Pin

ROUNDING = 1e-9
"""Numbers that differ by less than this share of the greater are the same."""
GONE = "The scores of this figure are not in this workspace: shown as it was pinned."


@dataclass(frozen=True)
class Again:
    """A pinned figure as it is now."""

    rows: pd.DataFrame
    picture: go.Figure | None
    """None for a table."""
    said: str
    """What is other than when it was pinned, or why it is shown as it was then; empty where nothing is."""
    rests_on: Provenance
    recipe: Recipe | None
    """None where this version of Isogloss cannot read it."""
    as_pinned: bool = False
    """Whether rows or picture are those that were pinned: the recipe gives none."""


def again(workspaces: Sequence[Path], board_id: str, pin: Pin) -> Again:
    """Draw a pin of the board `board_id` from the scores as they are now; where they are gone, it is shown as it was pinned.

    Raises `StoreError` where neither can be had.
    """
    folders = [board.folder_of(workspace, board_id) for workspace in workspaces]
    then = as_pinned.rows_of(folders, board.checked(pin.id))
    why, recipe, rests_on = "", None, Provenance(versions=versions())
    try:
        recipe = Recipe.from_json(pin.recipe, workspaces)
        now = recipe.rows()
        rests_on = provenance(recipe, workspaces, now)
        drawn = recipe.drawn(now) if len(now) or not len(then) else None
        why = GONE if len(then) and not len(now) else ""
        changes = change(then, now)
    except IsoglossError as error:
        why = f"{error} Shown as it was pinned."
    except Exception:  # noqa: BLE001 - of no files, of other columns, of a stranger's arguments queries raise anything
        why = GONE
    if why:
        return Again(then, as_pinned.picture_of(folders, pin.id), why, rests_on, recipe, as_pinned=True)
    if drawn is None and (picture := as_pinned.picture_of(folders, pin.id)) is not None:
        said = f"{changes} The picture is as it was pinned." if changes else ""
        return Again(now, picture, said, rests_on, recipe, as_pinned=True)
    return Again(now, drawn, changes, rests_on, recipe)


def change(then: pd.DataFrame, now: pd.DataFrame, kept: str = "this was pinned") -> str:
    """Say how `now` differs from `then`, the rows when they were `kept`; an empty text where they are the same."""
    now = pa.Table.from_pandas(now, preserve_index=False).to_pandas()  # as what was kept came back
    if list(then.columns) != list(now.columns):
        return f"The scores have other columns than when {kept}."
    if len(then) != len(now):
        return f"{len(now):,} rows now, {len(then):,} when {kept}."
    changed, most, words = 0, 0.0, 0
    for name in then.columns:
        before, after = then[name], now[name]
        if _numeric(before) and _numeric(after):
            one, other = (each.to_numpy(np.float64, na_value=np.nan) for each in (before, after))
            with np.errstate(invalid="ignore"):
                same = np.isclose(one, other, rtol=ROUNDING, atol=ROUNDING, equal_nan=True)
                apart = np.abs(one - other)[~same]
            changed += int((~same).sum())
            most = max([most, *apart[np.isfinite(apart)]])
        else:
            other = before.astype(str).to_numpy() != after.astype(str).to_numpy()
            words += int((other & ~(before.isna() & after.isna()).to_numpy()).sum())
    changes = []
    if changed:
        by = f", by {most:.3g} at most" if most else ""
        changes.append(f"{changed:,} of {count(then.size, 'value')} changed since {kept}{by}")
    if words:
        changes.append(f"{count(words, 'name')} changed since {kept}")
    return ". ".join(changes) + "." if changes else ""


def _numeric(column: pd.Series) -> bool:
    return bool(column.dtype.kind in "iufb") or str(column.dtype) in {"Int64", "Float64", "boolean"}
