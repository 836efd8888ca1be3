"""Directions of transfer in one measure: their frame in percent, the Python that gives it, and what each cell rests on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from backend.boards.recipe import Recipe
from backend.charts.parts.text import number
from backend.corpora.languages.languages import language
from backend.experiments.transfer import directions as transfer_directions
from backend.experiments.transfer import frames as transfer_frames
from backend.experiments.transfer.directions import HIGHER_IS_BETTER, Measure
from backend.experiments.words import count
from backend.metrics.transfer.windows import TOLERANCE
from pages.transfer.shared import frames, guesses
from pages.transfer.shared.cards import ACCURACY, ASYMMETRY, IGAP, TRANSFER_GAP
from pages.transfer.shared.selection import BY, Selection
from pages.widgets.card import Card
from pages.widgets.choices import select
from pages.widgets.keyed import BY_KEY, Keyed

NAMES: dict[Measure, str] = {"igap": "IGap", "accuracy": "Test accuracy", "gap": "Transfer gap"}
UNITS: dict[Measure, str] = {
    "igap": "percentage points; lower = better transfer",
    "accuracy": "percent; higher = better",
    "gap": "percentage points; lower = better transfer",
}
CARDS: dict[Measure, Card] = {"igap": IGAP, "accuracy": ACCURACY, "gap": TRANSFER_GAP}


@dataclass(frozen=True)
class Asked:
    """What is looked at: a measure, or how lopsided it is, in a window of training error (of IGap alone)."""

    measure: Measure
    asymmetric: bool = False
    at: float = 0.0
    epsilon: float = 0.001

    @property
    def name(self) -> str:
        """The measure as titles have it."""
        return f"Asymmetry of {_lower(NAMES[self.measure])}" if self.asymmetric else NAMES[self.measure]

    @property
    def unit(self) -> str:
        """The unit, and which way is better."""
        if self.asymmetric:
            return f"percentage points; above 0 = {_lower(NAMES[self.measure])} higher than on the way back"
        return UNITS[self.measure]

    @property
    def title(self) -> str:
        """For a colour bar."""
        return f"{self.name} ({self.unit})"

    @property
    def card(self) -> Card:
        """The card of the measure, or of its asymmetry."""
        return ASYMMETRY if self.asymmetric else CARDS[self.measure]

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better; False for an asymmetry."""
        return HIGHER_IS_BETTER[self.measure] and not self.asymmetric

    @property
    def best(self) -> str:
        """What a framed cell is. A poor model of the source has a small transfer gap too: the least is not the best."""
        return "least gap of the target" if self.measure == "gap" else "best source of the target"

    @property
    def framed(self) -> str:
        """What is framed, in a caption."""
        unlike = "" if self.measure == "gap" else " and is better than a guess"
        return f"{self.best}, where it leads the next by more than the seeds differ{unlike}"

    @property
    def window(self) -> str:
        """In words; empty where the measure has none."""
        if self.measure != "igap":
            return ""
        return f"{self.at:g} ≤ training error < {round(self.at + self.epsilon, 9):g}"


def of(selection: Selection, asked: Asked) -> pd.DataFrame:
    """Return one row per model and direction: `BY`, source, target, value (a share), percent, and what the value rests on.

    Not to be changed: it is shared.
    """
    return _of(frames.keyed_errors(selection), asked)


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=BY_KEY)
def _of(errors: Keyed[pd.DataFrame], asked: Asked) -> pd.DataFrame:
    return _measured(asked)(errors.value)


def ranked(selection: Selection, asked: Asked) -> pd.DataFrame:
    """Return every source of every target, the best first (`transfer_directions.sources`). Not to be changed: it is shared."""
    return _ranked(frames.keyed_errors(selection), asked)


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=BY_KEY)
def _ranked(errors: Keyed[pd.DataFrame], asked: Asked) -> pd.DataFrame:
    return ranking_of(asked)(errors.value)


def ranking_of(asked: Asked) -> partial[pd.DataFrame]:
    """Return what makes the rows of `ranked` from the errors of runs."""
    return partial(transfer_directions.sources, by=BY, measure=asked.measure, at=asked.at, epsilon=asked.epsilon)


def _measured(asked: Asked) -> partial[pd.DataFrame]:
    return partial(transfer_frames.measured_directions, by=BY, **vars(asked))


def python(selection: Selection, asked: Asked, *steps: partial[pd.DataFrame]) -> Recipe:
    """Return the rows of `of` again, and what `steps` make of them, in Python."""
    return frames.python(selection, _measured(asked), *steps)


def guessed(selection: Selection, asked: Asked) -> dict[str, float]:
    """Return what guessing in the target gives in this measure, by the guess's name; none of an asymmetry or a transfer gap.

    A transfer gap has none: it depends on how good the model is in the source.
    """
    guess = None if asked.asymmetric or asked.measure == "gap" else guesses.of(selection)
    if guess is None:
        return {}
    return guess.errors(asked.at) if asked.measure == "igap" else guess.accuracies()


def beats_guess(selection: Selection, asked: Asked, values: pd.Series) -> pd.Series:
    """Return which values of the measure are better than those of the best guess; all of them where there is none."""
    levels = guessed(selection, asked).values()
    if not levels:
        return values.notna()
    return values > max(levels) + TOLERANCE if HIGHER_IS_BETTER[asked.measure] else values < min(levels) - TOLERANCE


def models(selection: Selection) -> dict[str, tuple[object, ...]]:
    """Return the models of the runs looked at, by name: their values of `BY`. In the order of the selection."""
    found = selection.runs.drop_duplicates(BY)
    names = list(frames.names_of(selection, found)) if len(found) else []
    return dict(zip(names, found[BY].itertuples(index=False, name=None), strict=True))


def model_of(selection: Selection) -> tuple[str, tuple[object, ...]]:
    """Return one of the models, by a select box. There must be a run."""
    known = models(selection)
    name = select("Model", list(known), "at_model", width=280)
    return name, known[name]


def why_untested(selection: Selection) -> str:
    """Why there is neither test accuracy nor transfer gap."""
    if selection.data.kind == "parallel":
        return "Random labels leave nothing to be tested: test accuracy and transfer gap need a labelled task. IGap does not."
    return "None of these runs was evaluated on validation examples, which test accuracy and transfer gap need."


def notes(selection: Selection, asked: Asked, found: pd.DataFrame) -> dict[tuple[str, str], str]:
    """For the cells of one model: what a value rests on, or why there is none."""
    runs = selection.runs.drop_duplicates("run").set_index("run")
    said: dict[tuple[str, str], str] = {}
    reached = _reached(selection, found)
    for row in found.to_dict("records"):
        if asked.asymmetric:
            words = f"{number(100 * row['forth'], '.1f')} there, {number(100 * row['back'], '.1f')} back"
        elif asked.measure != "igap":
            spread = f" ± {100 * row['deviation']:.1f} over" if asked.measure == "accuracy" and row["seeds"] > 1 else ","
            words = f"accuracy {100 * row['accuracy']:.1f}{spread} {count(row['seeds'], 'seed')}, {_n(row['n'])}"
            words += f", learning rate {row['learning_rate']:g}"
        elif row["step"] >= 0:
            run = runs.loc[row["run"]]
            words = f"least of {count(row['models'], 'model')} in the window: learning rate {run['learning_rate']:g}, "
            words += f"seed {run['seed']}, step {row['step']:,}"
        else:
            words = why_empty(row["models"], row["measured"], reached.get(row["source"]), asked)
        said[row["source"], row["target"]] = words
    return said


def why_empty(models: int, measured: int, reached: tuple[float, float] | None = None, asked: Asked | None = None) -> str:
    """Why a window has no IGap; `reached` are the least and the greatest training error of the runs."""
    if models:
        return f"{measured} of the {count(models, 'model')} in the window evaluated in this language, so the least is not known"
    if reached is None or asked is None:
        return "no model in the window"
    least, most = reached
    if least >= asked.at + asked.epsilon - TOLERANCE:
        return f"no model in the window: least training error {_share(least)}, widen the window or train longer"
    if most < asked.at:
        return f"no model in the window: greatest training error {_share(most)}, choose a lower E′"
    return f"no model in the window: training errors from {_share(least)} to {_share(most)}, widen the window"


def lacking(selection: Selection, asked: Asked, found: pd.DataFrame) -> list[str]:
    """Return a sentence for each source of one model without a value in any target: why, and what helps."""
    if asked.measure != "igap" or asked.asymmetric:
        return []
    without = found.groupby("source")["value"].transform(lambda values: values.isna().all())
    said = notes(selection, asked, found[without])
    reasons = {source: reason for (source, _), reason in said.items()}
    return [f"{language(source).name}: {reason}." for source, reason in reasons.items()]


def _reached(selection: Selection, found: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest training error from each source, of the model of `found`."""
    errors = frames.errors(selection)
    for name in BY:
        errors = errors[errors[name].isin(found[name])]
    ends = errors.groupby("source")["train_error"].agg(["min", "max"])
    return {str(source): (float(least), float(most)) for source, least, most in ends.itertuples()}


def _share(error: float) -> str:
    return f"{100 * error:.2f}".rstrip("0").rstrip(".") + "%"


def _n(examples: float) -> str:
    return count(int(examples), "example")


def _lower(name: str) -> str:
    return name if name.startswith("IG") else name.lower()
