"""The groups that sources are compared in: human, synthetic, emergent, random, and no pre-training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from isogloss.backend.experiments.sources.source import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.corpora.emergent.corpus import Origin

Group = Literal["human", "synthetic", "emergent", "random", "none"]
GROUPS: dict[str, str] = {group: group.capitalize() for group in get_args(Group)} | {"none": "No pre-training"}
"""What a source is, in the order of the figures, with its name."""


def group_of(source: str, origins: Mapping[str, Origin]) -> Group:
    """Tell a source's group by the key that scores call it; `origins` are those of the kept emergent corpora, by content id.

    A corpus that is no longer saved counts as emergent.
    """
    if source == NONE:
        return "none"
    return "human" if "/" in source else origins.get(source, "emergent")
