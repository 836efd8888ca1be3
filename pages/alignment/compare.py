"""Two checkpoints, of one model or of two: each language's alignment by layer, and the difference with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments import compared
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.figures import alignment as figures
from isogloss.backend.figures import two_sides
from isogloss.backend.figures.two_sides import Measured
from isogloss.pages.alignment import frames
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.shared.compare import checkpoints
from isogloss.pages.shared.compare.evidence import GROUPS, OverSeeds, words
from isogloss.pages.shared.compare.side_by_side import Compared
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.figures import colours


@dataclass(frozen=True)
class OverScores:
    """Sides whose differences' intervals are the widest that both sides' intervals allow."""

    def means(self, metric: str, keys: Sequence[str]) -> list[partial[pd.DataFrame]]:  # noqa: ARG002
        """Return nothing: a side has one row a cell."""
        return []

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:  # noqa: ARG002
        """Return what makes differences with their intervals of the scores of both sides."""
        return [partial(compared.difference, keys=list(keys), names=list(sides)), partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:  # noqa: ARG002
        """Say what the intervals of these differences are."""
        st.caption(GROUPS if of_groups else words(rows))


def draw(selection: Selection) -> None:
    """Compare two checkpoints, a row a language and a column a layer, up to the depth of the shallower model."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = frames.choose_measure()
        groups = seeds.choose(selection.models)
    able = checkpoints.sides(groups, selection.complete)
    found = checkpoints.choose(able, selection.languages, selection.layers, lambda: colours.fitted("from 0 to 1"))
    if found is None:
        return
    recipe = frames.recipe(
        selection,
        alignment_queries.by_language,
        partial(rows_with, layer=found.layers),
        found.named,
        of=found.of,
        measures=[measure],
    )
    evidence = OverSeeds(found.several) if found.several else OverScores()
    found.draw(recipe, _compared(selection, measure), evidence)


def _compared(selection: Selection, measure: str) -> Compared:
    unit, title = selection.unit, figures.MEASURES[measure]
    of = Measured(title, figures.unit_title(unit, measure), whole=figures.ALL, counted=figures.UNITS[unit])
    beside, less = (partial(each, of=of) for each in (two_sides.side_by_side, two_sides.difference))
    return Compared(selection.metric(measure), f"{title} of {unit}s", card(selection), beside, less)
