"""An outcome regressed on several measures; the paper's table 1 beside it."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.charts.parts.text import number
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.relations import regressions
from isogloss.backend.experiments.relations.printed import tables as published
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.experiments.relations.regressions import Fitted, dropped
from isogloss.backend.experiments.words import count
from isogloss.backend.figures import relations as figures
from isogloss.pages.relations import cards
from isogloss.pages.relations.selection import Picked, Selection
from isogloss.pages.relations.views.scatter import named
from isogloss.pages.shared import answers
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.words import verbatim


def draw(selection: Selection) -> None:
    """Draw the table of the regression and a partial plot a predictor."""
    labels = [each.label for each in selection.choices if each is not selection.y.choice]
    first = [selection.x.choice.label] if selection.x.choice.label in labels else labels[:1]
    chosen = st.multiselect(
        "Predictors",
        labels,
        default=[],
        key="predictors",
        bind="query-params",
        placeholder=f"{first[0]}: add others" if first else "None",
        help="Each is read at the model, checkpoint and layer of the predictor (x).",
    )
    by_label = {each.label: each for each in selection.choices}
    picked = [_picked(selection, by_label[label]) for label in chosen or first]
    predictors = [each for each in picked if each is not None]
    question = selection.question(selection.y, *predictors)
    outcome, *names = question.readings
    if not names:
        st.info("Choose a predictor that has scores of this model.", icon=":material/left_panel_open:")
        return
    try:
        fitted: Fitted = answers.asked(regressions.fit, question=question, outcome=outcome)
    except SpecError as error:
        st.info(verbatim(_named(str(error), dict(zip(names, predictors, strict=True)))), icon=":material/info:")
        _printed()
        return
    titles = dict(zip(names, (each.choice.label for each in predictors), strict=True))
    _table(selection, question, outcome, fitted, titles)
    _partial(selection, question, outcome, dict(zip(names, predictors, strict=True)))
    _printed()


def _picked(selection: Selection, choice: object) -> Picked | None:
    return selection.x if choice is selection.x.choice else selection.pick(choice)  # type: ignore[arg-type]


def _named(sentence: str, predictors: dict[str, Picked]) -> str:
    for name, each in predictors.items():
        sentence = sentence.replace(f"“{name}”", f"“{each.choice.label}”")
    return sentence


def _table(selection: Selection, question: Question, outcome: str, fitted: Fitted, titles: dict[str, str]) -> None:
    found = fitted.regression
    noun = "row" if selection.along else selection.unit
    left = f", {dropped(found.n, found.left_out, noun)}" if found.left_out else ""
    st.markdown(
        f"**{verbatim(selection.y.choice.words.title)}**: R² = **{number(found.r2, '.3f')}** (adjusted "
        f"{number(found.adjusted_r2, '.3f')}), {count(found.n, noun)}{left}"
    )
    where = f", {selection.y.where}" if selection.y.where else ""
    per = "Coefficient: change of the outcome, in its unit, with one unit more of the predictor."
    st.caption(verbatim(f"Outcome: {selection.y.axis}{where}. {per}"))
    data = fitted.frame()
    shown = data.assign(predictor=[titles.get(name, name.capitalize()) for name in data["predictor"]]).rename(
        columns={
            "predictor": "Predictor",
            "coefficient": "Coefficient",
            "standard_error": "Standard error",
            "low": "95% low",
            "high": "95% high",
            "p": "p",
            "p_permuted": "p permuted",
            "standardised": "Standardised",
        }
    )
    ps = ("p", "p permuted")
    shown = shown.assign(**{name: [_p(value) for value in shown[name]] for name in ps})
    form: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="%.3g") for name in shown.columns if name not in ("Predictor", *ps)
    }
    form |= {name: st.column_config.TextColumn(alignment="right") for name in ps}
    st.dataframe(
        shown, hide_index=True, column_config=form, placeholder="–", key="regression", alt="Coefficients of the regression"
    )
    recipe = answers.recipe(regressions.fit, partial(regressions.fitted_table), question=question, outcome=outcome)
    figure.beside(name=f"Regression of {outcome}", data=data, card=cards.REGRESSION, recipe=recipe)


def _p(value: float) -> str:
    return "–" if value != value else "< 0.001" if value < 0.001 else number(value, ".3f")


def _partial(selection: Selection, question: Question, outcome: str, predictors: dict[str, Picked]) -> None:
    recipe = answers.recipe(regressions.partial, question=question, outcome=outcome)
    recipe, labels = named(selection, recipe)
    across = min(len(predictors), 2)
    for place, (name, picked) in enumerate(predictors.items()):
        if place % across == 0:
            columns = st.columns(across)
        others = " (the others held fixed)" if len(predictors) > 1 else " (centred)"
        drawn = partial(
            figures.partial_plot,
            question=question,
            predictor=name,
            x_title=f"{picked.choice.words.title}{others}",
            y_title=f"{selection.y.choice.words.title}{others}",
            title=f"Partial plot: {picked.choice.words.title}",
            width=820 / across,
            labels=labels,
        )
        with columns[place % across]:
            alt = f"Partial plot of {picked.choice.words.title}"
            figure.draw(recipe.with_chart(drawn), name=f"Partial plot of {name} for {outcome}", card=cards.REGRESSION, alt=alt)


def _printed() -> None:
    with st.expander(f"Printed in {published.PAPER}, table 1", icon=":material/menu_book:"):
        st.caption(f"{published.SETTING}; {published.TASKS} Prob.: a row a language; CL: a row a source and target.")
        st.dataframe(
            published.regressions().rename(
                columns={
                    "setting": "Setting",
                    "task": "Task",
                    "checkpoint": "Checkpoint",
                    "r2": "R²",
                    "language_discrimination": "LD",
                    "meaning_discrimination": "MD",
                }
            ),
            hide_index=True,
            key="printed-regressions",
            alt="Table 1 of the paper",
        )
