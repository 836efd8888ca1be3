"""Alignment drawn (Gaschi et al. 2022): curves, heatmaps, matrices of languages, and what lies beside words' scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.distributions import distributions
from isogloss.backend.charts.grid import Grid, pivot
from isogloss.backend.charts.heatmap import heatmap_of, pair_of_heatmaps
from isogloss.backend.charts.languages import Order, arranged, names_of
from isogloss.backend.charts.parts.apart import apart
from isogloss.backend.charts.parts.paper import add_named_reference, add_reference
from isogloss.backend.charts.parts.theme import DASHES, colours_of
from isogloss.backend.experiments.alignment import frames
from isogloss.backend.figures.collapsed_pairs import collapsed_pairs
from isogloss.backend.figures.languages import language_table
from isogloss.backend.figures.layers import two_measures
from isogloss.backend.figures.pairs import pairs_scatter
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from isogloss.backend.charts.parts.axes import StepAxis

Unit = Literal["word", "sentence"]
UNITS: dict[Unit, str] = {"word": "Words", "sentence": "Sentences"}
MEASURES = {"weak": "Weak alignment", "strong": "Strong alignment"}
SHARES: dict[Unit, str] = {"word": "share of words", "sentence": "share of sentences"}
BANDS = 8
"""More lines than this are drawn without their bands, which would hide each other; the pointer still shows each interval."""
ALL = 0.0, 1.0
"""Every share there can be: the ends of colours that are not fitted."""
KINDS = {
    "dictionary": "Dictionary pairs",
    "alignment": "Imported alignment",
    "aligner": "Model's nearest words",
    "random": "Random pairs",
    "random_within": "Random, same sentence",
}
"""Of pairs of words, whose similarities are compared."""
OVERLAPS = {"overlap_random": "with random pairs", "overlap_random_within": "with random, same sentence"}
COSINES = {"cosine_translations": "Translations", "cosine_random": "Random pairs"}
"""Of pairs of sentences."""
SIMILARITY = {
    "cosine": ("Similarity", "Mean cosine (−1 to 1; the gap between the two lines counts)"),
    "overlap_random": ("Overlap", "Overlap with random pairs (0 to 1; lower = more separable)"),
}
"""What is drawn of sentences' similarity: its title, and its unit and direction."""
SOURCES = {"dictionary": "Dictionary", "alignment": "Alignment", "model": "Model"}
"""Of word pairs."""
PRINTED = (
    "Gaschi et al. 2022, section IV: Spearman .86, p < .01",
    "(mBERT, XLM-R, AWESOME; 3 language pairs, all layers)",
)
"""Distinct against repeated word pairs."""


def unit_title(unit: Unit, measure: str) -> str:
    """Return the measure with its unit and direction, for an axis."""
    return f"{MEASURES[measure]} ({SHARES[unit]}; higher = better aligned)"


@in_recipes
def trends(
    rows: pd.DataFrame,
    *,
    measure: str,
    unit: Unit,
    x: Literal["layer", "step"],
    scale: StepAxis,
    colours: Mapping[str, str],
    static: Mapping[str, str] | None = None,
    value_range: tuple[float, float] | None = None,
    axis: str = "",
    panels: bool = False,
) -> go.Figure:
    """Draw a score over layers or checkpoints (figures 2 and 3), a line a model or each `line` of it, or `panels` of them.

    `rows` have model, `x`, value, low, high, n. Those without `x` are of static vectors: each is a horizontal line, named with
    what `static` says its set (the model) rests on. `value_range` is that of figures side by side.
    """
    level = rows[x].isna()
    of_models = rows[~level]
    amount = of_models[["model", *rows.columns.intersection(["line"])]].drop_duplicates().shape[0]
    drawn = curves(
        of_models,
        x=x,
        axis=axis,
        value_title=unit_title(unit, measure),
        title=MEASURES[measure],
        step_scale=scale,
        colours=colours,
        value_range=value_range,
        chance=None,
        n_title=UNITS[unit],
        bands=panels or amount <= BANDS,
        panels=panels,
        height=400,
    )
    for name, rests in (static or {}).items():
        _add_static(drawn, rows[level & (rows["model"] == name)], f"{name}, {rests}")
    return apart(drawn) if panels else drawn


def _add_static(drawn: go.Figure, rows: pd.DataFrame, label: str) -> None:
    """Draw a set of static vectors: the mean of the pairs of languages, or a line a directed pair."""
    for place, row in enumerate(rows.to_dict("records")):
        if not row.get("line"):
            add_reference(drawn, row["value"], label=label, form=".3f")
            continue
        dash = DASHES[1 + place % (len(DASHES) - 1)]
        add_named_reference(drawn, row["value"], (label, row["line"]), dash=dash, form=".3f")


@in_recipes
def layers_by_checkpoints(
    rows: pd.DataFrame,
    *,
    unit: Unit,
    layers: Sequence[int],
    columns: Mapping[str, str],
    column_title: str,
    title: str,
    shared: bool,
    fitted: bool | None = True,
) -> go.Figure:
    """Draw weak and strong alignment of a model: `columns` names the checkpoints in order, by their fingerprints.

    `rows` have measure, layer, checkpoint, value, low, high, n. `shared`: one colour scale for both, from 0 to 1 if not
    `fitted`.
    """
    return two_measures(
        rows,
        by="measure",
        names=MEASURES,
        colour_titles=(unit_title(unit, "weak"), unit_title(unit, "strong")),
        shared_title=f"Accuracy ({SHARES[unit]}; higher = better aligned)",
        layers=layers,
        columns=columns,
        column_title=column_title,
        title=title,
        shared=shared,
        fitted=fitted,
        range=ALL,
        chance=None,
        n_title=f"{UNITS[unit]} at least",
    )


@in_recipes
def matrix(
    rows: pd.DataFrame,
    *,
    measure: str,
    languages: Sequence[str],
    vectors: Mapping[str, str],
    order: Order,
    shared: bool,
    title: str,
    fitted: bool | None = True,
    opened: Collection[str] | None = None,
    pinned: Sequence[str] = (),
) -> go.Figure:
    """Draw sentences' scores of every direction of every pair (table I), a heatmap for each of one or two kinds of vector.

    `rows` have variant, source, target, value, low, high, n; `vectors` names the kinds of sentence vector by their variants.
    The colours go from 0 to 1 if they are not `fitted`. `opened`, `pinned`: as for `collapsed_pairs`.
    """
    meta = language_table(languages)
    names, groups = arranged(order, _directions(rows, next(iter(vectors)), names_of(meta)).values, meta, pinned)
    whole = [_directions(rows, variant, names, name, groups) for variant, name in vectors.items()]
    grids = [collapsed_pairs(each, languages, order, opened, pinned, directed=True) for each in whole]
    score = unit_title("sentence", measure)
    if len(grids) == 1:
        return heatmap_of(
            replace(grids[0], title=f"{title}: {grids[0].title}"),
            colour_title=score,
            row_title="From",
            column_title="To",
            chance=None,
            range=None if fitted else ALL,
            fitted=fitted,
            show_values=True,
        )
    return pair_of_heatmaps(
        *grids,
        colour_titles=(score, score),
        shared_title=score,
        title=title,
        row_title="From",
        column_title="To",
        shared_scale=shared,
        chance=None,
        fitted=fitted,
        range=ALL,
        show_values=True,
    )


def _directions(
    rows: pd.DataFrame, variant: str, names: dict[str, str], title: str = "", groups: list[str] | None = None
) -> Grid:
    own = rows[rows["variant"] == variant]
    return pivot(own, rows=names, columns=names, title=title, square=True, row_groups=groups)


@in_recipes
def repetition(rows: pd.DataFrame, *, measure: str, colours: Mapping[str, str]) -> go.Figure:
    """Draw the scores of distinct (x) against repeated (y) word pairs, a point a model, layer and directed pair."""
    return pairs_scatter(
        rows,
        x_title=f"Each pair once ({SHARES['word']}; higher = better aligned)",
        y_title=f"Wherever it occurs ({SHARES['word']}; higher = better aligned)",
        title=MEASURES[measure],
        spearman=frames.rank_correlation(rows).value,
        unit="point",
        printed=PRINTED,
        colours=colours,
        height=520,
    )


@in_recipes
def similarity(
    rows: pd.DataFrame, *, of: Literal["cosine", "overlap_random"], colours: Mapping[str, str] | None = None
) -> go.Figure:
    """Draw the mean cosine of sentence pairs by layer (figure 4), or the overlap of translated and random ones.

    `rows` have model (of cosines the kind of pair), line, layer, value, low, high, n.
    """
    title, value_title = SIMILARITY[of]
    return curves(
        rows,
        x="layer",
        value_title=value_title,
        title=title,
        colours=colours or colours_of(COSINES.values()),
        chance=None,
        height=360,
    )


@in_recipes
def histograms(rows: pd.DataFrame) -> go.Figure:
    """Draw how similar words of each kind of pair are at a layer (figure 5): `rows` have kind, from (a bin's edge), pairs."""
    counts = {KINDS[str(kind)]: each["pairs"].tolist() for kind, each in rows.groupby("kind", sort=False)}
    return distributions(
        counts,
        np.append(rows["from"].unique(), 1.0),  # the last bin ends at the greatest cosine
        x_title="Cosine (−1 to 1; higher = more similar)",
        y_title="Share of the kind's pairs (bins of 0.02)",
        title="Similarity at this layer",
        colours=colours_of(KINDS.values()),
    )


@in_recipes
def overlaps(rows: pd.DataFrame) -> go.Figure:
    """Draw how far paired and random words overlap by layer: `rows` have layer, kind, n, and the columns of `OVERLAPS`."""
    lines = rows.rename(columns=OVERLAPS).melt(["layer", "kind", "n"], list(OVERLAPS.values()), "line", "value")
    return curves(
        lines.assign(model=lines["kind"].map(KINDS)),
        x="layer",
        value_title="Overlap (0 to 1; lower = more separable)",
        title="Overlap with random pairs",
        colours=colours_of(KINDS.values()),
        chance=None,
        n_title="Pairs",
        height=360,
    )


@in_recipes
def precision(rows: pd.DataFrame, *, colours: Mapping[str, str]) -> go.Figure:
    """Draw the share of each source's word pairs that gold has (table II): the model's by layer, the others' as lines.

    `rows` have kind, name, layer, pairs, precision.
    """
    is_model = rows["kind"] == "model"
    drawn = curves(
        rows[is_model].rename(columns={"name": "model", "precision": "value", "pairs": "n"}),
        x="layer",
        value_title="Precision (0 to 1; higher = better)",
        title="Precision of the model's mutual nearest words",
        colours=colours,
        chance=None,
        n_title="Pairs",
        height=400,
    )
    for place, row in enumerate(rows[~is_model].to_dict("records")):
        if pd.notna(row["precision"]):
            lines = (SOURCES[row["kind"]], row["name"])
            add_named_reference(drawn, row["precision"], lines, dash=DASHES[1 + place % (len(DASHES) - 1)], form=".3f")
    return drawn
