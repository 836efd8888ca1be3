"""Two checkpoints, of one model or of two, beside each other: language × layer, and their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments import compared
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.geometry import compared as geometry_compared
from isogloss.backend.experiments.geometry import sentences
from isogloss.backend.experiments.geometry.measures import KINDS, TOO_SHORT
from isogloss.backend.figures import two_sides
from isogloss.backend.figures.geometry import form_of
from isogloss.backend.figures.two_sides import Measured
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.geometry.captions import tell
from isogloss.pages.geometry.cards import CARDS
from isogloss.pages.geometry.selection import Selection, choose_measure
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.compare import checkpoints
from isogloss.pages.shared.compare.evidence import GROUPS, GROUPS_OF_OWN, Evidence, OverSeeds, kept_of, offer_paired, words
from isogloss.pages.shared.compare.side_by_side import Compared
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.figures import colours
from isogloss.pages.widgets.workspace import guard, workspaces

PAIRED = "Jackknife over sentences, paired: each sentence is left out of both sides at once."
WIDEST = "the widest interval it can have: how the errors of both sides move together is not kept, or pairing is no narrower"

UNTOLD = (
    "No cell is hatched: intervals of the spectrum are too short to compare by. In simulations they told equal models apart in "
    "up to half of such heatmaps."
)


def draw(selection: Selection) -> None:
    """Compare two checkpoints in a measure, a column a layer, up to the depth of the shallower model."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = choose_measure(selection)
        groups = seeds.choose(selection.models)
    able = checkpoints.sides(groups, selection.computed)
    found = checkpoints.choose(able, selection.languages, selection.layers, partial(_fit, metric))
    if found is None:
        return
    only = partial(rows_with, metric=[metric], layer=found.layers)
    recipe = recipes.scores(selection.of(metric), abx_queries.by_language_and_layer, only, found.named, of=found.of)
    over_pairs = KINDS[metric].of == "pair"
    evidence = OverSeeds(found.several, over_pairs=over_pairs) if found.several else OverSentences(selection, found.of)
    found.draw(recipe, _compared(metric), evidence)
    tell(selection, metric, "Mean over each language's pairs" if over_pairs else "Each language's own")


def _fit(metric: str) -> bool | None:
    """Draw the range of the colours of both sides; those of a measure without bounds are fitted."""
    return KINDS[metric].range is None or colours.fitted("from 0 to 1")


def _compared(metric: str) -> Compared:
    """Return what is compared, and how it is drawn."""
    measure = KINDS[metric].measure
    of = Measured(
        measure.title,
        measure.axis,
        bounds=measure.bounds,
        whole=KINDS[metric].range,
        form=form_of(metric),
        over_pairs=KINDS[metric].of == "pair",
    )
    beside, less = (partial(drawn, of=of) for drawn in (two_sides.side_by_side, two_sides.difference))
    return Compared(metric, measure.title, CARDS[metric], beside, less)


@dataclass(frozen=True)
class OverSentences(Evidence):
    """The sides of a comparison whose differences' intervals are over sentences."""

    selection: Selection
    of: Sequence[tuple[Model, Checkpoint]]
    """The checkpoints of both sides."""

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:
        """Return what makes differences with their intervals of the scores of both sides."""
        steps = [partial(geometry_compared.without_interval)] if metric in TOO_SHORT else []
        steps.append(partial(compared.difference, keys=list(keys), names=list(sides), bounds=KINDS[metric].measure.bounds))
        if kept := self._kept(metric):
            paired = partial(geometry_compared.paired, kept=kept, metric=metric, names=list(sides), workspaces=workspaces())
            steps.append(paired)
        return [*steps, partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:
        """Say what the intervals of these differences are, and offer what paired ones lack; `of_groups`: means are drawn."""
        if metric in TOO_SHORT:
            st.caption(UNTOLD)
            return
        groups = GROUPS if KINDS[metric].of == "pair" else GROUPS_OF_OWN
        st.caption(groups if of_groups else words(rows, paired=PAIRED, widest=WIDEST))
        if metric not in sentences.PAIRED:
            return
        with guard():
            offer_paired(self.of, self._kept(metric), self.selection.of(metric).spec, "what each sentence does to {}")

    def _kept(self, metric: str) -> dict[str, str]:
        """Return the key of what each sentence does, by fingerprint."""
        if metric not in sentences.PAIRED:
            return {}
        chosen = self.selection.of(metric)
        return kept_of(self.of, lambda model, each: geometry_compared.key_of(chosen.spec(model, [each]), each, workspaces()))
