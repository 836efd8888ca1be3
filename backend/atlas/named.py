"""What grids are called where people choose one: as the dashboard calls them where measures of all families meet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.atlas.grids import KINDS
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations import told as words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.atlas.grids import PairGrid


@dataclass(frozen=True)
class Told:
    """A grid in words."""

    label: str
    """Among those of its model and family."""
    said: str
    """By itself: its corpus, and how it was computed."""


def told(grids: Sequence[PairGrid], workspaces: Sequence[Path]) -> list[Told]:
    """Return what each grid is called: its corpus, what not all of its family have, and its measures where others have that."""
    paired = {each.id: each.name for each in dictionaries.entries(workspaces)}
    paired |= {each.id: f"{each.name} (alignment)" for each in alignments.entries(workspaces)}
    corpora = {entry.id: entry.name for kind in KINDS for entry in kind.entries(workspaces)}
    labels = [""] * len(grids)
    for family in dict.fromkeys(grid.family.name for grid in grids):
        own = [place for place, grid in enumerate(grids) if grid.family.name == family]
        parts = words.told_apart([grids[place].measures[0] for place in own], corpora, paired)
        for place, each in zip(own, parts, strict=True):
            labels[place] = ", ".join(each)
    alike = Counter((grid.family.name, grid.model.name, label) for grid, label in zip(grids, labels, strict=True))
    found = []
    for grid, label in zip(grids, labels, strict=True):
        several = alike[grid.family.name, grid.model.name, label] > 1
        titles = ", ".join(MEASURES[metric].title for metric in grid.metrics)
        how = map(words.in_words, words.said(grid.measures[0], corpora, paired))
        found.append(Told(f"{label}: {titles}" if several else label, f"{grid.corpus.name} · {', '.join(how)}"))
    return found
