"""Two measures against each other, a named point a unit; and their correlation at each checkpoint or layer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.curves import step_names
from isogloss.backend.experiments.relations import correlations, tables
from isogloss.backend.experiments.relations import rows as of_rows
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.figures import relations as figures
from isogloss.backend.figures.relation_points import COLOURS
from isogloss.pages.relations import cards, printed
from isogloss.pages.relations.beside import NONE, choose_beside, outcomes_beside
from isogloss.pages.relations.selection import Selection
from isogloss.pages.relations.views import partials
from isogloss.pages.shared import answers
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim


def draw(selection: Selection) -> None:
    """Draw the scatter, with the correlations over it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = "Nothing"
        if selection.unit in ("pair", "language"):
            by = select("Colour", COLOURS, "colour", index=1, width=200)
        fit = st.toggle("Line of best fit", value=True, key="fit", bind="query-params")
        own_label, others = outcomes_beside(selection) if selection.y.choice.words.task else ("", {})
        beside = choose_beside(others) if others else NONE
        fixed = partials.choose(selection)
    if beside == NONE:
        _scatter(selection, str(by), selection.y.choice.words.title, fit=fit)
    else:
        sides = {own_label: selection, beside: replace(selection, y=others[beside])}
        for place, (outcome, side) in zip(st.columns(2), sides.items(), strict=True):
            with place:
                _scatter(side, str(by), outcome, fit=fit)
    if fixed:
        partials.draw(selection, fixed)
    printed.draw(selection)


def _scatter(selection: Selection, by: str, outcome: str, *, fit: bool) -> None:
    """Draw one scatter, and the correlation at each checkpoint or layer where they are pooled; `outcome` names y."""
    question = selection.question(selection.x, selection.y)
    x, y = question.readings
    recipe, labels = named(selection, answers.recipe(tables.table, question=question))
    frame = cooked.rows(recipe)
    if len(frame.dropna(subset=[x, y])) < 2:
        nothing(selection)
        return
    title = f"{outcome} against {within(selection.x.choice.words.title)}"
    drawn = partial(
        figures.scatter,
        question=question,
        by=by,
        fit=fit,
        x_title=selection.x.axis,
        y_title=selection.y.axis,
        title=title,
        labels=labels,
    )
    _where(selection)
    figure.draw(recipe.with_chart(drawn), name=title, card=cards.CORRELATION, alt=title)
    if selection.along:
        _over(selection, question, x, y, outcome)


def named(selection: Selection, recipe: Recipe) -> tuple[Recipe, dict[str, str]]:
    """Return the recipe with what checkpoints are called beside their fingerprints, and those names by fingerprint."""
    frame = cooked.rows(recipe)
    keys = {key for name in of_rows.CHECKPOINTS if name in frame.columns for key in frame[name]}
    labels = {key: label for key, label in selection.labels.items() if key in keys}
    return (recipe.then(partial(of_rows.with_names, labels=labels)) if labels else recipe), labels


def nothing(selection: Selection) -> None:
    """Say in one sentence why there is no figure."""
    names = [each.choice.words.title + (f" ({each.where})" if each.where else "") for each in (selection.x, selection.y)]
    own = figures.UNITS[selection.unit].lower().replace("pair", "pairs") + ("" if selection.unit == "pair" else "s")
    both = " and ".join(f"**{verbatim(name)}**" for name in names)
    sentence = f"{both} have no two {own} in common: choose another unit, model or measure."
    st.info(sentence, icon=":material/join_inner:")


def checkpoint_names(selection: Selection, keys: list[str]) -> tuple[list[str], str]:
    """What checkpoints are called on an axis, and the axis: their training steps where each has its own, else their labels."""
    steps = [selection.steps.get(key) for key in keys]
    if None in steps or len(set(steps)) < len(steps):  # stages may begin to count again
        return [selection.labels.get(key, key) for key in keys], "Checkpoint"
    return step_names(steps), "Training step"


def within(title: str) -> str:
    """Return a title within a sentence: an abbreviation keeps its letters."""
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def _where(selection: Selection) -> None:
    parts = [f"{axis}: {verbatim(each.where)}" for axis, each in (("x", selection.x), ("y", selection.y)) if each.where]
    if parts and selection.unit != "model":
        st.caption(" · ".join(parts))


def _over(selection: Selection, question: Question, x: str, y: str, outcome: str) -> None:
    """The correlations one checkpoint, or layer, at a time, those with p < 0.05 filled (figure 7)."""
    recipe, _ = named(selection, answers.recipe(correlations.over, question=question, x=x, y=y))
    along = str(selection.along)
    keys = cooked.rows(recipe)[along].astype(str).drop_duplicates().tolist()
    names, axis = checkpoint_names(selection, keys) if along == "checkpoint" else (keys, figures.LAYER)
    title = f"Correlation at each {along}"
    drawn = partial(figures.over, along=along, axis=axis, names=dict(zip(keys, names, strict=True)), title=title)
    both = f"{title} of {x} and {y if outcome == selection.y.choice.words.title else outcome}"
    figure.draw(recipe.with_chart(drawn), name=both, card=cards.CORRELATION, alt=title)
