"""Two measures against each other, a named point a unit; and their correlation at each checkpoint or layer."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.curves import step_names
from backend.charts.parts.text import number
from backend.charts.relation_over import relation_over
from backend.charts.relation_scatter import relation_scatter
from backend.experiments.relations import correlations, tables
from backend.experiments.relations.correlations import Related
from backend.experiments.relations.reading import Question
from backend.experiments.words import count
from backend.metrics.regression import fitted_line
from pages.relations import cards, frames, printed
from pages.relations.selection import UNITS, Selection
from pages.shared import answers
from pages.widgets import figure
from pages.widgets.choices import select
from pages.widgets.words import plain


def draw(selection: Selection) -> None:
    """Draw the scatter, with the correlations over it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = "Nothing"
        if selection.unit in ("pair", "language"):
            by = select("Colour", frames.COLOURS, "colour", index=1, width=200)
        fit = st.toggle("Line of best fit", value=True, key="fit", bind="query-params")
    question = selection.question(selection.x, selection.y)
    x, y = question.readings
    frame = answers.asked(tables.table, question=question)
    shared = frame.dropna(subset=[x, y])
    if len(shared) < 2:
        nothing(selection)
        return
    said = answers.asked(related, question=question, x=x, y=y)
    title = f"{selection.y.choice.words.title} against {within(selection.x.choice.words.title)}"
    drawn = relation_scatter(
        frames.points(shared, question, x, y, by, dict(selection.workshop.labels)),
        x_title=selection.x.axis,
        y_title=selection.y.axis,
        title=title,
        notes=[*map(_sentence, said), f"{count(len(shared), 'point')} ({_points(selection)})"],
        line=fitted_line(shared[x], shared[y]) if fit else None,
    )
    _where(selection)
    figure.show(
        drawn,
        name=title,
        data=frame,
        card=cards.CORRELATION,
        snippet=answers.python(tables.table, question=question),
        alt=title,
    )
    if selection.along:
        _over(selection, question, x, y)
    printed.draw(selection)


def related(question: Question, x: str, y: str, workspaces: list) -> tuple[Related, Related]:  # type: ignore[type-arg]
    """Return both correlations of the question's two measures."""
    return correlations.relate(tables.join(question, workspaces), x, y)


def nothing(selection: Selection) -> None:
    """Say in one sentence why there is no figure."""
    names = [each.choice.words.title + (f" ({each.where})" if each.where else "") for each in (selection.x, selection.y)]
    own = UNITS[selection.unit].lower().replace("pair", "pairs") + ("" if selection.unit == "pair" else "s")
    sentence = (
        f"**{plain(names[0])}** and **{plain(names[1])}** have no two {own} in common: choose another unit, model or measure."
    )
    st.info(sentence, icon=":material/join_inner:")


def checkpoint_names(selection: Selection, keys: list[str]) -> tuple[list[str], str]:
    """What checkpoints are called on an axis, and the axis: their training steps where all are known, else their labels."""
    steps = [selection.workshop.steps.get(key) for key in keys]
    if None in steps:
        return [selection.workshop.labels.get(key, key) for key in keys], "Checkpoint"
    return step_names(steps), "Training step"


def within(title: str) -> str:
    """Return a title within a sentence: an abbreviation keeps its letters."""
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def _where(selection: Selection) -> None:
    parts = [f"{axis}: {plain(each.where)}" for axis, each in (("x", selection.x), ("y", selection.y)) if each.where]
    if parts and selection.unit != "model":
        st.caption(" · ".join(parts))


def _points(selection: Selection) -> str:
    own = UNITS[selection.unit].lower()
    return f"{own} × {selection.along}" if selection.along else own


def _sentence(each: Related) -> str:
    letter = "r" if each.statistic == "Pearson" else "ρ"
    value, own = each.plain, each.permuted
    if value.value != value.value:
        return f"{each.statistic} {letter}: not defined"
    bounds = f" [{number(value.low, '.2f')}, {number(value.high, '.2f')}]" if value.low == value.low else ""
    how = f"all {own.amount:,} permutations" if own.exact else f"{own.amount - 1:,} permutations"
    permuted = f", p = {number(own.p, '.3f')} ({how})" if own.p == own.p else ""
    return f"{each.statistic} {letter} = {number(value.value, '.2f')}{bounds}{permuted}"


def _over(selection: Selection, question: Question, x: str, y: str) -> None:
    """The correlations one checkpoint, or layer, at a time, those with p < 0.05 filled (figure 7)."""
    data = answers.asked(correlations.over, question=question, x=x, y=y)
    along = str(selection.along)
    keys = data[along].astype(str).drop_duplicates().tolist()
    names, axis = checkpoint_names(selection, keys) if along == "checkpoint" else (keys, "Layer (0 = input embedding)")
    title = f"Correlation at each {along}"
    figure.show(
        relation_over(data, names=names, axis=axis, title=title),
        name=f"{title} of {x} and {y}",
        data=pd.DataFrame(data),
        card=cards.CORRELATION,
        snippet=answers.python(correlations.over, question=question, x=x, y=y),
        alt=title,
    )
