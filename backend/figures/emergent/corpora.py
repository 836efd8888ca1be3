"""What is counted in emergent languages drawn, a curve a corpus: `rows` are those of `emergent_frames`, `colours` by corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from isogloss.backend.charts.interval_panels import interval_panels
from isogloss.backend.charts.overlaid import Axis, overlaid_lines
from isogloss.backend.charts.parts.paper import add_chance, add_reference
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import plotly.graph_objects as go

Entropy = Literal["Conditional", "Joint"]
ORDER = Axis("order", "Symbols of the n-gram", form=".0f", whole=True)
ENTROPIES: dict[Entropy, Axis] = {
    "Conditional": Axis("conditional", "Conditional entropy (bits of the last symbol; lower = more order)"),
    "Joint": Axis("entropy", "Entropy (bits per n-gram)"),
}
CORRECTED = {entropy: replace(axis, column=f"{axis.column}_corrected") for entropy, axis in ENTROPIES.items()}
"""With the Miller–Madow correction."""
NGRAMS = {"windows": ("n-grams", ",.0f"), "distinct": ("Distinct", ",.0f")}

Measure = Literal["Success", "Attributes", "Loss", "Topographic similarity", "Unique messages", "Length"]
MEASURES: dict[Measure, Axis] = {
    "Success": Axis("value", "Success (share of objects; higher = better)"),
    "Attributes": Axis("value", "Attributes correct (share; higher = better)"),
    "Loss": Axis("value", "Loss (nats; lower = better)"),
    "Topographic similarity": Axis("value", "Topographic similarity (−1 to 1; higher = similar objects, similar messages)"),
    "Unique messages": Axis("value", "Unique messages (for each object; 1 = no two alike)"),
    "Length": Axis("value", "Length (mean symbols of a message)"),
}
"""Of a signalling game over training."""
COLUMNS: dict[Measure, tuple[str, ...]] = {
    "Success": ("success", "held_out_success"),
    "Attributes": ("attributes", "held_out_attributes"),
    "Loss": ("loss", "held_out_loss"),
    "Topographic similarity": ("topographic_similarity",),
    "Unique messages": ("different",),
    "Length": ("length",),
}
"""Where each is in the curves of games: on the objects trained on, and on those held out."""
MIRRORED = {
    "topographic_similarity": "Topographic similarity (Spearman's ρ, −1 to 1; higher = similar meanings, similar messages)",
    "posdis": "Positional disentanglement (0 to 1; higher = a position speaks of one attribute)",
    "bosdis": "Bag-of-symbols disentanglement (0 to 1; higher = a symbol speaks of one attribute)",
}
"""Measures of messages and meanings, by their names in the table."""
STEP = Axis("step", "Training step", form=",.0f")


@in_recipes
def measures(rows: pd.DataFrame, *, colours: Mapping[str, str]) -> go.Figure:
    """Draw how corpora mirror their meanings, a panel a measure, with intervals and what meanings that change places give."""
    return interval_panels(
        rows.rename(columns={"corpus": "name"}),
        MIRRORED,
        colours=colours,
        chance="Meanings in a random order",
        title="Meanings and messages",
    )


@in_recipes
def ranks(rows: pd.DataFrame, *, colours: Mapping[str, str]) -> go.Figure:
    """Draw how often the symbol of each rank is said, on logarithmic axes, with the Zipf–Mandelbrot law fitted to it."""
    return overlaid_lines(
        rows,
        Axis("rank", "Rank (1 = most frequent)", log=True, form=",.0f"),
        Axis("share", "Share of all tokens", log=True, form=".2e"),
        name="corpus",
        look="points",
        fitted="fitted",
        fitted_name="Zipf–Mandelbrot",
        notes={"count": ("Tokens", ",.0f")},
        colours=colours,
        title="Rank and frequency",
    )


@in_recipes
def type_token(rows: pd.DataFrame, *, log: bool, colours: Mapping[str, str]) -> go.Figure:
    """Draw how many different symbols the first tokens of a corpus have; `log`: on logarithmic axes."""
    return overlaid_lines(
        rows,
        Axis("tokens", "Tokens so far", log=log, form=",.0f"),
        Axis("types", "Types (different symbols)", log=log, form=",.0f"),
        name="corpus",
        colours=colours,
        title="Type–token curves",
    )


@in_recipes
def lengths(rows: pd.DataFrame, *, colours: Mapping[str, str]) -> go.Figure:
    """Draw how long the utterances are, in tokens."""
    width = int(rows["high"].iloc[0] - rows["low"].iloc[0]) + 1
    bins = f" (bins of {width:,})" if width > 1 else ""
    return overlaid_lines(
        rows,
        Axis("middle", f"Tokens of an utterance{bins}", form=",.6g", whole=True),
        Axis("share", "Share of the utterances"),
        name="corpus",
        look="steps",
        notes={"utterances": ("Utterances", ",.0f")},
        colours=colours,
        title="Utterance lengths",
    )


@in_recipes
def entropies(rows: pd.DataFrame, *, entropy: Entropy, colours: Mapping[str, str], corrected: bool = False) -> go.Figure:
    """Draw entropy (bits) by the order of n-grams: of the whole n-gram, or of its last symbol when the others are known."""
    return _entropies(rows, entropy, corrected, colours=colours, title="Entropy by n-gram order")


@in_recipes
def positions(rows: pd.DataFrame, *, from_end: bool, colours: Mapping[str, str]) -> go.Figure:
    """Draw positional entropy (bits): how freely symbols vary at each place of an utterance."""
    return overlaid_lines(
        rows,
        Axis("position", f"Position (1 = {'last' if from_end else 'first'} token)", form=".0f", whole=True),
        Axis("entropy", "Entropy (bits at that position; 0 = always the same symbol)"),
        name="corpus",
        notes={"utterances": ("Utterances so long", ",.0f")},
        colours=colours,
        title="Positional entropy",
    )


@in_recipes
def shuffled(
    rows: pd.DataFrame, *, colours: Mapping[str, str], entropy: Entropy = "Conditional", corrected: bool = False
) -> go.Figure:
    """Draw entropy (bits) by n-gram order, of each corpus and of its shuffled version."""
    title = f"{entropy} entropy by n-gram order, original and shuffled"
    return _entropies(rows, entropy, corrected, version="version", colours=colours, title=title)


def _entropies(rows: pd.DataFrame, entropy: Entropy, corrected: bool, **more: Any) -> go.Figure:
    """Draw one estimate; a hover says the counts and the other one beside."""
    drawn, other, called = (CORRECTED, ENTROPIES, "Plug-in") if corrected else (ENTROPIES, CORRECTED, "Miller–Madow")
    notes = {**NGRAMS, other[entropy].column: (f"{called}, bits", ".3f")}
    return overlaid_lines(rows, ORDER, drawn[entropy], name="corpus", notes=notes, **more)


@in_recipes
def success(
    rows: pd.DataFrame,
    *,
    measure: Measure,
    chances: Mapping[str, float],
    printed: Mapping[str, float],
    colours: Mapping[str, str],
) -> go.Figure:
    """Draw how well the agents of signalling games understood each other over training, a line a game.

    `rows` are those of `finished_games.curves`. `chances` and `printed` are what guessing comes to and what a paper prints, a
    line each, by their labels.
    """
    columns = COLUMNS[measure]
    drawn = overlaid_lines(
        versions(rows, columns),
        STEP,
        MEASURES[measure],
        name="corpus",
        version="objects" if len(columns) > 1 else None,
        notes={"epoch": ("Epoch", ",.0f")},
        colours=colours,
        title=f"{measure} over training",
        nothing="This is not measured in these games.",
    )
    for label, value in chances.items():
        _within(add_chance(drawn, value, label), value)
    for label, value in printed.items():
        _within(add_reference(drawn, value, label=label, form=".3%" if value < 0.01 else ".0%"), value)
    return drawn


def versions(rows: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    """Stack the columns as `value`, corpus by corpus; `objects` says which objects: trained on, or held out."""
    parts = [
        own[["corpus", "step", "epoch"]].assign(objects=objects, value=own[column])
        for _, own in rows.groupby("corpus", sort=False)
        for column, objects in zip(columns, ("trained on", "held out"), strict=False)
        if own[column].notna().any() or column == columns[0]
    ]
    return pd.concat(parts, ignore_index=True)


def _within(drawn: go.Figure, value: float) -> None:
    """Make room for a line at `value`."""
    low, high = drawn.layout.yaxis.range or (0.0, 1.0)
    drawn.layout.yaxis.range = (low, max(high, 1.06 * value))
