"""Two checkpoints, of one model or of two, on one corpus: language × layer."""

from __future__ import annotations

from functools import partial

from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.frames import rows_with
from isogloss.pages.abx.compare import measured
from isogloss.pages.abx.compare.evidence import OverSentences
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.shared.compare import checkpoints
from isogloss.pages.widgets.choosing import seeds


def draw(selection: Selection, metric: str) -> None:
    """Compare two checkpoints in `metric`, a column a layer, up to the depth of the shallower model."""
    able = checkpoints.sides(seeds.groups(selection.models, {}), selection.computed)
    found = checkpoints.choose(able, selection.languages, selection.layers, partial(measured.fit, metric))
    if found is None:
        return
    only = partial(rows_with, metric=[metric], layer=found.layers)
    recipe = recipes.scores(selection, abx_queries.by_language_and_layer, only, found.named, of=found.of)
    found.draw(recipe, measured.compared(metric), OverSentences(selection, found.of))
