"""How ABX scores go together, drawn (de Seyssel et al. 2025, figures 6 and 7): over the pairs, and over checkpoints."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Literal

from isogloss.backend.charts.correlation_curves import correlation_over_checkpoints
from isogloss.backend.charts.parts.paper import add_named_reference
from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.abx import correlations as abx_correlations
from isogloss.backend.experiments.abx.printed import tables as published
from isogloss.backend.experiments.frames import place_checkpoints
from isogloss.backend.figures.abx import UNITS
from isogloss.backend.figures.pairs import pairs_scatter
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.charts.parts.axes import StepAxis
    from isogloss.backend.experiments.abx.printed.tables import Quantity

Across = Literal["language", "retrieval"]
"""What meaning discrimination is set against: a column of the pairs' rows."""
MEASURES = {"language": "abx_language", "meaning": "abx_meaning", "retrieval": "retrieval_top1"}
TITLES: dict[Across, str] = {
    "language": "Meaning against language discrimination",
    "retrieval": "Meaning discrimination against retrieval",
}
WIDTH = 52
"""Characters of a line over a figure of half the page's width."""
SCOPES: dict[Quantity, str] = {
    "final checkpoint": "last checkpoint",
    "retrieval": "the text suggests retrieval at the last layer, meaning over all; note 6 has 0.53 for that",
    "retrieval, last layer": "both at the last layer",
    "retrieval, last against all layers": "retrieval at the last layer, meaning over all",
}
"""What each printed correlation is of. The paper contradicts itself on the first of retrieval: all three are shown."""


@in_recipes
def relation(rows: pd.DataFrame, *, x: Across, fit: bool, paper: bool, colours: Mapping[str, str]) -> go.Figure:
    """Draw meaning discrimination against `x`, a point a pair, with their correlations over it.

    `rows` are those of `abx_queries.pairs` of one checkpoint. `fit` draws the least-squares line; `paper` writes what the paper
    prints of the same under the correlations.
    """
    correlations = abx_correlations.over_pairs(rows, x, "meaning")
    return pairs_scatter(
        rows.assign(x=rows[x], y=rows["meaning"]),
        x_title=UNITS[MEASURES[x]],
        y_title=UNITS[MEASURES["meaning"]],
        title=TITLES[x],
        pearson=correlations["Pearson"],
        spearman=correlations["Spearman"],
        fit=fit,
        printed=_printed(x) if paper else [],
        colours=colours,
    )


@in_recipes
def over_checkpoints(
    rows: pd.DataFrame, *, scale: StepAxis, paper: bool, colours: Mapping[str, str], axis: str = ""
) -> go.Figure:
    """Draw the correlation of language with meaning discrimination over checkpoints, a line a model and statistic.

    `rows` are those of `abx_correlations.over_checkpoints`, labelled. `paper` adds what is printed of its last checkpoint.
    """
    drawn = correlation_over_checkpoints(
        place_checkpoints(rows).assign(line=rows["statistic"]),
        title="Correlation of language with meaning discrimination over the pairs",
        step_scale=scale,
        colours=colours,
        axis=axis,
    )
    if paper:
        for each, dash in zip(published.printed_correlations("final checkpoint"), ("longdash", "longdashdot"), strict=True):
            lines = [f"{each.source},", f"{published.SETTING},", f"last checkpoint, {each.statistic}"]
            add_named_reference(drawn, each.value, lines, dash=dash)
    return drawn


def _printed(x: Across) -> list[str]:
    """Return lines of text: the paper's correlations of meaning with `x`, their source, and what they are of."""
    if x == "language":
        found = published.printed_correlations("final checkpoint")
        values = ", ".join(f"{each.statistic} {number(each.value, '.2f')}" for each in found)
        return _wrapped(f"{found[0].source}: {values}", f"({published.SETTING}, {SCOPES['final checkpoint']})")
    quantities = [quantity for quantity in SCOPES if quantity.startswith("retrieval")]
    given = [(each, SCOPES[quantity]) for quantity in quantities for each in published.printed_correlations(quantity)]
    texts = [f"{each.source}: {each.statistic} {number(each.value, '.2f')} ({scope})" for each, scope in given]
    return _wrapped(*texts, f"({published.SETTING})")


def _wrapped(*texts: str) -> list[str]:
    return [line for text in texts for line in textwrap.wrap(text, WIDTH)]
