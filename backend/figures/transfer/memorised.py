"""Labels replaced at random (Chi et al. 2023, figure 3): what of them is transferred, and how fast they are learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.gap_curves import gap_curves
from isogloss.backend.experiments.transfer import memorised
from isogloss.backend.experiments.transfer.memorised import Labels
from isogloss.backend.figures.transfer import naming
from isogloss.backend.figures.transfer.gaps import IGAP
from isogloss.backend.recipe_mark import in_recipes

REPLACED = "Label corruption (% of labels replaced at random)"
NOTHING = "Not every target has a value in this window."
LEARNED: dict[Labels, str] = {"learned": "labels learned", "true": "true labels"}


@in_recipes
def igap(
    rows: pd.DataFrame,
    *,
    by: Sequence[str],
    differing: Sequence[str],
    at: float,
    classes: int | None,
    colours: Mapping[str, str],
) -> go.Figure:
    """Draw the mean IGap at a training error by the share of labels replaced (figure 3a), a line a model (values of `by`).

    `rows` are those of `mean_curves`; `classes` are how many the labels have, None for no line of chance.
    """
    chance = None if classes is None else memorised.chance_igap(classes, at)
    return _by_share(rows, by, differing, at, colours, what="IGap", y_title=IGAP, chance=chance)


@in_recipes
def accuracy(
    rows: pd.DataFrame,
    *,
    by: Sequence[str],
    differing: Sequence[str],
    at: float,
    labels: Labels,
    classes: int | None,
    colours: Mapping[str, str],
) -> go.Figure:
    """Draw the accuracy on translations by the share of labels replaced (figure 3b); `rows` are `memorised.accuracies`."""
    chance = None if classes is None else memorised.chance_accuracy(classes)
    y_title = f"Accuracy on translations by {LEARNED[labels]} (% of training examples; higher = more is transferred)"
    return _by_share(rows, by, differing, at, colours, what="Accuracy on translations", y_title=y_title, chance=chance)


def _by_share(
    rows: pd.DataFrame,
    by: Sequence[str],
    differing: Sequence[str],
    at: float,
    colours: Mapping[str, str],
    *,
    what: str,
    y_title: str,
    chance: float | None,
) -> go.Figure:
    """Draw a value at a training error by the share of labels replaced, a line a model."""
    return gap_curves(
        naming.with_labels(rows, by, differing).assign(at=rows["corruption"]),
        x_title=REPLACED,
        y_title=y_title,
        title=f"{what} at {100 * at:g}% training error",
        colours=colours,
        x_end=100,
        chance=chance,
        nothing=NOTHING,
        height=400,
    )


@in_recipes
def training(
    rows: pd.DataFrame,
    *,
    by: Sequence[str],
    differing: Sequence[str],
    by_share: bool,
    over_epochs: bool,
    classes: int | None,
    colours: Mapping[str, str],
) -> go.Figure:
    """Draw the training error over training: `by_share` a line a share of labels replaced, else a line a model.

    `rows` are those of `transfer_summary.memorisation`.
    """
    shares = [f"{share:.0%} replaced" for share in rows["corruption"]]
    named = rows.assign(line=shares) if by_share else naming.with_labels(rows, by, differing)
    return curves(
        named.assign(n=rows["runs"], **{name: 100 * rows[name] for name in ("value", "low", "high")}),
        x="epoch" if over_epochs else "step",
        value_title="Training error (% of training examples; lower = more memorised)",
        title="Training error over training",
        colours=colours,
        chance=None if classes is None else 100 * memorised.chance_igap(classes),
        n_title="Runs",
        interval="Least to greatest",
        height=480,
    )
