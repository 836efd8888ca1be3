"""The recipes of figures of ABX and of Geometry: what is read of the scores of a selection, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.frames import Known, files_of, label_checkpoints
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing.selecting import WHOLE
from isogloss.pages.widgets.workspace import workspaces


def scores(
    selection: Selection,
    query: Callable[..., pd.DataFrame],
    *steps: partial[pd.DataFrame],
    of: Sequence[tuple[Model, Checkpoint]] | None = None,
    **arguments: Any,
) -> Recipe:
    """Return the recipe of the rows of `query` (of `abx_queries`), labelled, and of what `steps` make of them.

    `of` are the checkpoints, all computed ones where None; `arguments` are further ones of `query`.
    """
    known = coverage(selection) if of is None else selection.known(of)
    fingerprints = sorted({each[0] for each in known})
    return Recipe(
        (
            partial(files_of, workspaces=workspaces(), family=selection.family, shards=shards(selection, known)),
            partial(
                query, languages=list(selection.languages), checkpoints=fingerprints, **pairs_chosen(selection), **arguments
            ),
            partial(label_checkpoints, checkpoints=known),
            *steps,
        )
    )


def coverage(selection: Selection) -> list[Known]:
    """Return what is known of the computed checkpoints."""
    return selection.known((model, each) for model in selection.models for each in selection.computed(model))


def shards(selection: Selection, known: Sequence[Known]) -> list[str]:
    """Return the names of the files that serve these checkpoints."""
    return sorted({selection.served[fingerprint, WHOLE].path.stem for fingerprint, *_ in known})


def pairs_chosen(selection: Selection) -> dict[str, Any]:
    """Return the argument `pairs` of the queries, where not all are looked at."""
    return {} if selection.pairs is None else {"pairs": selection.pairs}
