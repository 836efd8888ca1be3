"""Which source language should one train on for a target? In words, with the numbers behind them."""

from __future__ import annotations

from functools import partial
from typing import get_args

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.frames import percent, rows_with
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer import summary as transfer_summary
from isogloss.backend.experiments.transfer.directions import Measure
from isogloss.backend.experiments.words import several
from isogloss.backend.figures.transfer import ranking as figures
from isogloss.pages.transfer.shared import answers, directions, frames, guesses, lacking, together
from isogloss.pages.transfer.shared.answers import Answer
from isogloss.pages.transfer.shared.directions import Asked
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

ALL = "All targets"


def draw(selection: Selection) -> None:
    """Draw the answer for one target with a bar a source, or the table of all targets."""
    if selection.runs.empty:
        frames.say_empty()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name, model = directions.model_of(selection)
        target = select("Target", [ALL, *selection.targets], "best_for", named=_target_name, width=220)
        measure = _measure(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = Asked(measure, False, *frames.window()) if measure == "igap" else Asked(measure)
    if measure == "igap":
        lacking.offer(selection, asked.at, asked.epsilon)
    steps = [partial(transfer_frames.rows_of_model, by=BY, model=list(model)), partial(percent)]
    of_all = frames.recipe(selection, directions.ranking_of(asked), *steps)
    ranked = cooked.rows(of_all)
    targets = [each for each in selection.targets if each in set(ranked["target"])]
    if target != ALL:
        targets = [each for each in targets if each == target]
        ranked = ranked[ranked["target"] == target].reset_index(drop=True)
    together.tell_one(selection, model)
    if not targets:
        st.info(_nothing(selection, asked), icon=":material/info:")
        return
    levels = list(directions.guessed(selection, asked).values())
    of_target = {each.target: each for each in cooked.value(*of_all.calls, partial(answers.of_targets, levels=levels))}
    given = [of_target[each] for each in targets]
    steps = steps if target == ALL else [partial(rows_with, target=[target]), *steps]
    python = frames.recipe(selection, directions.ranking_of(asked), *steps)
    if target == ALL:
        _all(given, asked, name, ranked, python)
    else:
        _one(selection, given[0], asked, name, ranked, python)
        _itself(selection, asked, model, target)


def _target_name(tag: str) -> str:
    return tag if tag == ALL else language_name(tag)


def _measure(selection: Selection) -> Measure:
    """Test accuracy where there is one, by default; else IGap."""
    if cooked.value(*frames.recipe(selection).calls, partial(transfer_summary.accuracies, by=BY)).empty:
        return "igap"
    names: dict[str, Measure] = {directions.NAMES[each]: each for each in get_args(Measure)}
    return names[segments("By", list(names), "best_by", "Test accuracy")]


def _one(selection: Selection, leader: Answer, asked: Asked, name: str, rows: pd.DataFrame, python: Recipe) -> None:
    st.markdown(f"## {verbatim(answers.sentence(leader, asked.measure))}")
    st.caption(verbatim(answers.basis(leader, asked.measure, asked.window)))
    drawn = partial(
        figures.sources,
        target=leader.target,
        measure=asked.name,
        unit=asked.unit,
        model=name,
        levels=guesses.percent(directions.guessed(selection, asked)),
    )
    figure.show(
        drawn,
        name=f"Sources for {leader.target} by {asked.name} {name}",
        data=rows,
        card=directions.card_of(asked),
        recipe=python,
        alt=f"{asked.name} in {language(leader.target).name} by source language",
    )


def _all(given: list[Answer], asked: Asked, name: str, rows: pd.DataFrame, python: Recipe) -> None:
    st.markdown(f"## {verbatim(answers.wins(given))}")
    runs = rows.dropna(subset=["rank"])
    st.caption(
        f"{verbatim(name)}: {asked.unit}. Told apart: 95% intervals over examples and seeds part it from the next and a guess."
        + (f" At {asked.window}." if asked.window else "")
        + ("" if (runs["seeds"] > 1).any() else " Every source has one seed: by how much another would differ is not known.")
    )
    st.dataframe(
        pd.DataFrame(
            {
                "Target": [language(each.target).name for each in given],
                "First": [_few(each.best) for each in given],
                f"{asked.name}, {'%' if asked.measure == 'accuracy' else 'points'}": [100 * each.value for each in given],
                "Next": [_few(each.next) for each in given],
                "Lead, points": [100 * each.lead for each in given],
                "95% interval": [_interval(each) for each in given],
                "n": [each.n or None for each in given],
                "Told apart": [_told(each) for each in given],
                "Runs": [each.runs for each in given],
            }
        ),
        hide_index=True,
        column_config={
            title: st.column_config.NumberColumn(format="%.1f")
            for title in ("Lead, points", f"{asked.name}, {'%' if asked.measure == 'accuracy' else 'points'}")
        },
        key="best-sources",
        placeholder="–",
        alt=f"The best source language of every target by {asked.name}",
    )
    figure.beside(name=f"Best sources by {asked.name} {name}", data=rows, card=directions.card_of(asked), recipe=python)


def _few(tags: tuple[str, ...]) -> str:
    """Equally good ones, by name; of many the first."""
    return several([language(tag).name for tag in tags], 3) or "–"


def _interval(leader: Answer) -> str:
    return f"{100 * leader.low:.1f} to {100 * leader.high:.1f}" if leader.low == leader.low else "–"


def _told(leader: Answer) -> str:
    if len(leader.best) > 1:
        return "tie"
    return ("yes" if leader.told else "no") if leader.next else "–"


def _itself(selection: Selection, asked: Asked, model: tuple[object, ...], target: str) -> None:
    """Return the accuracy of a model trained on the target itself, where there is one."""
    if asked.measure != "accuracy":
        return
    found = transfer_frames.rows_of_model(transfer_summary.accuracies(frames.errors(selection), BY), BY, model)
    own = found[(found["source"] == target) & (found["target"] == target)]
    if len(own):
        reached = f"{100 * float(own['accuracy'].iloc[0]):.1f}%"
        st.caption(f"Trained on {verbatim(language(target).name)} itself: {reached}, which is no transfer and not ranked.")


def _nothing(selection: Selection, asked: Asked) -> str:
    if asked.measure != "igap":
        return directions.why_untested(selection)
    return "This target has no other language that a model was trained on. Choose more under “Trained on”."
