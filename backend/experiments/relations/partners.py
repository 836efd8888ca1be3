"""Whether languages that a measure of pairs is read at are one another's partners, as their groups' intervals have to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.relations.cubes import score_files
from isogloss.backend.experiments.relations.tables import join
from isogloss.backend.recipe_mark import depends_on

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.relations.reading import Question

PAIRED = 0.9
"""The least share of pairs that have a value."""


@depends_on(score_files)
def are_partners(question: Question, workspaces: Sequence[Path]) -> bool:
    """Return whether the languages' values of a question's only measure are means over pairs of (nearly) all of them.

    Not so where they are of a language by itself, of its pairs as source or as target alone, or where all are paired with the
    same few, such as English, or with others than themselves: these are the same for all languages of a group.
    """
    (reading,) = question.readings.values()
    if reading.role != "both":
        return False
    (values,) = join(question.model_copy(update={"unit": "pair"}), workspaces).arrays.values()
    known = np.isfinite(values) | np.isfinite(values.T)
    n = int(known.any(axis=1).sum())
    return n > 2 and int(known.sum()) >= PAIRED * n * (n - 1)
