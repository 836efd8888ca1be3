"""What the intervals of differences rest on: kept sentence by sentence or not, said in words and offered to be computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.abx import compared
from isogloss.backend.experiments.abx.frames import SIDE
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.experiments.seeds_together import differences_of_seeds, means_of_seeds
from isogloss.backend.experiments.words import count, several
from isogloss.backend.figures.abx import METRICS
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

PAIRED = "Jackknife over sentences, paired: each sentence is left out of both sides at once."
WIDEST = "the widest interval it can have: what each sentence contributes to both sides is not kept"
CORRECTED = (
    "p ≥ 0.05 after Benjamini–Hochberg's correction over these cells: of the others 5% at most are expected to be chance. "
    "Each interval is its cell's own."
)
APART = "The sentences of the two corpora count as drawn apart."
GROUPS = (
    "Hatched: p ≥ 0.05 after Benjamini–Hochberg's correction over these cells. Of a group, the mean over its languages: "
    "interval and p are over these, which are one another's partners; of a language its own."
)
SAMPLED = "Triplets are sampled: the intervals are of the draw and say nothing of other sentences."
SEEDS = "Means over the seeds; Welch's interval, with other seeds of both and the same sentences."
ONE_SEED = "Means over the seeds. No interval, so no cell is hatched: one side has a single seed."
NONE = "No interval, so no cell is hatched: these scores have none."


@dataclass(frozen=True)
class Evidence:
    """The sides of a comparison, as far as their differences' intervals go."""

    selection: Selection
    of: Sequence[tuple[Model, Checkpoint]]
    """The checkpoints of both sides."""
    apart: bool = False
    """Whether the two sides have different sentences."""

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:
        """Return what makes differences with their intervals of the scores of both sides."""
        steps_of_difference = [partial(compared.difference, keys=list(keys), names=list(sides), apart=self.apart)]
        if kept := self._kept(metric):
            languages, pairs = list(self.selection.languages), recipes.pairs_chosen(self.selection)
            more = {"kept": kept, "metric": metric, "languages": languages, **pairs}
            steps_of_difference.append(partial(compared.paired, workspaces=workspaces(), **more))
        return [*steps_of_difference, partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool = False) -> None:
        """Say what the intervals of these differences are, and offer what paired ones lack; `of_groups`: means are drawn."""
        sampled = self.selection.options["protocol"] == "sampled"
        st.caption(GROUPS if of_groups else words(rows, sampled=sampled))
        if not self._pairable(metric):
            return
        with guard():
            kept = self._kept(metric)
            for model in dict.fromkeys(model for model, _ in self.of):
                own = [each for owner, each in self.of if owner == model]
                if lacking := [each for each in own if each.fingerprint not in kept]:
                    self._offer(model, lacking)

    def _pairable(self, metric: str) -> bool:
        return not self.apart and self.selection.options["protocol"] == "exact" and metric in METRICS

    def _kept(self, metric: str) -> dict[str, str]:
        """Return the key of what each sentence contributes, by fingerprint."""
        if not self._pairable(metric):
            return {}
        plain_scores, tags = self.selection.with_options(baseline=False), self.selection.corpus.tags
        keys = {
            each.fingerprint: compared.key_of(plain_scores.spec(model, [each]), each, tags, workspaces())
            for model, each in self.of
        }
        return {fingerprint: key for fingerprint, key in keys.items() if key}

    def _offer(self, model: Model, lacking: Sequence[Checkpoint]) -> None:
        spec = self.selection.with_options(baseline=False).spec(model, lacking).model_copy(update={"per_sentence": True})
        names, of = several([each.label for each in lacking], compute.FEW), f"**{verbatim(model.name)}**"
        sentence = f"Paired intervals, narrower: what each sentence contributes to {of} ({verbatim(names)})."
        compute.offer(spec, sentence)


@dataclass(frozen=True)
class OverSeeds:
    """Sides of which one at least is a model of several seeds: their differences' intervals are over these."""

    names: Sequence[str]
    """The models of several seeds."""

    def means(self, metric: str, keys: Sequence[str]) -> partial[pd.DataFrame]:
        """Return what puts the seeds of each cell of a side into one."""
        return partial(means_of_seeds, names=list(self.names), keys=[*keys, SIDE], bounds=bounds_of(metric))

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:
        """Return what makes differences with their intervals over seeds of the scores of both sides."""
        apart = partial(differences_of_seeds, keys=list(keys), side=SIDE, names=list(sides), bounds=bounds_of(metric))
        return [apart, partial(compared.corrected)]

    def tell(self, rows: pd.DataFrame) -> None:
        """Say what the intervals of these differences are."""
        st.caption(words(rows) if (rows["interval"] == "seeds").any() else ONE_SEED)


def words(rows: pd.DataFrame, *, sampled: bool = False) -> str:
    """Say what is hatched in a figure of differences (`rows` of `compared`), and what its intervals are."""
    interval_counts = rows["interval"].value_counts()
    if not len(rows) or interval_counts.get("", 0) == len(rows):
        return NONE
    doubtful = int((~(rows["p_corrected"] < 0.05)).sum())
    sentences = [f"Hatched, {doubtful} of {len(rows)}: {CORRECTED}"]
    if interval_counts.get("paired", 0):
        sentences.append(PAIRED)
    if widest := int(interval_counts.get("widest", 0)):
        which = "It is" if widest == len(rows) else f"In {count(widest, 'cell')} it is"
        sentences.append(f"{which} {WIDEST}.")
    if interval_counts.get("seeds", 0):
        sentences.append(SEEDS)
    if interval_counts.get("apart", 0):
        sentences.append(APART)
    if sampled:
        sentences.append(SAMPLED)
    return " ".join(sentences)
