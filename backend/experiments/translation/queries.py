"""Machine-translation scores as the pages draw them: one query a figure, over what compares.

What compares is a group: preset and options, corpus and pair of languages are the same; its settings stand side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from backend.store.scores import query, shards

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FAMILY = "emergent"
GROUPS = ("options", "corpus", "pair", "sources", "settings", "seeds", "newest")
CELLS = ("source", "setting", "metric", "value", "deviation", "seeds", "n")
RUNS = ("run", "base", "source", "setting", "seed", "value")
TEXT = {"options", "corpus", "pair", "source", "setting", "metric", "run", "base"}

NEWEST = """
WITH named AS (
  SELECT *, split_part(variant, '/', 2) AS setting, split_part(variant, '/', 1) || '/' || split_part(variant, '/', 3) AS options
  FROM {scores} WHERE metric IN ('chrf', 'bleu')
), newest AS (
  SELECT * FROM named
  QUALIFY row_number() OVER (PARTITION BY options, corpus, target, source, setting, metric, seed ORDER BY created_at DESC) = 1
)
"""
OF_GROUPS = (
    NEWEST
    + """
SELECT options, corpus, target AS pair, count(DISTINCT source) AS sources, count(DISTINCT setting) AS settings,
  count(DISTINCT seed) AS seeds, max(created_at) AS newest
FROM newest GROUP BY options, corpus, target ORDER BY newest DESC, options, corpus, pair
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


def groups(workspaces: Sequence[Path]) -> pd.DataFrame:
    """A row a group that has scores, the newest first; columns `GROUPS`. Scores of two groups never compare.

    `options` is `<preset>/<six digits of all options>`, `pair` is `<source language>><target language>`.
    """
    return _query(OF_GROUPS, {}, workspaces, GROUPS)


def translations(workspaces: Sequence[Path], options: str, corpus: str, pair: str) -> pd.DataFrame:
    """A row a source, setting and metric (`chrf`, `bleu`; percent, higher is better) of one group; columns `CELLS`.

    `source` is what XferBench's scores call it. `value` is the mean over `seeds` seeds, `deviation` their standard deviation
    (n - 1; nan of one), `n` how many sentences were translated.
    """
    return _query(OVER_SEEDS, {"options": options, "corpus": corpus, "pair": pair}, workspaces, CELLS)


def runs(workspaces: Sequence[Path], options: str, corpus: str, pair: str) -> pd.DataFrame:
    """A row a source, setting and seed; columns `RUNS`. `value` is chrF.

    `run` is the key of the tuning's details, `base` that of the pre-training's (`backend.store.details`), null of `none`.
    """
    return _query(EACH_RUN, {"options": options, "corpus": corpus, "pair": pair}, workspaces, RUNS)


def _query(sql: str, parameters: dict[str, str], workspaces: Sequence[Path], columns: Sequence[str]) -> pd.DataFrame:
    files = {file.path.name: file.path for file in reversed(shards(workspaces, FAMILY))}  # in two workspaces: counted once
    if not files:
        return pd.DataFrame({name: pd.Series(dtype=object if name in TEXT else float) for name in columns})
    return query(sql, parameters, list(files.values()))
