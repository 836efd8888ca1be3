"""Two checkpoints, of one model or of two, beside each other: the language tested in × layer, and their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import argument
from isogloss.backend.experiments import compared
from isogloss.backend.experiments.probing import compared as probing_compared
from isogloss.backend.experiments.probing import frames as probing_frames
from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.probing.together import together
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import probing as figures
from isogloss.backend.figures import two_sides
from isogloss.backend.figures.probing import FIXED, LENGTH
from isogloss.backend.figures.two_sides import Measured
from isogloss.pages.probing import frames, languages
from isogloss.pages.probing.cards import CARDS
from isogloss.pages.probing.frames import ProbedPart
from isogloss.pages.probing.selection import Selection
from isogloss.pages.shared.compare import checkpoints
from isogloss.pages.shared.compare.evidence import GROUPS_OF_OWN, Evidence, OverSeeds, words
from isogloss.pages.shared.compare.side_by_side import Compared
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.workspace import workspaces

PAIRED = "Over test sentences, the same on both sides, and over seeds, of one of which what it told is kept: at most so wide."
PAIRED_ONE = "Over test sentences, the same on both sides."
WIDEST = "the widest interval it can have: what both told of the same words is not kept, or pairing is no narrower"


def draw(selection: Selection) -> None:
    """Compare two checkpoints in a measure, a column a layer, up to the depth of the shallower model."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = frames.choose_measure(selection)
        source = languages.choose_source(selection, metric)
        groups = seeds.choose(selection.models)
    wanted = languages.part_of(selection, selection.models, source)
    able = checkpoints.sides(groups, lambda model: [each for owner, each in wanted.of if owner == model])
    tested = wanted.targets or wanted.sources
    found = checkpoints.choose(able, tested, selection.layers, partial(frames.fitted, metric))
    if found is None:
        return
    both = replace(wanted, of=tuple(dict.fromkeys(found.of)))
    layered = partial(probing_frames.of_layers, layers=found.layers)
    recipe = frames.recipe(both, queries.rows, [metric], layered, found.named)
    evidence = OverSeeds(found.several, over_pairs=False) if found.several else OverWords(both)
    found.draw(recipe, _compared(selection, metric, source), evidence)


def _compared(selection: Selection, metric: str, source: str | None) -> Compared:
    """Return what is compared, and how it is drawn."""
    measured = Measured(
        figures.MEASURES[metric],
        figures.unit_title(metric, selection.data.rows),
        bounds=bounds_of(metric),
        whole=FIXED.get(metric),
        form=",.0f" if metric == LENGTH else ".3f",
        over_pairs=False,
        counted=selection.data.rows.capitalize(),
    )
    name = figures.MEASURES[metric] + ("" if source is None else f", trained on {language_name(source)}")
    beside, less = (partial(drawn, of=measured) for drawn in (two_sides.side_by_side, two_sides.difference))
    return Compared(metric, name, CARDS[metric], beside, less)


@dataclass(frozen=True)
class OverWords(Evidence):
    """The sides of a comparison whose differences' intervals are over the test words of both, by their sentences."""

    part: ProbedPart

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:
        """Return what makes differences with their intervals of the scores of both sides."""
        made = partial(compared.difference, keys=list(keys), names=list(sides), bounds=bounds_of(metric))
        more = {"specs": self.part.specs, "found": self._served(), "metric": metric, "workspaces": workspaces()}
        pairable = metric in probing_compared.PAIRABLE
        return [made, *([partial(probing_compared.paired, **more)] if pairable else []), partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:  # noqa: ARG002
        """Say what the intervals of these differences are; `of_groups`: means are drawn."""
        paired = PAIRED_ONE if self.part.one_seed else PAIRED
        st.caption(GROUPS_OF_OWN if of_groups else words(rows, paired=paired, widest=WIDEST))

    def _served(self) -> Any:
        """Return the call that finds the scores of both sides."""
        calls = [argument(partial(queries.served, spec=spec, workspaces=workspaces())) for spec in self.part.specs]
        return calls[0] if len(calls) == 1 else argument(partial(together, *calls))
