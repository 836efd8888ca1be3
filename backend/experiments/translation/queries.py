"""Query chrF and BLEU of the machine-translation check: one query a figure, over what compares.

What compares is a group: preset and options, corpus and pair of languages are the same; its settings stand side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.experiments.sources.queries import query, score_files
from isogloss.backend.recipe_mark import depends_on, in_recipes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

GROUPS = ("options", "preset", "digits", "corpus", "pair", "sources", "settings", "seeds", "newest")
CELLS = ("source", "setting", "metric", "value", "deviation", "seeds", "n")
RUNS = ("run", "base", "source", "setting", "seed", "value")

NEWEST = """
WITH newest AS (
  SELECT *, mode AS setting, preset || '/' || digits AS options FROM named WHERE metric IN ('chrf', 'bleu')
  QUALIFY row_number() OVER (PARTITION BY options, corpus, target, source, setting, metric, seed ORDER BY created_at DESC) = 1
)
"""
OF_GROUPS = (
    NEWEST
    + """
SELECT options, preset, digits, corpus, target AS pair, count(DISTINCT source) AS sources, count(DISTINCT setting) AS settings,
  count(DISTINCT seed) AS seeds, max(created_at) AS newest
FROM newest GROUP BY options, preset, digits, corpus, target ORDER BY newest DESC, options, corpus, pair
"""
)
OVER_SEEDS = (
    NEWEST
    + """
SELECT source, setting, metric, avg(value) AS value, stddev_samp(value) AS deviation, count(*) AS seeds, min(n) AS n
FROM newest WHERE options = $options AND corpus = $corpus AND target = $pair
GROUP BY source, setting, metric ORDER BY source, setting, metric
"""
)
EACH_RUN = (
    NEWEST
    + """
SELECT run, checkpoint AS base, source, setting, seed, value FROM newest
WHERE options = $options AND corpus = $corpus AND target = $pair AND metric = 'chrf' ORDER BY source, setting, seed
"""
)


@depends_on(score_files)
def groups(workspaces: Sequence[Path]) -> pd.DataFrame:
    """List the groups that have scores, the newest first; columns `GROUPS`. Scores of two groups never compare.

    `options` is `<preset>/<six digits of all options>`, `pair` is `<source language>><target language>`.
    """
    return query(OF_GROUPS, {}, workspaces, GROUPS)


@in_recipes
@depends_on(score_files)
def translations(workspaces: Sequence[Path], options: str, corpus: str, pair: str) -> pd.DataFrame:
    """Mean chrF and BLEU over seeds (percent, higher is better): a row a source, setting and metric; columns `CELLS`.

    `source` is what XferBench's scores call it. `value` is the mean over `seeds` seeds, `deviation` their standard deviation
    (n - 1; nan of one), `n` how many sentences were translated.
    """
    return query(OVER_SEEDS, {"options": options, "corpus": corpus, "pair": pair}, workspaces, CELLS)


@depends_on(score_files)
def runs(workspaces: Sequence[Path], options: str, corpus: str, pair: str) -> pd.DataFrame:
    """Return each seed's chrF: a row a source, setting and seed; columns `RUNS`.

    `run` is the key of the tuning's details, `base` that of the pre-training's (`backend.store.details`), null of `none`.
    """
    return query(EACH_RUN, {"options": options, "corpus": corpus, "pair": pair}, workspaces, RUNS)
