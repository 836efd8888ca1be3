"""The pages of an atlas that set models, and measures, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd

from isogloss.backend.atlas import pages
from isogloss.backend.atlas.related import MOST, UNITS, rankings, related
from isogloss.backend.boards import export
from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.parts.theme import config

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.atlas.folder import Folder
    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.atlas.related import Ranking

MODELS, RELATIONS = "models.html", "relations.html"
NAMES = {MODELS: "Models", RELATIONS: "Relations"}
SCRIPTS = {MODELS: ("atlas.js", "models.js"), RELATIONS: ("atlas.js", "relations.js")}
CSV = "tables/models.csv"


def write(
    folder: Folder, grids: Sequence[PairGrid], workspaces: Sequence[Path], step: Callable[[str], object]
) -> dict[str, str]:
    """Write what the pages draw; returns the pages that have something to draw, each with what it is called."""
    found = {}
    step("models side by side")
    if ranked := list(rankings(grids, workspaces)):
        folder.script("models", [_ranking(each, grids) for each in ranked])
        folder.checked(CSV, export.to_csv(pd.concat([each.rows for each in ranked], ignore_index=True), {}))
        found[MODELS] = NAMES[MODELS]
    listed: list[dict[str, str]] = []
    for model in dict.fromkeys(grid.model.name for grid in grids):
        step(f"relations of {model}")
        for unit in UNITS:
            if made := related(grids, workspaces, model, unit):
                listed.append({"model": model, "unit": unit, "data": f"r{len(listed)}"})
                folder.script(f"r{len(listed) - 1}", made)
    if listed:
        folder.script("relations", listed)
        found[RELATIONS] = NAMES[RELATIONS]
    return found


def steps(grids: Sequence[PairGrid]) -> int:
    """Return how many steps `write` tells of."""
    return 1 + len({grid.model.name for grid in grids})


def pages_of(title: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the bodies of those of the pages that there are."""
    bodies = {MODELS: pages.models(title, CSV), RELATIONS: pages.relations(title, MOST)}
    return {file: body for file, body in bodies.items() if file in names}


def _ranking(of: Ranking, grids: Sequence[PairGrid]) -> dict[str, Any]:
    """Return the models of a measure as a browser reads them; its rows are texts."""
    labels = {each.fingerprint: each.label for grid in grids for each in grid.model.checkpoints}
    rows = [
        [
            row["model"],
            labels.get(row["checkpoint"], ""),
            _within(row, "value", ".3f"),
            _within(row, "rank", ".0f"),
            row["group"],
            f"{row['n']:,} languages" + (f" ({row['over']})" if row["over"] not in ("", "languages") else ""),
        ]
        for row in of.rows.to_dict("records")
    ]
    figure = json.loads(of.figure.to_json())
    drawn = {"data": figure["data"], "layout": figure["layout"], "config": config(of.label)}
    return {"label": of.label, "axis": of.axis, "figure": drawn, "rows": rows}


def _within(row: Mapping[Any, Any], name: str, form: str) -> str:
    """Say a number with its interval, as far as it is known."""
    low, high = ("low", "high") if name == "value" else (f"{name}_low", f"{name}_high")
    if row[name] != row[name]:
        return "not comparable"
    interval = f" [{number(row[low], form)}, {number(row[high], form)}]" if row[low] == row[low] else ""
    return f"{number(row[name], form)}{interval}"
