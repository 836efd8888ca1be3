"""XferBench drawn (Boldt & Mortensen 2024): the leaderboard, scores against a statistic of the corpora, and training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.charts.leaderboard import leaderboard as leaderboard_of
from isogloss.backend.charts.overlaid import Axis, overlaid_lines
from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.sources_scatter import sources_scatter
from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench import correlations as source_correlations
from isogloss.backend.experiments.xferbench.correlations import LEAST, STATISTICS
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

SCORE = "XferBench score (nats per token; lower = better)"
MEAN_SCORE = "XferBench score (nats per token, mean over targets; lower = better)"
STEP = Axis("step", "Training step", form=",.0f")
LOSS = Axis("loss", "Loss (nats per token; lower = better)")
HEIGHT = 330
"""Of a figure of training, in pixels."""


@in_recipes
def leaderboard(
    rows: pd.DataFrame,
    *,
    title: str,
    grouped: bool,
    baseline: str,
    colours: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    form: str = ".3f",
) -> go.Figure:
    """Draw the scores of sources with their intervals (figure 2), group by group where `grouped`.

    `rows` are those of `xferbench_frames.leaderboard`. `baseline` is the source that others are to beat, `colours` has those of
    the sources to highlight, `notes` what the hover ends with; all by the source's key.
    """
    return leaderboard_of(
        rows.assign(note=rows["source"].map(dict(notes or {})).fillna("")),
        groups=GROUPS,
        value_title=MEAN_SCORE,
        colours=colours,
        grouped=grouped,
        baseline=baseline,
        form=form,
        title=title,
    )


@in_recipes
def against_statistic(rows: pd.DataFrame, *, statistic: str, title: str, highlighted: Sequence[str]) -> go.Figure:
    """Draw scores over a statistic of the corpora that needs no training, a point a corpus, with their correlations over it.

    `rows` are those of `source_correlations.against_statistic`. Sources `highlighted` are larger.
    """
    return sources_scatter(
        rows.assign(x=rows[statistic], y=rows["score"], panel="all"),
        x_title=STATISTICS[statistic],
        y_title=SCORE,
        groups=GROUPS,
        panels={"all": _heading(rows[statistic], rows["score"])},
        highlighted=highlighted,
        x_form=",.4g",
        y_form=".3f",
        title=title,
    )


def _heading(x: pd.Series, y: pd.Series) -> str:
    """`Pearson r = 0.77 · Spearman ρ = 0.71 · 7 corpora`."""
    pearson, spearman = source_correlations.pearson_of(x, y), source_correlations.spearman_of(x, y)
    corpora = count(pearson.n, "corpus", "corpora")
    if pearson.n < LEAST:
        return f"A correlation needs {LEAST} corpora · {corpora}"
    parts = [
        f"{name} = {number(found.value, '.2f') or 'undefined'}"
        for name, found in (("Pearson r", pearson), ("Spearman ρ", spearman))
    ]
    return " · ".join([*parts, corpora])


@in_recipes
def losses(rows: pd.DataFrame, *, title: str, colours: Mapping[str, str]) -> go.Figure:
    """Draw loss (nats per token) over training steps, a line a seed. `colours` are by `seed_name`.

    `rows` are those of `xferbench_curves.curves`. The axis fits the losses, which end far from 0.
    """
    named = rows.assign(line=rows["seed"].map(seed_name))
    drawn = overlaid_lines(named, STEP, LOSS, name="line", colours=colours, title=title, height=HEIGHT)
    return drawn.update_yaxes(range=None)


def seed_name(seed: int) -> str:
    """Return what the line of a seed is called."""
    return f"Seed {int(seed)}"
