"""Query XferBench's cross-entropies: one query a figure, over the scores of one variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.experiments.sources.queries import query, score_files
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SEEDS = ("run", "base", "source", "corpus", "target", "seed", "value", "n")
CELLS = ("source", "corpus", "target", "value", "deviation", "seeds", "n")
VARIANTS = ("variant", "preset", "protocol", "digits", "sources", "targets", "seeds", "newest")

NEWEST = """
WITH newest AS (
  SELECT * FROM named WHERE metric = 'cross_entropy' AND variant = $variant
  QUALIFY row_number() OVER (PARTITION BY source, corpus, target, seed ORDER BY created_at DESC) = 1
)
"""
OF_VARIANT = (
    NEWEST
    + "SELECT run, checkpoint AS base, source, corpus, target, seed, value, n FROM newest ORDER BY source, corpus, target, seed"
)
OVER_SEEDS = (
    NEWEST
    + """
SELECT source, corpus, target, avg(value) AS value, stddev_samp(value) AS deviation, count(*) AS seeds, min(n) AS n
FROM newest GROUP BY source, corpus, target ORDER BY source, corpus, target
"""
)
KINDS = """
SELECT variant, preset, mode AS protocol, digits, count(DISTINCT source) AS sources,
  count(DISTINCT corpus || '/' || target) AS targets, count(DISTINCT seed) AS seeds, max(created_at) AS newest
FROM named WHERE metric = 'cross_entropy' GROUP BY variant, preset, mode, digits ORDER BY newest DESC
"""


NEWEST_CELL = """
SELECT source, corpus || '/' || target AS text FROM named WHERE metric = 'cross_entropy' AND variant = $variant
ORDER BY created_at DESC, source, text LIMIT 1
"""


@depends_on(score_files)
def variants(workspaces: Sequence[Path]) -> pd.DataFrame:
    """List the variants that have scores, the newest first; columns `VARIANTS`. Scores of two variants never compare."""
    return query(KINDS, {}, workspaces, VARIANTS)


@in_recipes
@depends_on(score_files)
def cross_entropies(workspaces: Sequence[Path], variant: str) -> pd.DataFrame:
    """Mean cross-entropy over seeds, in nats per token: a row a source and target text; columns `CELLS`.

    `source` is a corpus's content id, `<id>/<language>` for human-language text or `none`; `corpus` and `target` (a BCP-47
    tag) are the text, under one corpus where several have it. `value` is the mean over `seeds` seeds, `deviation` their
    standard deviation (n - 1; nan of one), `n` how many tokens were scored.
    """
    return query(OVER_SEEDS, {"variant": variant}, workspaces, CELLS)


@depends_on(score_files)
def newest_cell(workspaces: Sequence[Path], variant: str) -> tuple[str, str]:
    """Return the source and the target text (`<corpus>/<tag>`) of a variant's newest score. It must have one."""
    found = query(NEWEST_CELL, {"variant": variant}, workspaces, ("source", "text"))
    return str(found["source"].iloc[0]), str(found["text"].iloc[0])


@depends_on(score_files)
def each_seed(workspaces: Sequence[Path], variant: str) -> pd.DataFrame:
    """Return each seed's cross-entropy: a row a source, target text and seed; columns `SEEDS`.

    `run` is the key of the tuning curve, `base` that of the pre-training curve (`backend.store.details`), null of `none`.
    """
    return query(OF_VARIANT, {"variant": variant}, workspaces, SEEDS)


def matrix(cells: pd.DataFrame) -> pd.DataFrame:
    """Arrange `cross_entropies` as `backend.metrics.xferbench` takes them: sources × target texts, nan where one lacks.

    Targets are `<corpus>/<tag>`: another text of the same language is another target.
    """
    named = cells.assign(text=cells["corpus"] + "/" + cells["target"])
    return named.pivot(index="source", columns="text", values="value")
