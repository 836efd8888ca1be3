"""XferBench by writing system: do sources help targets that are written as they are? The paper's tables 7 and 8, of any scores.

Cells are those of `xferbench_frames`: rows source × target text of one variant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.corpora.languages.writing import writing
from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.experiments.xferbench.frames import of_texts, shared_texts, texts
from isogloss.backend.experiments.xferbench.queries import matrix
from isogloss.backend.metrics import xferbench
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.experiments.sources.groups import Group

By = Literal["writing system", "type"]
COLUMNS = ["source", "target", "value", "n", "sources", "targets"]


@in_recipes
def by_writing(
    cells: pd.DataFrame, groups: Mapping[str, Group], languages: Mapping[str, str], by: By, *, human: bool = True
) -> pd.DataFrame:
    """Mean normalised cross-entropy of each group of sources on each group of targets; columns `COLUMNS`.

    Args:
        cells: Only the target texts that all the sources taken have are used.
        groups: What each source is, by its key.
        languages: The BCP-47 tag of each human source, by its key; without one, `Unknown`.
        by: Writing systems (`Latin`) or their types (`Alphabet`).
        human: Take the human sources alone, as the paper does; otherwise the others are grouped by what they are.

    `value` is the mean of `n` cells: negative is better than the sources' average. Without two sources there are no rows.
    """
    taken = comparable(cells, groups, human=human)
    if taken["source"].nunique() < 2:
        return pd.DataFrame(columns=COLUMNS)
    tags = dict(zip(texts(taken), taken["target"], strict=True))
    of_target = {text: _group(tag, by) for text, tag in tags.items()}
    of_source = {
        source: _group(languages.get(source, ""), by) if groups[source] == "human" else GROUPS[groups[source]]
        for source in dict.fromkeys(taken["source"])
    }
    means = xferbench.aggregate(xferbench.normalise(matrix(taken)), of_target, of_source)
    long = means.rename_axis(index="source", columns=None).reset_index().melt("source", var_name="target")
    sources, targets = _members(of_source), _members(of_target)
    return long.assign(
        n=[len(sources[s]) * len(targets[t]) for s, t in zip(long["source"], long["target"], strict=True)],
        sources=[
            ", ".join(sorted({name_of(languages[key]) for key in sources[s] if key in languages})) for s in long["source"]
        ],
        targets=[", ".join(sorted({name_of(tags[text]) for text in targets[t]})) for t in long["target"]],
        value=long["value"].astype(np.float64),
    )[COLUMNS]


def comparable(cells: pd.DataFrame, groups: Mapping[str, Group], *, human: bool = True) -> pd.DataFrame:
    """Return the cells of the human sources (or of all) in the target texts that each of them has a value for."""
    taken = cells[[not human or groups[source] == "human" for source in cells["source"]]] if len(cells) else cells
    return of_texts(taken, shared_texts(taken)) if len(taken) else taken


def _group(tag: str, by: By) -> str:
    found = writing(tag)
    return found.name if by == "writing system" else found.type


def _members(groups: Mapping[str, str]) -> dict[str, list[str]]:
    return {group: [key for key, own in groups.items() if own == group] for group in groups.values()}
