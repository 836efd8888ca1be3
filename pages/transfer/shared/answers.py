"""Which source language to train on, in words. No Streamlit: rows of `transfer_directions.sources` in, sentences out."""

from __future__ import annotations

import pandas as pd

from backend.charts.parts.text import number
from backend.corpora.languages.languages import language
from backend.experiments.transfer.answers import Answer, answer
from backend.experiments.transfer.directions import HIGHER_IS_BETTER, Measure
from backend.experiments.words import count, listed

__all__ = ["NAMES", "Answer", "answer", "basis", "sentence", "wins"]

NAMES: dict[Measure, str] = {"igap": "IGap", "accuracy": "test accuracy", "gap": "transfer gap"}


def sentence(leader: Answer, measure: Measure) -> str:
    """Return the answer. A name of a language stands as it is: escape it where Markdown is read."""
    to = _name(leader.target)
    if not leader.best:
        return f"For {to} there is no answer: no source language has a value."
    value = f"{NAMES[measure]} {_points(leader.value, measure)}"
    if len(leader.best) > 1:
        head = f"Equally good for {to} are {_names(leader.best)}: {value} each"
    elif leader.ranked == 1:
        return f"For {to} only {_name(leader.best[0])} can be judged: {value}. There is nothing to compare it with."
    else:
        head = f"For {to} train on {_name(leader.best[0])}: {value}"
    if not leader.next:
        return f"{head}."
    way = "more" if HIGHER_IS_BETTER[measure] else "less"
    ordinal = "the next" if len(leader.next) == 1 else "the next, which are equal"
    text = f"{head}, {_lead(leader.lead)} {way} than {_names(leader.next)}, {ordinal}."
    if leader.unsure:
        text += f" That lead is within the deviation over seeds (± {number(100 * leader.deviation, '.1f')}): take it as a tie."
    return text


def basis(leader: Answer, measure: Measure, window: str) -> str:
    """Return what the answer rests on, and how sure it is."""
    what = f"at {window}" if measure == "igap" else "of the last models, mean over seeds"
    text = f"Rests on {count(leader.runs, 'run')} in {count(leader.ranked, 'source language')}, {NAMES[measure]} {what}."
    if measure == "gap":
        text += " A poor model of the source has a small gap too: read it beside the test accuracy."
    if leader.next and leader.deviation != leader.deviation:
        text += " The best or the next has one seed: by how much another would differ is not known."
    if leader.unranked:
        text += f" Without a value: {_names(leader.unranked)}."
    return text


def wins(answers: list[Answer]) -> str:
    """Over all targets with a choice of sources: which is best most often. Those that share a first place all have it.

    Says how many of the leads are within what seeds differ by; where all are, no source is named.
    """
    able = [each for each in answers if each.ranked > 1]
    if not able:
        return "No target has two source languages to choose from."
    unsure = sum(each.unsure for each in able)
    if unsure == len(able):
        return f"No source leads by more than the deviation over seeds in {count(len(able), 'target')}."
    return _most(able) + (f" {unsure} of {len(able)} leads are within the deviation over seeds." if unsure else "")


def _most(able: list[Answer]) -> str:
    counts = pd.Series([source for each in able for source in each.best]).value_counts()
    most = tuple(sorted(counts.index[counts == counts.max()]))
    if len(able) == 1:
        said = f"{_name(most[0])} is the best" if len(most) == 1 else f"{_names(most)} are equally good"
        return f"Only {_name(able[0].target)} has more than one source language: {said}."
    of = f"{int(counts.max())} of {len(able)} targets"
    if len(most) == 1:
        return f"{_name(most[0])} is the best source of {of}."
    return f"{_names(most)} are each the best source of {of}."


def _points(value: float, measure: Measure) -> str:
    unit = "%" if measure == "accuracy" else " points"
    return number(100 * value, ".1f") + unit


def _lead(lead: float) -> str:
    return "under 0.1 points" if 100 * lead < 0.05 else f"{number(100 * lead, '.1f')} points"


def _name(tag: str) -> str:
    return language(tag).name


def _names(tags: tuple[str, ...]) -> str:
    return listed([_name(tag) for tag in tags])
