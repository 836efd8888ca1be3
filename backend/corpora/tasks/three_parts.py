"""Train, validation and test of a labelled task: its own parts, and where it has fewer, stated shares of them.

The shares are those of tagged text (`backend.corpora.tagged.parts`), drawn by the ids of rows, which are the same in every
language. Rows with the same first sentence stand in one part (`LabelledTask.same_first`): in XNLI every premise has three
hypotheses, and a probe that has seen it would be tested on what it knows. The task itself, by whose training and validation
rows transfer is computed, stays as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.tagged import parts as tagged_parts
from isogloss.backend.corpora.tagged.parts import PARTS, Part
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Collection

    from isogloss.backend.corpora.tasks.task import Examples, LabelledTask

BY_PREMISE = "by premise"
"""Says of a task that parts of it are split from others."""


def examples(task: LabelledTask, language: str, part: Part) -> Examples:
    """Return the examples of one of three parts, which are disjoint and hold the same rows in every language.

    Raises `CorpusError` for a language the task, or its training part, lacks, and where it has too few rows for three parts.
    """
    share = _share(task, part)
    from_part = task.examples(language, share.source)
    if not len(from_part):
        raise CorpusError(
            f"The task has no {share.source} rows in {language}: they are in {', '.join(task.trained)} alone.",
            remedy=f"Train on {task.trained[0]}, or test in {language}.",
        )
    if share.whole:
        return from_part
    chosen = tagged_parts.chosen(from_part.row_ids, share, task.same_first)
    places = [place for place, row in enumerate(from_part.row_ids) if row in chosen]
    if not places:
        raise CorpusError(
            f"The task has {len(from_part):,} rows in its {share.source} part: too few to split a {part} part from.",
            remedy="Add more rows, or files of the part that is missing.",
        )
    return replace(
        from_part,
        row_ids=[from_part.row_ids[place] for place in places],
        texts=[from_part.texts[place] for place in places],
        pairs=None if from_part.pairs is None else [from_part.pairs[place] for place in places],
        labels=from_part.labels[np.array(places)],
    )


def origin(task: LabelledTask, part: Part) -> str:
    """Where a part comes from: `validation`, or `half of validation` where the task lacks it or it is lent to another."""
    return tagged_parts.words(_share(task, part))


def known_by(test_id: str | None, present: Collection[str]) -> str | None:
    """Return what says which rows the parts of a task are, as its id does not: its test part's id, and that parts are split.

    `present` are the parts that the task has. None where it has no test part, which no task of today lacks or splits by rows.
    """
    return test_id if set(present) >= set(PARTS) else " ".join([*([test_id] if test_id else []), BY_PREMISE])


def _share(task: LabelledTask, part: Part) -> tagged_parts.Share:
    return tagged_parts.share([each for each in PARTS if task.rows(each)], part)
