"""What the intervals of differences of ABX rest on: kept sentence by sentence or not, said and offered to be computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments import compared
from isogloss.backend.experiments.abx import compared as abx_compared
from isogloss.backend.figures.abx import METRICS
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.shared.compare.evidence import GROUPS, Evidence, kept_of, offer_paired, words
from isogloss.pages.widgets.workspace import guard, workspaces

PAIRED = "Jackknife over sentences, paired: each sentence is left out of both sides at once."
WIDEST = "the widest interval it can have: what each sentence contributes to both sides is not kept"
SAMPLED = "Triplets are sampled: the intervals are of the draw and say nothing of other sentences."


@dataclass(frozen=True)
class OverSentences(Evidence):
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
            steps_of_difference.append(partial(abx_compared.paired, workspaces=workspaces(), **more))
        return [*steps_of_difference, partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:
        """Say what the intervals of these differences are, and offer what paired ones lack; `of_groups`: means are drawn."""
        sampled = self.selection.options["protocol"] == "sampled"
        more = SAMPLED if sampled else ""
        st.caption(GROUPS if of_groups else words(rows, paired=PAIRED, widest=WIDEST, more=more))
        if not self._pairable(metric):
            return
        spec_of = self.selection.with_options(baseline=False).spec
        with guard():
            offer_paired(self.of, self._kept(metric), spec_of, "what each sentence contributes to {}")

    def _pairable(self, metric: str) -> bool:
        return not self.apart and self.selection.options["protocol"] == "exact" and metric in METRICS

    def _kept(self, metric: str) -> dict[str, str]:
        """Return the key of what each sentence contributes, by fingerprint."""
        if not self._pairable(metric):
            return {}
        plain_scores, tags = self.selection.with_options(baseline=False), self.selection.corpus.tags
        key_of = lambda model, each: abx_compared.key_of(plain_scores.spec(model, [each]), each, tags, workspaces())  # noqa: E731
        return kept_of(self.of, key_of)
