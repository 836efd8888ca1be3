"""Aggregate ABX scores for the figures, each with one SQL query over the files that cover a selection.

Every function takes `files` (of `backend.store.scores`), the `languages` chosen, the `checkpoints`' fingerprints and the
`pairs` chosen (None for all of these languages), and returns a frame with one row a mark of the figure. A mean's interval is
the mean of its pairs' intervals: pairs share sentences, so their errors may move together, and this is the widest the mean's
can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pandas as pd

from backend.recipe_mark import in_recipes
from backend.store.scores import query

Metric = Literal["abx_language", "abx_meaning", "retrieval_top1"]
Pairs = Sequence[tuple[str, str]] | None
"""Two languages each, in alphabetical order; None for all."""

SCORES: dict[str, Metric] = {"language": "abx_language", "meaning": "abx_meaning", "retrieval": "retrieval_top1"}
"""The columns of a pair's scores."""
BOUNDED = ("language", "meaning")
"""Those that have an interval."""

WHERE = """
FROM {scores}
WHERE experiment = 'abx' AND list_contains($checkpoints, checkpoint)
  AND list_contains($languages, source) AND list_contains($languages, target)
"""


def _where(pairs: Pairs) -> str:
    return WHERE if pairs is None else f"{WHERE} AND list_contains($pairs, source || ':' || target)"


def _parameters(languages: Sequence[str], checkpoints: Sequence[str], pairs: Pairs, **more: object) -> dict[str, object]:
    chosen = {} if pairs is None else {"pairs": [":".join(pair) for pair in pairs]}
    return {"languages": list(languages), "checkpoints": list(checkpoints)} | chosen | more


@in_recipes
def grid(files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Pairs = None) -> pd.DataFrame:
    """Mean over the pairs: metric, checkpoint, layer, value, low, high, pairs, n (sentences)."""
    return query(
        "SELECT metric, checkpoint, layer, avg(value) AS value, avg(low) AS low, avg(high) AS high, "
        f"count(*) AS pairs, min(n) AS n {_where(pairs)} GROUP BY metric, checkpoint, layer ORDER BY metric, checkpoint, layer",
        _parameters(languages, checkpoints, pairs),
        files,
    )


@in_recipes
def by_language(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return each language's mean over its pairs and over `layers`: metric, checkpoint, language, value, low, high, pairs."""
    return query(
        "SELECT metric, checkpoint, language, avg(value) AS value, avg(low) AS low, avg(high) AS high, count(*) AS pairs "
        "FROM (SELECT metric, checkpoint, value, low, high, unnest([source, target]) AS language "
        f"{_where(pairs)} AND list_contains($layers, layer)) GROUP BY ALL ORDER BY metric, checkpoint, language",
        _parameters(languages, checkpoints, pairs, layers=list(layers)),
        files,
    )


@in_recipes
def by_language_and_layer(
    files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Pairs = None
) -> pd.DataFrame:
    """Each language's mean over its pairs, a row a layer: metric, checkpoint, layer, language, value, low, high, pairs."""
    return query(
        "SELECT metric, checkpoint, layer, language, avg(value) AS value, avg(low) AS low, avg(high) AS high, "
        "count(*) AS pairs FROM (SELECT metric, checkpoint, layer, value, low, high, unnest([source, target]) AS language "
        f"{_where(pairs)}) GROUP BY ALL ORDER BY metric, checkpoint, layer, language",
        _parameters(languages, checkpoints, pairs),
        files,
    )


@in_recipes
def spread(files: Sequence[Path], languages: Sequence[str], checkpoints: Sequence[str], *, pairs: Pairs = None) -> pd.DataFrame:
    """Return the standard deviations over subsamples: metric, checkpoint, layer, value, low, high, pairs, n (sentences).

    The value is the mean over the pairs, low and high are the least and the greatest of a pair.
    """
    return query(
        "SELECT metric, checkpoint, layer, avg(value) AS value, min(value) AS low, max(value) AS high, count(*) AS pairs, "
        f"min(n) AS n {_where(pairs)} AND ends_with(metric, '_sd') GROUP BY metric, checkpoint, layer "
        "ORDER BY metric, checkpoint, layer",
        _parameters(languages, checkpoints, pairs),
        files,
    )


@in_recipes
def pairs(
    files: Sequence[Path],
    languages: Sequence[str],
    checkpoints: Sequence[str],
    layers: Sequence[int],
    *,
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Return each pair's scores, mean over `layers`: checkpoint, source, target, n and, a metric each, its value and interval.

    Columns `language`, `meaning`, `retrieval` and `language_low`, `language_high`, `meaning_low`, `meaning_high`.
    """
    columns = [f"avg(value) FILTER (metric = '{metric}') AS {name}" for name, metric in SCORES.items()]
    columns += [
        f"avg({bound}) FILTER (metric = '{SCORES[name]}') AS {name}_{bound}" for name in BOUNDED for bound in ("low", "high")
    ]
    return query(
        f"SELECT checkpoint, source, target, min(n) AS n, {', '.join(columns)} {_where(pairs)} "
        "AND list_contains($layers, layer) GROUP BY checkpoint, source, target ORDER BY checkpoint, source, target",
        _parameters(languages, checkpoints, pairs, layers=list(layers)),
        files,
    )
