"""Everything computed at the unit against everything else."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.charts.correlation_heatmap import in_clusters
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.relations import correlations
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.figures import relations as figures
from isogloss.pages.relations import cards
from isogloss.pages.relations.beside import labelled
from isogloss.pages.relations.selection import CHECKPOINTS, LAYERS, ROLES, Picked, Selection
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

LEAST, MOST = 2, 12
"""Fewer measures make no matrix; more are drawn where they are chosen."""


def draw(selection: Selection) -> None:
    """Draw the matrix of correlations, its measures in the order of their clusters; a click on a cell shows its scatter."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        statistic = select("Correlation", correlations.STATISTICS, "statistic", width=160)
        given = st.toggle("With typology and covariates", value=False, key="given", bind="query-params")
        named = _chosen(selection)
    named += [each for choice in selection.choices if given and choice.given for each in labelled(selection, choice)]
    picked = [each for _, each in named]
    names = selection.names(*picked)
    labels = dict(zip(names, (label for label, _ in named), strict=True))
    question = Question(
        unit=selection.unit, along=selection.along, readings=dict(zip(names, (each.reading for each in picked), strict=True))
    )
    recipe = answers.recipe(correlations.all_against_all, partial(correlations.known), question=question, statistic=statistic)
    rows = cooked.rows(recipe)
    ordered = in_clusters(rows, names)
    if len(ordered) < LEAST:
        st.info(
            "No two measures have enough points in common here: choose another unit, model or measures.",
            icon=":material/join_inner:",
        )
        return
    if selection.x.scored and selection.unit != "model":
        st.caption(verbatim(f"All read as the predictor is: {selection.x.where}."))
    cells = [[[x, y] if x != y else None for x in ordered] for y in ordered]
    clicked = figure.draw(
        recipe.with_chart(partial(figures.matrix, statistic=statistic, unit=selection.unit, labels=labels)),
        name="All measures against all",
        card=cards.MATRIX,
        alt="Correlations of all measures with each other",
        clicks=lambda drawn: clickable(drawn, cells),
    )
    if left := [labels[name] for name in names if name not in ordered]:
        st.caption(verbatim(f"Without enough points in common with another: {', '.join(left)}."))
    if clicked:
        x, y = (picked[names.index(name)] for name in clicked)
        open_cell("Scatter", **_boxes(selection, "x", x), **_boxes(selection, "y", y))


def _chosen(selection: Selection) -> list[tuple[str, Picked]]:
    """Draw the choice of scores; at first each measure's usual variant, predictor and outcome before others, at most 12."""
    axes = (selection.x, selection.y)
    named: dict[str, Picked] = {}
    first: list[str] = []
    for choice in sorted(selection.choices, key=lambda choice: not any(choice is axis.choice for axis in axes)):
        variants = {} if choice.given else dict(labelled(selection, choice))
        named |= variants
        read = next((axis for axis in axes if axis.choice is choice), None) or selection.pick(choice)
        usual = [label for label, each in variants.items() if read and each.reading.of == read.reading.of]
        first += usual[:1] or list(variants)[:1]
    with st.popover("Measures", icon=":material/checklist:"):
        chosen = st.multiselect("Measures", list(named), first[:MOST], key="measures", bind="query-params")
    return [(label, named[label]) for label in chosen or first[:MOST]]


def _boxes(selection: Selection, axis: str, picked: Picked) -> dict[str, str]:
    """Return what an axis' boxes in the side bar stand at where they read a measure as the matrix does."""
    choice = next(each for each in selection.choices if each.label == picked.choice.label)
    boxes, scored, reading, unit = {axis: choice.label}, picked.scored, picked.reading, selection.unit
    if scored is None:
        return boxes
    variant = picked.choice.variants[0]
    if unit != "model":
        boxes[f"{axis}_model"] = scored.model
    if sum(each.of(scored.model) is not None for each in choice.variants_at(unit)) > 1:
        boxes[f"{axis}_variant"] = selection.workshop.variant_name(variant)
    if unit != "checkpoint" and scored.series and len(scored.checkpoints) > 1:
        labels = dict(zip(scored.checkpoints, scored.labels, strict=True))
        key = f"{axis}_each_checkpoint" if selection.along == "checkpoint" else f"{axis}_checkpoint"
        boxes[key] = CHECKPOINTS.get(reading.checkpoint) or labels[reading.checkpoint]
    if unit != "layer" and len(variant.layers) > 1:
        key = f"{axis}_each_layer" if selection.along == "layer" else f"{axis}_layer"
        boxes[key] = LAYERS.get(str(reading.layer)) or str(reading.layer)
    if unit == "language" and variant.others and (variant.own or variant.directed):
        boxes[f"{axis}_role"] = ROLES[reading.role]
    return boxes
