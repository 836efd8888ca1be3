"""Below a scatter, its correlations beside what is left of them where other measures are held fixed."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.relations import partials
from isogloss.pages.relations import cards
from isogloss.pages.relations.selection import Picked, Selection
from isogloss.pages.shared import answers
from isogloss.pages.widgets.figures import cooked, figure

HELP = "Beside the correlation, the partial one: each measure is read at the model, checkpoint and layer of the predictor (x)."


def choose(selection: Selection) -> list[Picked]:
    """Draw the choice of what is held fixed, of all other measures at the unit, those of no model first; none at first."""
    others = [each for each in selection.choices if each not in (selection.x.choice, selection.y.choice)]
    able = {each.label: each for each in sorted(others, key=lambda each: not (each.given or each.words.of_input))}
    if not able:
        return []
    chosen = st.multiselect(
        "Held fixed",
        list(able),
        default=[],
        key="fixed",
        bind="query-params",
        placeholder="Nothing",
        help=HELP,
        width=320,
    )
    found = [selection.pick(able[label]) for label in chosen]
    return [each for each in found if each is not None]


def draw(selection: Selection, fixed: list[Picked]) -> None:
    """Draw the table: Pearson's and Spearman's correlation, plain and partial."""
    question = selection.question(selection.x, selection.y, *fixed)
    x, y, *_ = question.readings
    recipe = answers.recipe(partials.beside, question=question, x=x, y=y)
    rows = cooked.rows(recipe)
    held = ", ".join(each.choice.label for each in fixed)
    shown = pd.DataFrame(
        {
            "Correlation": rows["statistic"],
            "Held fixed": ["Nothing" if each == "" else held for each in rows["fixed"]],
            "Value": rows["value"],
            "95% low": rows["low"],
            "95% high": rows["high"],
            "p permuted": ["–" if p != p else "< 0.001" if p < 0.001 else number(p, ".3f") for p in rows["p"]],
            "n": rows["n"],
        }
    )
    form: dict[str, Any] = {name: st.column_config.NumberColumn(format="%.3f") for name in ("Value", "95% low", "95% high")}
    form["p permuted"] = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        shown, hide_index=True, column_config=form, placeholder="–", key="partial", alt="Correlations, plain and partial"
    )
    names = " and ".join((x, y))
    figure.beside(name=f"Partial correlation of {names}", data=rows, card=cards.PARTIAL, recipe=recipe)
