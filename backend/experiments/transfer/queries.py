"""Query the errors of fine-tuning runs from their records, and the similarity of languages from scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.store.scores import query

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COLUMNS = (
    *("run", "source", "step", "epoch", "target", "train_error", "translated_error", "target_error", "source_error"),
    *("n", "n_target", "n_source"),
)
TEXT = {"run", "source", "target"}

# Counts are whole, so that errors / n is the very float64 that the formulas' window edges are made for.
ERRORS = """
WITH rows AS (
  SELECT run, source, step, epoch, split, language, errors / n AS error, n FROM {scores}
  WHERE list_contains($languages, language) OR language = source
),
points AS (SELECT run, source, step, epoch, error AS train_error, n FROM rows WHERE split = 'train' AND language = source),
targets AS (SELECT DISTINCT run, language AS target FROM rows WHERE list_contains($languages, language))
SELECT points.run, points.source, points.step, points.epoch, target, train_error,
  translated.error AS translated_error, validated.error AS target_error, own.error AS source_error, points.n,
  validated.n AS n_target, own.n AS n_source
FROM points JOIN targets USING (run)
LEFT JOIN rows AS translated ON translated.run = points.run AND translated.step = points.step
  AND translated.language = target AND translated.split = 'train'
LEFT JOIN rows AS validated ON validated.run = points.run AND validated.step = points.step
  AND validated.language = target AND validated.split = 'validation'
LEFT JOIN rows AS own ON own.run = points.run AND own.step = points.step
  AND own.language = points.source AND own.split = 'validation'
ORDER BY points.run, points.step, target
"""
SIMILARITIES = """
SELECT metric, layer, source, target, value, low, high, n FROM {scores}
WHERE experiment = 'similarity' AND list_contains($keys, run || ' ' || source || ' ' || target)
ORDER BY metric, layer, source, target
"""


def errors(files: Sequence[Path], languages: Sequence[str]) -> pd.DataFrame:
    """Errors at each record point: a row a run, point and target (one of `languages`), in this order; columns `COLUMNS`.

    `train_error` is the source's on its training examples, `translated_error` the target's on their translations,
    `target_error` the target's on the validation examples and `source_error` the source's; shares, 0 to 1, nan where the point
    was not evaluated. `n` are training examples, `n_target` and `n_source` validation
    ones. The source is a target too where `languages` have it. A run whose file lies in two workspaces counts once.
    """
    files = list({file.name: file for file in reversed(files)}.values())
    if not files:
        return pd.DataFrame({name: pd.Series(dtype=object if name in TEXT else float) for name in COLUMNS})
    return query(ERRORS, {"languages": list(languages)}, files)


def similarities(files: Sequence[Path], wanted: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """Similarity of languages: a row a metric, layer and pair: metric, layer, source, target, value, low, high, n.

    `wanted` are (run, source, target): which file serves which pair, so that none is there twice.
    """
    return query(SIMILARITIES, {"keys": [" ".join(key) for key in wanted]}, files)
