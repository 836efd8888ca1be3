"""Two checkpoints, of one model or of two: each language's alignment by layer, and the difference with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.experiments import compared
from isogloss.backend.experiments.alignment import compared as alignment_compared
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.figures import alignment as figures
from isogloss.backend.figures import two_sides
from isogloss.backend.figures.two_sides import Measured
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.alignment import frames
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.shared.compare import checkpoints
from isogloss.pages.shared.compare.evidence import GROUPS, Evidence, OverSeeds, kept_of, offer_paired, words
from isogloss.pages.shared.compare.side_by_side import Compared
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.figures import colours
from isogloss.pages.widgets.workspace import guard, workspaces

PAIRS = "Pairs at a layer"
CELLS = ("Languages × layers", PAIRS)
PAIRED = "Paired over sentences: both sides are asked for the same ones."
WIDEST = "the widest interval it can have: which sentences are found is not kept of both sides"
WIDEST_OF_DRAWS = "the widest interval it can have: runs draw some, and which of them are found is not kept"


@dataclass(frozen=True)
class OverSentences(Evidence):
    """The sides of a comparison of one checkpoint each: paired over sentences where it is kept which are found."""

    selection: Selection
    measure: str
    of: Sequence[tuple[Model, Checkpoint]]
    """The checkpoints of both sides."""
    layer: int | None = None
    """Where cells are directed pairs, that of all of them."""

    def steps(self, metric: str, keys: Sequence[str], sides: tuple[str, str]) -> list[partial[pd.DataFrame]]:  # noqa: ARG002
        """Return what makes differences with their intervals of the scores of both sides."""
        steps_of_difference = [partial(compared.difference, keys=list(keys), names=list(sides))]
        if kept := self._kept():
            asked: dict[str, Any] = {"workspaces": workspaces(), "kept": kept, "measure": self._task}
            if self.layer is None:
                steps_of_difference.append(partial(alignment_compared.paired, **asked, **self._asked()))
            else:
                steps_of_difference.append(partial(alignment_compared.paired_by_pair, **asked, layer=self.layer))
        return [*steps_of_difference, partial(compared.corrected)]

    def tell(self, metric: str, rows: pd.DataFrame, *, of_groups: bool) -> None:  # noqa: ARG002
        """Say what the intervals of these differences are, and offer what paired ones lack."""
        widest = WIDEST if self._pairable else WIDEST_OF_DRAWS
        st.caption(GROUPS if of_groups else words(rows, paired=PAIRED, widest=widest))
        if not self._pairable:
            return
        with guard():
            offer_paired(self.of, self._kept(), self.selection.spec, "which sentences {} finds")

    @property
    def _task(self) -> str:
        """The measure without its unit, as the scores name it: strong alignment has several."""
        return self.selection.metric(self.measure).removeprefix(f"{self.selection.unit}_")

    @property
    def _pairable(self) -> bool:
        return self.selection.unit == "sentence" and not self.selection.options.get("n_sentences")

    def _asked(self) -> dict[str, Any]:
        """Return the further arguments of `paired`: all pairs of some languages are told by these."""
        languages, pairs = self.selection.languages, self.selection.pairs
        whole = len(pairs) == len(languages) * (len(languages) - 1) // 2
        asked = {"languages": list(languages), "ways": self.selection.direction}
        return asked if whole else {**asked, "pairs": list(pairs)}

    def _kept(self) -> dict[str, str]:
        """Return by fingerprint the key of what is kept of both sides' checkpoints."""
        return kept_of(self.of, self._key_of) if self._pairable else {}

    def _key_of(self, model: Model, checkpoint: Checkpoint) -> str | None:
        spec = self.selection.spec(model, [checkpoint])
        assert isinstance(spec, SentenceAlignmentSpec)
        variant = spec.variant(self.selection.vector([checkpoint]))
        return alignment_compared.key_of(spec, checkpoint, variant, self.selection.corpus.tags, workspaces())


def draw(selection: Selection) -> None:
    """Compare two checkpoints: a row a language and a column a layer, or every directed pair at one layer."""
    above = st.container(horizontal=True, vertical_alignment="bottom")
    with above:
        measure = frames.choose_measure()
        cells = segments("Cells", CELLS, "cells")
        groups = seeds.choose(selection.models)
    able = checkpoints.sides(groups, selection.complete)
    found = checkpoints.choose(able, selection.languages, selection.layers, lambda: colours.fitted("from 0 to 1"))
    if found is None:
        return
    with above:
        middle = len(found.layers) // 2
        layer = select("Layer", found.layers, "at_layer", index=middle, width=120) if cells == PAIRS else None
    query = alignment_queries.by_language if layer is None else partial(alignment_queries.pairs, layers=[layer])
    shown = partial(rows_with, layer=found.layers if layer is None else [layer])
    recipe = frames.recipe(selection, query, shown, found.named, of=found.of, measures=[measure])
    evidence = OverSeeds(found.several) if found.several else OverSentences(selection, measure, found.of, layer)
    if layer is None:
        found.draw(recipe, _compared(selection, measure), evidence)
    else:
        found.draw_pairs(recipe, _compared(selection, measure, f" at layer {layer}"), evidence)


def _compared(selection: Selection, measure: str, at: str = "") -> Compared:
    unit, title = selection.unit, figures.MEASURES[measure]
    of = Measured(title, figures.unit_title(unit, measure), whole=figures.ALL, counted=figures.UNITS[unit])
    beside, less = (partial(each, of=of) for each in (two_sides.side_by_side, two_sides.difference))
    return Compared(selection.metric(measure), f"{title} of {unit}s{at}", card(selection), beside, less)
