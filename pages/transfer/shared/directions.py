"""Directions of transfer in one measure: their frame in percent, the Python that gives it, and what each cell rests on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from isogloss.backend.boards.card import Card
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.transfer import directions as transfer_directions
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer.directions import Measure
from isogloss.backend.figures.transfer import matrices
from isogloss.backend.figures.transfer.asked import NAMES, Asked
from isogloss.backend.figures.transfer.matrices import why_empty
from isogloss.pages.transfer.shared import frames, guesses
from isogloss.pages.transfer.shared.cards import ACCURACY, ASYMMETRY, IGAP, TRANSFER_GAP
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import cooked

__all__ = ["NAMES", "Asked", "why_empty"]
CARDS: dict[Measure, Card] = {"igap": IGAP, "accuracy": ACCURACY, "gap": TRANSFER_GAP}


def directions_of_selection(selection: Selection, asked: Asked, seeds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return one row per model and direction: `BY`, source, target, value (a share), percent, and what the value rests on.

    `seeds` (`Together.names`): models that are one.
    """
    return cooked.rows(recipe(selection, asked, seeds=seeds))


def recipe(selection: Selection, asked: Asked, *steps: partial[pd.DataFrame], seeds: Mapping[str, str] | None = None) -> Recipe:
    """Return the recipe of the rows of `directions_of_selection`, and of what `steps` make of them."""
    measured = partial(transfer_frames.measured_directions, by=BY, **vars(asked))
    return frames.recipe(selection, partial(measured, seeds=seeds) if seeds else measured, *steps)


def leading(selection: Selection, asked: Asked) -> pd.DataFrame:
    """Return the source that leads for each target, where one does (`transfer_directions.leading`), of all models."""
    first = partial(transfer_directions.leading, by=BY, levels=list(guessed(selection, asked).values()))
    found: pd.DataFrame = cooked.value(*frames.recipe(selection, ranking_of(asked)).calls, first)
    return found


def leading_of(selection: Selection, asked: Asked, rows: pd.DataFrame) -> pd.DataFrame:
    """Return those of the rows of one model, seeds together, that lead for their targets: by intervals over its seeds."""
    ranked = transfer_directions.in_order(rows, BY, asked.measure)
    return transfer_directions.leading(ranked, BY, list(guessed(selection, asked).values()))


def ranking_of(asked: Asked) -> partial[pd.DataFrame]:
    """Return what makes every source of every target, the best first, from the errors of runs."""
    return partial(transfer_directions.sources, by=BY, measure=asked.measure, at=asked.at, epsilon=asked.epsilon)


def guessed(selection: Selection, asked: Asked) -> dict[str, float]:
    """Return what guessing in the target gives in this measure, by the guess's name; none of an asymmetry or a transfer gap.

    A transfer gap has none: it depends on how good the model is in the source.
    """
    guess = None if asked.asymmetric or asked.measure == "gap" else guesses.guess_for(selection)
    if guess is None:
        return {}
    return guess.errors(asked.at) if asked.measure == "igap" else guess.accuracies()


def model_of(selection: Selection) -> tuple[str, tuple[object, ...]]:
    """Return one of the models, by a select box. There must be a run."""
    known = selection.models_by_name
    name = select("Model", list(known), "at_model", width=280)
    return name, known[name]


def why_untested(selection: Selection) -> str:
    """Why there is neither test accuracy nor transfer gap."""
    if selection.data.kind == "parallel":
        return "Random labels leave nothing to be tested: test accuracy and transfer gap need a labelled task. IGap does not."
    return "None of these runs was evaluated on validation examples, which test accuracy and transfer gap need."


def card_of(asked: Asked) -> Card:
    """Return the card of the measure, or of its asymmetry."""
    return ASYMMETRY if asked.asymmetric else CARDS[asked.measure]


def notes(selection: Selection, asked: Asked, found: pd.DataFrame) -> dict[tuple[str, str], str]:
    """For the cells of one model: what a value rests on, or why there is none."""
    return matrices.notes_of(found, asked, runs_behind(selection, asked, found), reached(selection, asked, found))


def runs_behind(selection: Selection, asked: Asked, found: pd.DataFrame) -> dict[str, tuple[float, int]]:
    """Return the learning rate and the seed of the runs that the IGaps of `found` are of; none of another measure."""
    if asked.measure != "igap" or asked.asymmetric:
        return {}
    runs = selection.runs[selection.runs["run"].isin(found["run"])]
    return {run: (rate, seed) for run, rate, seed in runs[["run", "learning_rate", "seed"]].to_dict("split")["data"]}


def lacking(selection: Selection, asked: Asked, gaps: pd.DataFrame) -> list[str]:
    """Return a sentence for each source of one model without a value in any target: why, and what helps."""
    if asked.measure != "igap" or asked.asymmetric:
        return []
    without = gaps.groupby("source")["value"].transform(lambda values: values.isna().all()).astype(bool)  # also of no row
    said = notes(selection, asked, gaps[without]) if without.any() else {}
    reasons = {source: reason for (source, _), reason in said.items()}
    return [f"{language(source).name}: {reason}." for source, reason in reasons.items()]


def reached(selection: Selection, asked: Asked, gaps: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest training error from each source, of the model of `gaps`; of IGap alone."""
    if asked.measure != "igap" or asked.asymmetric:
        return {}
    errors = frames.errors(selection)
    for name in BY:
        errors = errors[errors[name].isin(gaps[name])]
    ends = errors.groupby("source")["train_error"].agg(["min", "max"])
    return {str(source): (float(least), float(most)) for source, least, most in ends.itertuples()}
