"""Tokenisers drawn: a measure of every language by tokeniser, and of every pair of languages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from isogloss.backend.charts.grid import pivot
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.languages import Order, arranged, language_heatmap, names_of
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.experiments.tokenisers.family import OF_LANGUAGES, OF_PAIRS
from isogloss.backend.figures.collapsed import collapsed
from isogloss.backend.figures.collapsed_pairs import collapsed_pairs
from isogloss.backend.figures.languages import language_cells, language_table
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.charts.grid import Grid

TITLES = {metric: measure.title for metric, measure in (OF_LANGUAGES | OF_PAIRS).items()}
UNITS = {
    "tokeniser_fertility": "Fertility (pieces a word; 1 = every word whole)",
    "tokeniser_premium": "Premium (pieces; above 1 = more than the pivot)",
    "tokeniser_one_piece_words": "One-piece words (share of words; higher = fewer are cut)",
    "tokeniser_pieces_per_sentence": "Pieces a sentence (pieces; higher = longer input)",
    "tokeniser_pieces_per_character": "Pieces a character (pieces; higher = cut finer)",
    "tokeniser_bytes_per_character": "Bytes a character (bytes of UTF-8; of the text alone)",
    "tokeniser_truncated_sentences": "Truncated sentences (share of sentences; lower = better)",
    "tokeniser_unknown_pieces": "Unknown pieces (share of pieces; lower = better)",
    "tokeniser_shared_vocabulary": "Shared vocabulary (Jaccard of pieces; higher = more in common)",
    "tokeniser_shared_use": "Shared vocabulary by use (weighted Jaccard; higher = more in common)",
}
OF_WORDS = ("tokeniser_fertility", "tokeniser_one_piece_words")
NO_WORDS = "no words: they are not found in this language"
FORMS = dict.fromkeys(TITLES, ".3f") | {
    "tokeniser_fertility": ".2f",
    "tokeniser_premium": ".2f",
    "tokeniser_pieces_per_sentence": ".1f",
    "tokeniser_bytes_per_character": ".2f",
}


@in_recipes
def by_language(
    rows: pd.DataFrame,
    *,
    metric: str,
    languages: Sequence[str],
    models: Sequence[str],
    order: Order,
    pivot: str | None = None,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a measure of each language, a column a tokeniser; premiums are to the `pivot`, whose row is left out.

    `rows` have model, language, value, low, high, n.

    `opened`, `pinned`: as for `collapsed`.
    """
    to = f" to {name_of(pivot)}" if pivot else ""
    shown = [tag for tag in languages if tag != pivot]
    columns = {model: model for model in models}
    cells = language_cells(rows, shown, columns, order, pinned, row="language", column="model", title=f"{TITLES[metric]}{to}")
    unit = UNITS[metric].replace("the pivot", name_of(pivot)) if pivot else UNITS[metric]
    return language_heatmap(
        collapsed(_told(cells, metric), shown, order, opened, bounds_of(metric), pinned),
        colour_title=unit,
        column_title="Tokeniser",
        chance=None,
        fitted=True,
        form=FORMS[metric],
    )


def _told(cells: Grid, metric: str) -> Grid:
    """Return the cells with the reason why some have none: where a measure of words is computed and missing, there are none."""
    if metric not in OF_WORDS or not cells.missing.any():
        return cells
    notes = tuple(tuple(NO_WORDS if missing else "" for missing in row) for row in cells.missing)
    return replace(cells, notes=notes, lacking="no words found")


@in_recipes
def pairs(
    rows: pd.DataFrame,
    *,
    metric: str,
    languages: Sequence[str],
    order: Order,
    title: str,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw a measure of every pair of languages, a premium as that of the row to the column.

    `rows` have source, target, value, low, high, n. `opened`, `pinned`: as for `collapsed_pairs`.
    """
    symmetric = metric != "tokeniser_premium"
    meta = language_table(languages)
    name = f"{title}: {TITLES[metric].lower()}"
    found = rows[["source", "target", "value", "low", "high", "n"]]
    clustered = pivot(found, rows=names_of(meta), columns=names_of(meta), symmetric=symmetric, square=True)
    names, groups = arranged(order, clustered.values if order in ("clustering", "value") else None, meta, pinned)
    cells = pivot(found, rows=names, columns=names, title=name, symmetric=symmetric, square=True, row_groups=groups)
    return heatmap_of(
        collapsed_pairs(cells, languages, order, opened, pinned, directed=not symmetric),
        colour_title=UNITS[metric].replace("the pivot", "the column"),
        row_title="" if symmetric else "Language",
        column_title="" if symmetric else "Pivot",
        chance=None,
        show_values=True,
        fitted=True,
        form=FORMS[metric],
    )
