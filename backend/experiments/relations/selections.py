"""Choosing checkpoints and sources by a measure, read from the table of scores (de Seyssel et al. 2025, appendices H and K)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.experiments.relations.cubes import score_files
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.experiments.relations.tables import Joined, join
from isogloss.backend.metrics.selection import (
    Better,
    CheckpointChoice,
    Choose,
    SourceChoice,
    choose_checkpoints,
    choose_sources,
)
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.relations.reading import Guides, Outcomes, Reading

GUIDE, OUTCOME = "guide", "outcome"
CHECKPOINTS = ["language", "chosen", "best", "gap_chosen", "gap_last", "delta"]
SOURCES = ["target", "chosen", "best", "rank", "sources", "wins", "ties", "random_wins"]
RANKED = ["measure", "choose", "wins", "deviation", "is_best", "among_best", "targets"]


@depends_on(score_files)
def by_checkpoint(
    guide: Reading, outcome: Reading, workspaces: Sequence[Path], choose: Choose, better: Better
) -> CheckpointChoice:
    """Return each language's checkpoint by the guide against the last. Both are read at each checkpoint."""
    return _checkpoints(guide, outcome, workspaces, choose, better)[0]


@in_recipes
@depends_on(score_files)
def checkpoint_table(
    guide: Reading, outcome: Reading, workspaces: Sequence[Path], choose: Choose, better: Better
) -> pd.DataFrame:
    """Return a row a language, the largest |Δ| first: `CHECKPOINTS`; checkpoints by fingerprint, gaps in the outcome's unit."""
    found, names, keys = _checkpoints(guide, outcome, workspaces, choose, better)
    rows = [
        (name, keys[found.chosen[i]], keys[found.best[i]], found.gap_chosen[i], found.gap_last[i], found.delta[i])
        for i, name in enumerate(names)
        if found.chosen[i] >= 0
    ]
    frame = pd.DataFrame(rows, columns=CHECKPOINTS)
    return frame.sort_values("delta", key=lambda each: -each.abs(), kind="stable", ignore_index=True)


def _checkpoints(
    guide: Reading, outcome: Reading, workspaces: Sequence[Path], choose: Choose, better: Better
) -> tuple[CheckpointChoice, tuple[str, ...], tuple[str, ...]]:
    each = {name: one.model_copy(update={"checkpoint": "each"}) for name, one in ((GUIDE, guide), (OUTCOME, outcome))}
    found = _joined(Question(unit="language", along="checkpoint", readings=each), workspaces)
    by, value = (found.arrays[name].T for name in (GUIDE, OUTCOME))
    shared = np.flatnonzero((np.isfinite(by) & np.isfinite(value)).any(axis=0))  # the last is the last that both have
    chosen = choose_checkpoints(by[:, shared], value[:, shared], choose=choose, better=better)
    return chosen, found.names, tuple(found.over[i] for i in shared)


@depends_on(score_files)
def by_source(guide: Reading, outcome: Reading, workspaces: Sequence[Path], choose: Choose, better: Better) -> SourceChoice:
    """Return each target's source by the guide."""
    return _sources(guide, outcome, workspaces, choose, better)[0]


@in_recipes
@depends_on(score_files)
def source_table(guide: Reading, outcome: Reading, workspaces: Sequence[Path], choose: Choose, better: Better) -> pd.DataFrame:
    """Return a row a target, the largest share of wins first: `SOURCES`, languages by tag, shares 0 to 1."""
    source_choice, names = _sources(guide, outcome, workspaces, choose, better)
    rows = [
        (
            name,
            names[source_choice.chosen[i]],
            names[source_choice.best[i]],
            int(source_choice.rank[i]),
            int(source_choice.sources[i]),
            source_choice.wins[i],
            source_choice.ties[i],
            source_choice.random_wins[i],
        )
        for i, name in enumerate(names)
        if source_choice.chosen[i] >= 0
    ]
    return pd.DataFrame(rows, columns=SOURCES).sort_values("wins", ascending=False, kind="stable", ignore_index=True)


@in_recipes
@depends_on(score_files)
def source_tables(guide: Reading, outcomes: Outcomes, workspaces: Sequence[Path], choose: Choose) -> pd.DataFrame:
    """Return `source_table` for each outcome, such as the accuracy in two tasks, below each other: `outcome`, `SOURCES`."""
    parts = [
        source_table(guide, outcome, workspaces, choose, outcomes.better[name]).assign(outcome=name)
        for name, outcome in outcomes.readings.items()
    ]
    return pd.concat(parts, ignore_index=True)[["outcome", *SOURCES]]


@in_recipes
@depends_on(score_files)
def ranked(guides: Guides, outcome: Reading, workspaces: Sequence[Path], better: Better) -> pd.DataFrame:
    """Return every measure as a chooser of sources, the best first: `RANKED`.

    Each is judged on the sources and targets that it has; those of fewer than half the targets of the one with most stand below
    the others, and one without any target of two sources is left out.
    """
    rows = []
    for name, guide in guides.readings.items():
        choose = guides.choose[name]
        found, _ = _sources(guide, outcome, workspaces, choose, better)
        if found.targets:
            rows.append((name, choose, found.mean, found.deviation, found.is_best, found.among_best, found.targets))
    frame = pd.DataFrame(rows, columns=RANKED).sort_values("wins", ascending=False, kind="stable", ignore_index=True)
    few = 2 * frame["targets"] < frame["targets"].max()
    ordered: pd.DataFrame = pd.concat([frame[~few], frame[few]], ignore_index=True)
    return ordered


def _sources(
    guide: Reading, outcome: Reading, workspaces: Sequence[Path], choose: Choose, better: Better
) -> tuple[SourceChoice, tuple[str, ...]]:
    found = _joined(Question(unit="pair", readings={GUIDE: guide, OUTCOME: outcome}), workspaces)
    return choose_sources(found.arrays[GUIDE], found.arrays[OUTCOME], choose=choose, better=better), found.names


_KEPT: ByteCache[Joined] = ByteCache(16 << 20, lambda joined: sum(each.nbytes for each in joined.arrays.values()))


def _joined(question: Question, workspaces: Sequence[Path]) -> Joined:
    """Return what `join` does, kept: a page asks for the table, for what is said of it and for its rank among others."""
    return _KEPT.get((question.model_dump_json(), score_files(workspaces)), lambda: join(question, workspaces))
