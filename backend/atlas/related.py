"""Published measures against each other, and models side by side, as Relations has them: computed when they are published.

Each measure is read at its model's last checkpoint with scores, as the mean over layers.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.atlas.grids import KINDS
from isogloss.backend.charts.correlation_heatmap import in_clusters
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations import told as words
from isogloss.backend.experiments.relations.correlations import all_against_all, known
from isogloss.backend.experiments.relations.reading import Question, Reading
from isogloss.backend.experiments.relations.side_by_side import ranked
from isogloss.backend.experiments.relations.tables import table
from isogloss.backend.figures import relations as figures
from isogloss.backend.figures.side_by_side import ranks
from isogloss.backend.listing import listed_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.experiments.relations.catalogue import Available
    from isogloss.backend.experiments.relations.reading import Role

MOST = 20
"""Measures of a model that are set against each other, each in the variant that has most scores: 190 figures."""
Unit = Literal["pair", "language"]
UNITS: tuple[Unit, ...] = ("pair", "language")


@dataclass(frozen=True)
class Ranking:
    """Models by one measure."""

    label: str
    axis: str
    """The measure with its unit and direction."""
    rows: pd.DataFrame
    """As `side_by_side.ranked` gives them."""
    figure: go.Figure


@dataclass(frozen=True)
class Chosen:
    """A measure that is read."""

    label: str
    measure: Available
    role: Role


def chosen(grids: Sequence[PairGrid], workspaces: Sequence[Path]) -> list[Chosen]:
    """Return every measure of some grids once, in their order; one of which there are several says how each was computed."""
    found: dict[tuple[Any, ...], tuple[Available, Role]] = {}
    for grid in grids:
        for each in grid.measures:
            key = each.experiment, each.metric, each.corpus, each.variant, each.dictionaries
            found.setdefault(key, (each, "itself" if grid.of == "languages" else "both"))
    names = {entry.id: entry.name for kind in KINDS for entry in kind.entries(workspaces)}
    alike = Counter(each.metric for each, _ in found.values())
    parts: dict[int, list[str]] = {}
    for metric in alike:
        own = [each for each, _ in found.values() if each.metric == metric]
        parts |= dict(zip(map(id, own), words.told_apart(own, names, {}), strict=True))
    return [
        Chosen(_label(each.metric, parts[id(each)] if alike[each.metric] > 1 else []), each, role)
        for each, role in found.values()
    ]


def _label(metric: str, parts: Sequence[str]) -> str:
    return MEASURES[metric].title + (f" ({', '.join(parts)})" if parts else "")


def rankings(grids: Sequence[PairGrid], workspaces: Sequence[Path]) -> Iterator[Ranking]:
    """Give the models of each measure that two or more of those published have, the best first."""
    published = {grid.model.name for grid in grids}
    for each in chosen(grids, workspaces):
        models = {of.model: each.measure.scored(of) for of in each.measure.models if of.model in published}
        if len(models) < 2:
            continue
        reading = Reading(of=next(iter(models.values())), models=models, role=each.role)
        measure = MEASURES[each.measure.metric]
        rows = ranked(Question(unit="model", readings={"x": reading}), workspaces, {"x": measure.better})
        if rows["value"].notna().sum() > 1:
            figure = ranks(rows, measure="x", value_title=measure.axis, title="")
            yield Ranking(each.label, measure.axis, rows.drop(columns="measure").assign(measure=each.label), figure)


def related(grids: Sequence[PairGrid], workspaces: Sequence[Path], model: str, unit: Unit) -> dict[str, Any] | None:
    """Return every two measures of a model against each other, None where no two have points in common.

    `measures` are what they are called, `matrix` the figure of their correlations, `order` the places of its rows, and
    `scatters` by the places of two the figure that the dashboard draws of them, with both correlations over it.
    """
    own = [each for each in chosen([grid for grid in grids if grid.model.name == model], workspaces) if each.measure.at(unit)]
    if unit == "pair":
        own = [each for each in own if each.role == "both"]
    usual = {each.measure.metric: each for each in sorted(own, key=lambda each: each.measure.scores)}  # that of most scores
    own = sorted(usual.values(), key=own.index)[:MOST]
    readings = {}
    for place, each in enumerate(own):
        of = each.measure.of(model)
        if of is not None:
            readings[str(place)] = Reading(of=each.measure.scored(of), role=each.role)
    if len(readings) < 2:
        return None
    with listed_once():
        rows = known(all_against_all(Question(unit=unit, readings=readings), workspaces))
        labels = {name: own[int(name)].label for name in readings}
        order = in_clusters(rows, list(readings))
        if not order:
            return None
        scatters = {f"{x} {y}": _scatter(own, unit, readings, (x, y), workspaces) for x, y in combinations(readings, 2)}
    matrix = figures.matrix(rows, statistic="Pearson", unit=unit, labels=labels)
    return {
        "measures": [each.label for each in own],
        "matrix": json.loads(matrix.to_json()),
        "order": [int(name) for name in order],
        "scatters": {name: each for name, each in scatters.items() if each is not None},
    }


def _scatter(
    own: Sequence[Chosen], unit: Unit, readings: dict[str, Reading], ends: tuple[str, str], workspaces: Sequence[Path]
) -> dict[str, Any] | None:
    question = Question(unit=unit, readings={name: readings[name] for name in ends})
    rows = table(question, workspaces)
    if len(rows.dropna(subset=list(ends))) < 2:
        return None
    x, y = (MEASURES[own[int(name)].measure.metric].axis for name in ends)
    drawn = figures.scatter(rows, question=question, by="Nothing", fit=True, x_title=x, y_title=y, title="")
    made: dict[str, Any] = json.loads(drawn.to_json())
    return {"data": made["data"], "layout": made["layout"]}
