"""Relations between measures drawn (de Seyssel et al. 2025): scatters, heatmaps of correlations, and how well one chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.by_group import by_group as grouped
from isogloss.backend.charts.correlation_heatmap import correlation_heatmap, in_clusters, numbered
from isogloss.backend.charts.distributions import counted
from isogloss.backend.charts.grid import pivot
from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.parts.theme import empty
from isogloss.backend.charts.ranked import ranked_bars
from isogloss.backend.charts.relation_over import relation_over
from isogloss.backend.charts.relation_scatter import relation_scatter
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.language_groups import By, differ, means
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.experiments.relations import rows as of_rows
from isogloss.backend.experiments.relations.correlations import CORRECTED, Related, Statistic, known
from isogloss.backend.experiments.relations.reading import Question, Unit
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.relation_points import points_of
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from isogloss.backend.metrics.between_groups import BetweenGroups

UNITS: dict[Unit, str] = {
    "pair": "Pair of languages",
    "language": "Language",
    "layer": "Layer",
    "checkpoint": "Checkpoint",
    "model": "Model",
}
LAYER = "Layer (0 = input embedding)"


@in_recipes
def scatter(
    rows: pd.DataFrame,
    *,
    question: Question,
    by: str,
    fit: bool,
    x_title: str,
    y_title: str,
    title: str,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the question's first two measures against each other (figure 6), coloured `by` one of `relation_points.COLOURS`.

    `rows` are those of its table; `labels` name checkpoints by fingerprint. Over it stand the correlations, with p from
    permuting languages.
    """
    x, y, *_ = question.readings
    shared = rows.dropna(subset=[x, y])
    if len(shared) < 2:
        return empty("No two points have both numbers.", title=title)
    point_words = UNITS[question.unit].lower() + (f" × {question.along}" if question.along else "")
    return relation_scatter(
        points_of(shared, question, x, y, by, labels or {}),
        x_title=x_title,
        y_title=y_title,
        title=title,
        notes=[
            *map(_sentence, of_rows.related(rows, question)),
            f"{count(len(shared), 'point')} ({point_words})",
            *_ceilings(shared[x], shared[y]),
        ],
        line=of_rows.line(shared, x, y) if fit else None,
    )


@in_recipes
def by_group(rows: pd.DataFrame, *, measure: str, by: By, value_title: str, title: str, over_pairs: bool = False) -> go.Figure:
    """Draw a measure by group of languages; over it how much of its variance lies between groups, with p by permutation.

    `rows` are of `with_groups`: language, `measure`, group. Where values are means `over_pairs` with all other languages,
    intervals count that languages of a group are partners of each other.
    """
    points = pd.DataFrame({"name": [name_of(tag) for tag in rows["language"]], "group": rows["group"], "value": rows[measure]})
    groups = [group if isinstance(group, str) else None for group in rows["group"]]
    left_out = sum(group is None for group in groups)
    notes = [_difference(differ(rows[measure].tolist(), groups), by)]
    notes += [f"{count(left_out, 'language')} whose {by} is not known: left out"] if left_out else []
    of_groups = means(rows[measure].tolist(), groups, bounds_of(measure), over_pairs=over_pairs)
    return grouped(points, of_groups, value_title=value_title, title=title, notes=notes)


@in_recipes
def over(rows: pd.DataFrame, *, along: str, axis: str, names: Mapping[str, str], title: str) -> go.Figure:
    """Draw the correlations one checkpoint, or layer, at a time (figure 7); `names` are what these are called on the `axis`."""
    keys = rows[along].astype(str).drop_duplicates().tolist()
    return relation_over(rows, names=[names.get(key, key) for key in keys], axis=axis, title=title)


@in_recipes
def where(
    rows: pd.DataFrame, *, statistic: Statistic, unit: Unit, columns: Mapping[str, str], column_title: str, title: str
) -> go.Figure:
    """Draw a correlation at every layer of every checkpoint; `columns` names checkpoints by fingerprint.

    `rows` have checkpoint, layer, value, p, n.
    """
    layers = sorted(set(rows["layer"].tolist()))
    checkpoints = rows["checkpoint"].drop_duplicates().tolist()
    called = {key: columns.get(key, key) for key in checkpoints}
    names = {layer: "none" if layer < 0 else layer for layer in layers}
    cells = pivot(rows, row="layer", column="checkpoint", rows=names, columns=called, title=title)
    own = rows.assign(value=rows["p"])[["layer", "checkpoint", "value"]]
    p = pivot(own, row="layer", column="checkpoint", rows=layers, columns=checkpoints)
    return correlation_heatmap(
        cells,
        p.values,
        value_title=_correlation(statistic),
        row_title=LAYER,
        column_title=column_title,
        n_title=UNITS[unit].replace("Pair", "Pairs").replace("Language", "Languages"),
        first_row="bottom",
        show_values=len(layers) * len(checkpoints) <= 60,
    )


@in_recipes
def matrix(rows: pd.DataFrame, *, statistic: Statistic, unit: Unit, labels: Mapping[str, str]) -> go.Figure:
    """Draw the correlations of every two measures, in the order of their clusters; `labels` says what each is called.

    `rows` are of `correlations.known`. What is not significant after Benjamini–Hochberg over all of them is hatched.
    """
    if CORRECTED not in rows.columns:  # pinned before it was written
        rows = known(rows)
    ordered = in_clusters(rows, list(labels))
    if not ordered:
        return empty("No two measures have enough points in common.")
    called = {name: labels[name] for name in ordered}
    cells = pivot(rows, row="x", column="y", rows=called, columns=called, square=True)
    p, corrected = (
        pivot(rows.assign(value=rows[name])[["x", "y", "value"]], row="x", column="y", rows=ordered, columns=ordered).values
        for name in ("p", CORRECTED)
    )
    drawn = correlation_heatmap(
        cells,
        p,
        value_title=_correlation(statistic),
        row_title="",
        column_title="",
        n_title=UNITS[unit].replace("Pair", "Pairs"),
        show_values=len(ordered) <= 14,
        corrected=corrected,
    )
    return numbered(drawn, list(called.values()))


@in_recipes
def partial_plot(
    rows: pd.DataFrame,
    *,
    question: Question,
    predictor: str,
    x_title: str,
    y_title: str,
    title: str,
    width: float,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw what the other predictors leave of one and of the outcome, `width` pixels wide; its slope is the coefficient.

    `rows` are those of all predictors: the unit, predictor, x, y.
    """
    of_predictor = rows[rows["predictor"] == predictor]
    return relation_scatter(
        points_of(of_predictor, question, "x", "y", "Nothing", labels or {}),
        x_title=x_title,
        y_title=y_title,
        title=title,
        line=of_rows.line(of_predictor, "x", "y"),
        height=400,
        width=width,
    )


@in_recipes
def sources(rows: pd.DataFrame, *, title: str) -> go.Figure:
    """Draw for each target how many other sources the chosen one beats (appendix K); `rows` as of `selections.source_table`."""
    rows_of_targets = rows.to_dict("records")
    return ranked_bars(
        [name_of(row["target"]) for row in rows_of_targets],
        100 * rows["wins"],
        value_title="Other sources that the chosen one beats (%; higher = better choice)",
        best=(rows["rank"] == 1).tolist(),
        notes=[
            f"chosen {name_of(row['chosen'])}, best {name_of(row['best'])}, rank {row['rank']} of {row['sources']}"
            for row in rows_of_targets
        ],
        title=f"{title}, by target (in colour: the best)",
    )


@in_recipes
def win_rates(rows: pd.DataFrame, *, share: Literal["wins", "random_wins"], title: str) -> go.Figure:
    """Draw how many targets' chosen sources beat so many others (figure 16), an outcome beside another.

    `rows` as of `selections.source_tables`. `random_wins` are of 100 random others, as printed; `wins` of all others.
    """
    others = "100 random sources" if share == "random_wins" else "the other sources"
    return counted(
        {str(name): own[share].to_numpy() for name, own in rows.groupby("outcome", sort=False)},
        np.linspace(0, 1, 11),
        x_title=f"Win rate: share of {others} that the chosen one beats (higher = better choice)",
        y_title="Targets",
        chance=0.5,
        title=title,
    )


@in_recipes
def checkpoints(rows: pd.DataFrame, *, unit: str, labels: Mapping[str, str], title: str) -> go.Figure:
    """Draw for each language how much nearer to the best checkpoint the chosen one is than the last (appendix H).

    `rows` as of `selections.checkpoint_table`, gaps in the outcome's `unit`; `labels` name checkpoints by fingerprint.
    """
    notes = [
        f"chosen {labels.get(row['chosen'], row['chosen'])}, best {labels.get(row['best'], row['best'])}; gaps "
        f"{number(row['gap_chosen'])} and {number(row['gap_last'])} (last)"
        for row in rows.to_dict("records")
    ]
    return ranked_bars(
        [name_of(tag) for tag in rows["language"]],
        rows["delta"],
        value_title=f"Δ = gap of last − gap of chosen ({unit}; above 0 = the chosen is nearer)",
        best=(rows["delta"] > 0).tolist(),
        notes=notes,
        title=title,
        form="+.3f",
    )


def _difference(found: BetweenGroups, by: By) -> str:
    """Say whether groups differ."""
    of = f"{count(found.n, 'language')} in {count(found.groups, 'group')} by {by}"
    if found.effect != found.effect:
        return f"{of}: whether they differ is not defined"
    how = f"all {found.amount:,} permutations" if found.exact else f"{found.amount - 1:,} permutations of the languages"
    p = "< 0.001" if found.p < 0.001 else f"= {number(found.p, '.3f')}"
    return f"{of}: η² = {number(found.effect, '.2f')} (by chance {number(found.chance, '.2f')}), p {p} ({how})"


def _ceilings(x: pd.Series, y: pd.Series) -> list[str]:
    """Warn of each axis on which more than half of the points share a value: what correlates are the few others."""
    warnings = []
    for letter, values in (("x", x), ("y", y)):
        shared = values.round(12).value_counts()
        most, value = int(shared.iloc[0]), float(shared.index[0])
        if 2 * most > len(values) > most:
            rest = len(values) - most
            others = "one other decides" if rest == 1 else f"{rest:,} others decide"
            warnings.append(f"{most:,} of {count(len(values), 'point')} share {letter} = {number(value)}: the {others} r")
    return warnings


def _correlation(statistic: Statistic) -> str:
    return f"{statistic}'s correlation (−1 to 1; 0 = unrelated)"


def _sentence(related: Related) -> str:
    letter = "r" if related.statistic == "Pearson" else "ρ"
    value, permuted_value = related.plain, related.permuted
    if value.value != value.value:
        return f"{related.statistic} {letter}: not defined"
    bounds = f" [{number(value.low, '.2f')}, {number(value.high, '.2f')}]" if value.low == value.low else ""
    how = (
        f"all {permuted_value.amount:,} permutations" if permuted_value.exact else f"{permuted_value.amount - 1:,} permutations"
    )
    least = ", least possible" if permuted_value.is_least else ""
    permuted = f", p = {number(permuted_value.p, '.3f')}{least} ({how})" if permuted_value.p == permuted_value.p else ""
    return f"{related.statistic} {letter} = {number(value.value, '.2f')}{bounds}{permuted}"
