"""Which source language to train on, in words. No Streamlit: rows of `transfer_directions.sources` in, sentences out."""

from __future__ import annotations

import pandas as pd

from isogloss.backend.charts.parts.text import number
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.transfer.answers import Answer, answer, of_targets
from isogloss.backend.experiments.transfer.directions import HIGHER_IS_BETTER, Measure
from isogloss.backend.experiments.words import count, listed

__all__ = ["NAMES", "Answer", "answer", "basis", "of_targets", "sentence", "wins"]

NAMES: dict[Measure, str] = {"igap": "IGap", "accuracy": "test accuracy", "gap": "transfer gap"}


def sentence(leader: Answer, measure: Measure) -> str:
    """Return the answer. A name of a language stands as it is: escape it where Markdown is read."""
    to = _name(leader.target)
    if not leader.best:
        return f"For {to} there is no answer: no source language has a value."
    value = f"{NAMES[measure]} {_points(leader.value, measure)}"
    if leader.low == leader.low:
        value += f" ({interval(leader)})"
    if len(leader.best) > 1:
        head = f"Equally good for {to} are {_names(leader.best)}: {value} each"
    elif leader.ranked == 1:
        return f"For {to} only {_name(leader.best[0])} can be judged: {value}. There is nothing to compare it with."
    else:
        name = _name(leader.best[0])
        head = f"For {to} train on {name}: {value}" if leader.told else f"For {to} {name} is first, not told apart: {value}"
    if not leader.next:
        return f"{head}."
    way = "more" if HIGHER_IS_BETTER[measure] else "less"
    ordinal = "the next" if len(leader.next) == 1 else "the next, which are equal"
    text = f"{head}, {_lead(leader.lead)} {way} than {_names(leader.next)}, {ordinal}."
    if leader.within_seeds:
        text += f" That lead is within the deviation over seeds (± {number(100 * leader.deviation, '.1f')}): take it as a tie."
    elif not leader.apart and len(leader.best) == 1:
        text += " That lead is within its 95% interval over examples: take it as a tie."
    elif leader.apart and not leader.told:
        text += " What guessing gives is within the interval: it may transfer nothing."
    return text


def interval(leader: Answer) -> str:
    """Return the 95% interval of the best source's value, and of how many examples."""
    ends = " to ".join(number(100 * end, ".1f") for end in (leader.low, leader.high))
    return f"95% interval {ends}, n = {leader.n:,}"


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

    A source counts where it is told from the next and from guessing; where none is, none is named.
    """
    able = [each for each in answers if each.ranked > 1]
    if not able:
        return "No target has two source languages to choose from."
    told = [each for each in able if each.told]
    if not told:
        return f"No source is told apart from the next and from a guess in {count(len(able), 'target')}."
    lacking = len(able) - len(told)
    return _most(told, len(able)) + (f" In {lacking} of {len(able)} no source is told apart." if lacking else "")


def _most(told: list[Answer], targets: int) -> str:
    counts = pd.Series([source for each in told for source in each.best]).value_counts()
    most = tuple(sorted(counts.index[counts == counts.max()]))
    if targets == 1:
        return f"Only {_name(told[0].target)} has more than one source language: {_name(most[0])} is the best."
    each = "each " if len(most) > 1 else ""
    return f"{_names(most)} {'are' if each else 'is'} {each}the best source of {int(counts.max())} of {targets} targets."


def _points(value: float, measure: Measure) -> str:
    unit = "%" if measure == "accuracy" else " points"
    return number(100 * value, ".1f") + unit


def _lead(lead: float) -> str:
    return "under 0.1 points" if 100 * lead < 0.05 else f"{number(100 * lead, '.1f')} points"


def _name(tag: str) -> str:
    return language(tag).name


def _names(tags: tuple[str, ...]) -> str:
    return listed([_name(tag) for tag in tags])
