"""Choosing a checkpoint or a source language by a measure: how good is the choice?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Literal, cast, get_args

import numpy as np
import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.relations import selections
from isogloss.backend.experiments.relations.printed import tables as published
from isogloss.backend.experiments.relations.reading import EACH, LAST, MEAN, Guides, Outcomes, Reading
from isogloss.backend.experiments.words import count
from isogloss.backend.figures import relations as figures
from isogloss.backend.metrics.selection import Better, CheckpointChoice, Choose, SourceChoice
from isogloss.pages.relations import cards
from isogloss.pages.relations.beside import NONE, choose_beside, labelled, outcomes_beside
from isogloss.pages.relations.selection import Picked, Selection
from isogloss.pages.relations.views.scatter import named, within
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing.choices import box, segments, select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

SHARES: dict[str, Literal["wins", "random_wins"]] = {"100 random": "random_wins", "All others": "wins"}
"""Which sources the chosen one is held against: those that appendix K draws, or every other."""
WHAT = ["Source language", "Checkpoint"]
USUAL: dict[str, Choose] = {"higher": "highest", "lower": "lowest"}
"""What is chosen by a measure's better direction; without one the lowest, as in the paper, and both where all are ranked."""


def draw(selection: Selection) -> None:
    """Draw how good the predictor's choice is by the outcome: of sources (appendix K) or of checkpoints (appendix H)."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = select("Select a", WHAT, "choosing", width=200)
        usual = USUAL.get(selection.x.choice.words.better, "lowest")
        ways = {"as usual": f"{usual} predictor (usual)"} | {each: f"{each} predictor" for each in get_args(Choose)}
        chosen = box("Select by", ways, "by", "as usual", width=200)
    choose: Choose = usual if chosen == "as usual" else cast("Choose", chosen)
    better: Better = "lower" if selection.y.choice.words.better == "lower" else "higher"
    if what == WHAT[0]:
        _sources(selection, choose, better)
    else:
        _checkpoints(selection, choose, better)
    with st.expander(f"Printed in {published.PAPER}, appendices H and K", icon=":material/menu_book:"):
        st.dataframe(published.selection(), hide_index=True, key="printed-selection", alt="Appendices H and K of the paper")


def _sources(selection: Selection, choose: Choose, better: Better) -> None:
    if not (selection.x.choice.at("pair") and selection.y.choice.at("pair")):
        st.info("A source is chosen for a target: both measures must be of pairs of languages.", icon=":material/info:")
        return
    asked = {"guide": _still(selection.x), "outcome": _still(selection.y), "choose": choose, "better": better}
    recipe = answers.recipe(selections.source_table, **asked)
    if cooked.rows(recipe).empty:
        st.info("No target has two sources with both measures: choose another measure or model.", icon=":material/join_inner:")
        return
    choice: SourceChoice = answers.asked(selections.by_source, **asked)
    spread = f" ± {number(100 * choice.deviation, '.1f')}" if choice.targets > 1 else ""
    of_random = f" ± {number(100 * choice.random_deviation, '.1f')}" if choice.targets > 1 else ""
    st.markdown(
        f"The source of **{choose} {verbatim(within(selection.x.choice.words.title))}** is the best for **{choice.is_best} of "
        f"{choice.targets}** targets, among the three best for **{choice.among_best}**, and beats "
        f"**{number(100 * choice.mean, '.1f')}{spread}%** of "
        f"the others ({number(100 * choice.random_mean, '.1f')}{of_random}% of 100 random ones each)."
    )
    st.caption(_of(selection, better, _still(selection.x), _still(selection.y)))
    title = f"Sources chosen by {within(selection.x.choice.words.title)}"
    drawn = partial(figures.sources, title=title)
    figure.draw(recipe.with_chart(drawn), name=f"{title} for {selection.y.choice.name}", card=cards.SOURCES, alt=title)
    _win_rates(selection, choose, better)
    _ranked(selection, better)


def _win_rates(selection: Selection, choose: Choose, better: Better) -> None:
    """How many targets' sources beat so many others (figure 16), those of another task beside them."""
    outcome, others = outcomes_beside(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        beside = choose_beside(others)
        against = segments("Beaten among", list(SHARES), "beaten", "100 random")
    share = SHARES[against]
    if beside == NONE or others[beside].choice.name != selection.y.choice.name:
        outcome = selection.y.choice.label  # no variant to be told from
    readings, directions = {outcome: _still(selection.y)}, {outcome: better}
    if beside != NONE:
        readings[beside] = _still(others[beside])
        directions[beside] = "lower" if others[beside].choice.words.better == "lower" else "higher"
    outcomes = Outcomes(readings=readings, better=directions)
    asked = {"guide": _still(selection.x), "outcomes": outcomes, "choose": choose}
    title = f"Win rates of sources chosen by {within(selection.x.choice.words.title)}"
    drawn = partial(figures.win_rates, share=share, title=title)
    recipe = answers.recipe(selections.source_tables, **asked).with_chart(drawn)
    figure.draw(recipe, name=title, card=cards.SOURCES, alt=title)


def _ranked(selection: Selection, better: Better) -> None:
    """All measures as choosers of a source for the same outcome."""
    st.markdown("## By which measure would you choose a source?")
    readings: dict[str, Reading] = {}
    directions: dict[str, Choose] = {}
    for choice in selection.workshop.choices:
        if choice.at("pair") and choice is not selection.y.choice and not choice.words.task:
            for label, each in labelled(selection, choice):
                usual = USUAL.get(choice.words.better)
                for way in [usual] if usual else get_args(Choose):
                    name = label if usual else f"{label}, {way}"
                    readings[name], directions[name] = _still(each), way
    asked = {"guides": Guides(readings=readings, choose=directions), "outcome": _still(selection.y), "better": better}
    recipe = answers.recipe(selections.ranked, **asked)
    data = cooked.rows(recipe)
    shown = pd.DataFrame(
        {
            "Measure": data["measure"],
            "Chosen": data["choose"],
            "Beats, %": 100 * data["wins"],
            "± over targets": 100 * data["deviation"],
            "Best for": data["is_best"],
            "Among three best": data["among_best"],
            "Targets": data["targets"],
        }
    )
    form = {name: st.column_config.NumberColumn(format="%.1f") for name in ("Beats, %", "± over targets")}
    st.dataframe(shown, hide_index=True, column_config=form, placeholder="–", key="choosers", alt="Measures ranked as choosers")
    figure.beside(
        name=f"Measures as choosers of a source for {selection.y.choice.name}",
        data=data,
        card=cards.SOURCES,
        recipe=recipe,
    )


def _checkpoints(selection: Selection, choose: Choose, better: Better) -> None:
    both = (selection.x, selection.y)
    few = [_with_one(selection, each) for each in both if each.scored is None or len(each.scored.checkpoints) < 2]
    if few:
        st.info(f"A checkpoint is selected among several. {verbatim(' '.join(few))}", icon=":material/info:")
        return
    guide, outcome = (_over_layers(each.read(checkpoint=EACH)) for each in both)
    asked = {"guide": guide, "outcome": outcome, "choose": choose, "better": better}
    recipe = answers.recipe(selections.checkpoint_table, **asked)
    data = cooked.rows(recipe)
    if data.empty:
        st.info(
            "No language has both measures at two checkpoints: choose another measure or model.", icon=":material/join_inner:"
        )
        return
    choice: CheckpointChoice = answers.asked(selections.by_checkpoint, **asked)
    least = " (least possible)" if choice.is_least else ""
    p = f", Wilcoxon p = {number(choice.p, '.3f')}{least}" if np.isfinite(choice.p) else ""
    spread = f" ± {number(choice.deviation, '.3f')}" if choice.languages > 1 else ""
    st.markdown(
        f"The checkpoint of **{choose} {verbatim(within(selection.x.choice.words.title))}** is nearer to the best than the "
        f"last is for **{choice.nearer} of {count(choice.languages, 'language')}** ({choice.same} the same); mean Δ "
        f"**{number(choice.mean, '.3f')}**{spread}{p}."
    )
    st.caption(_of(selection, better, guide, outcome))
    title = f"Checkpoints chosen by {within(selection.x.choice.words.title)}"
    recipe, labels = named(selection, recipe)
    drawn = partial(figures.checkpoints, unit=selection.y.choice.words.unit, labels=labels, title=title)
    figure.draw(recipe.with_chart(drawn), name=f"{title} for {selection.y.choice.name}", card=cards.CHECKPOINTS, alt=title)


def _with_one(selection: Selection, picked: Picked) -> str:
    """Say that a measure has one checkpoint, or none, and which of its variants have more."""
    variants = [each for each in picked.choice.variants if any(len(model.checkpoints) > 1 for model in each.models)]
    names = [selection.workshop.variant_name(each) for each in variants]
    way = f"choose the variant {' or '.join(names)}" if names else "choose another measure"
    return f"{picked.choice.words.title} has {'one' if picked.scored else 'none'}: {way}."


def _still(picked: Picked) -> Reading:
    """Return the reading without pooling: one number a pair."""
    asked = _over_layers(picked)
    return asked.model_copy(update={"checkpoint": LAST}) if asked.checkpoint == EACH else asked


def _over_layers(picked: Picked) -> Reading:
    """Return the reading at one layer, or as the mean over layers."""
    asked = picked.reading
    return asked.model_copy(update={"layer": MEAN}) if asked.layer == EACH else asked


def _of(selection: Selection, better: Better, guide: Reading, outcome: Reading) -> str:
    x, y = replace(selection.x, reading=guide), replace(selection.y, reading=outcome)
    where = f" ({y.where})" if y.where else ""
    by = f" Selected by: {x.where}." if x.where else ""
    return verbatim(f"Outcome: {selection.y.choice.words.title}{where}, {better} is better.{by}")
