"""What the intervals of differences rest on, said in words; and those of sides of several seeds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import pandas as pd
import streamlit as st

from isogloss.backend.experiments import compared
from isogloss.backend.experiments.compared import SIDE
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.experiments.seeds_together import differences_of_seeds, means_of_seeds
from isogloss.backend.experiments.spec import Spec
from isogloss.backend.experiments.words import count, several
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim

WIDEST = "the widest interval it can have: how the errors of both sides move together is not kept"
CORRECTED = (
    "p ≥ 0.05 after Benjamini–Hochberg's correction over these cells: of the others 5% at most are expected to be chance. "
    "Each interval is its cell's own."
)
APART = "The sentences of the two corpora count as drawn apart."
OF_GROUP = "Hatched: p ≥ 0.05 after Benjamini–Hochberg's correction over these cells. Of a group, the mean over its languages: "
ON_TOP = "with what the languages' own intervals allow on top; of a language its own."
GROUPS = f"{OF_GROUP}interval and p are over these, which are one another's partners, {ON_TOP}"
GROUPS_OF_OWN = f"{OF_GROUP}interval (Student's) and p are over these, {ON_TOP}"
PAIRS_OF_GROUPS = "Means over the directed pairs between two groups: no interval, so no cell is hatched."
SEEDS = "Means over the seeds; Welch's interval, with other seeds of both and the same sentences."
ONE_SEED = "Means over the seeds. No interval, so no cell is hatched: one side has a single seed."
NONE = "No interval, so no cell is hatched: these scores have none."


class Evidence(Protocol):
    """The sides of a comparison, as far as their differences' intervals go."""

    def means(self, metric: str, keys: Sequence[str]) -> list[partial[pd.DataFrame]]:  # noqa: ARG002
        """Return what puts the rows of each cell (`keys`) of a side into one, where there are several: mostly nothing."""
        return []

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:
        """Return what makes differences with their intervals of the scores of both sides."""

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:
        """Say what the intervals of these differences are, and offer what better ones lack; `of_groups`: means are drawn."""


@dataclass(frozen=True)
class OverSeeds(Evidence):
    """Sides of which one at least is a model of several seeds: their differences' intervals are over these."""

    names: Sequence[str]
    """The models of several seeds."""
    over_pairs: bool = True
    """Whether a language's value is the mean over its pairs."""

    def means(self, metric: str, keys: Sequence[str]) -> list[partial[pd.DataFrame]]:
        """Return what puts the seeds of each cell of a side into one."""
        return [partial(means_of_seeds, names=list(self.names), keys=[*keys, SIDE], bounds=bounds_of(metric))]

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:
        """Return what makes differences with their intervals over seeds of the scores of both sides."""
        apart = partial(differences_of_seeds, keys=list(keys), side=SIDE, names=list(sides), bounds=bounds_of(metric))
        return [apart, partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:  # noqa: ARG002
        """Say what the intervals of these differences are."""
        if not (rows["interval"] == "seeds").any():
            st.caption(ONE_SEED)
        elif of_groups:
            st.caption(GROUPS if self.over_pairs else GROUPS_OF_OWN)
        else:
            st.caption(words(rows))


def words(rows: pd.DataFrame, *, paired: str = "", widest: str = WIDEST, more: str = "") -> str:
    """Say what is hatched in a figure of differences (`rows` of `compared`), and what its intervals are.

    `paired` and `widest` say what these are in this family, `more` is said at the end where there is an interval.
    """
    interval_counts = rows["interval"].value_counts()
    if not len(rows) or interval_counts.get("", 0) == len(rows):
        return NONE
    doubtful = int((~(rows["p_corrected"] < 0.05)).sum())
    sentences = [f"Hatched, {doubtful} of {len(rows)}: {CORRECTED}"]
    if interval_counts.get("paired", 0):
        sentences.append(paired)
    if amount := int(interval_counts.get("widest", 0)):
        which = "It is" if amount == len(rows) else f"In {count(amount, 'cell')} it is"
        sentences.append(f"{which} {widest}.")
    if interval_counts.get("seeds", 0):
        sentences.append(SEEDS)
    if interval_counts.get("apart", 0):
        sentences.append(APART)
    return " ".join([*sentences, *([more] if more else [])])


def kept_of(of: Sequence[tuple[Model, Checkpoint]], key_of: Callable[[Model, Checkpoint], str | None]) -> dict[str, str]:
    """Return by fingerprint the key of what is kept sentence by sentence of these checkpoints, of those that have it."""
    keys = {each.fingerprint: key_of(model, each) for model, each in of}
    return {fingerprint: key for fingerprint, key in keys.items() if key}


def offer_paired(
    of: Sequence[tuple[Model, Checkpoint]],
    kept: Collection[str],
    spec_of: Callable[[Model, Sequence[Checkpoint]], Spec],
    what: str,
) -> None:
    """Offer what paired intervals of both sides' checkpoints lack, a model at a time.

    `kept` are the fingerprints of those of which it is there, `spec_of` gives the spec of the scores, and `what` is kept in
    words: `what each sentence contributes to {}`, the model.
    """
    for model in dict.fromkeys(model for model, _ in of):
        lacking = [each for owner, each in of if owner == model and each.fingerprint not in kept]
        if lacking:
            spec = spec_of(model, lacking).model_copy(update={"per_sentence": True})
            names = verbatim(several([each.label for each in lacking], compute.FEW))
            compute.offer(spec, f"Paired intervals, narrower: {what.format(f'**{verbatim(model.name)}**')} ({names}).")
