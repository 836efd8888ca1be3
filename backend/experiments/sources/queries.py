"""Query the scores of models that were tuned after pre-training on a source, with the parts of their variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from isogloss.backend import listing
from isogloss.backend.byte_cache import ByteCache
from isogloss.backend.experiments.sources.rows import FAMILY
from isogloss.backend.experiments.sources.same_texts import same_texts
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TEXT = {
    *("run", "base", "source", "corpus", "target", "pair", "metric", "setting"),
    *("variant", "preset", "protocol", "digits", "options"),
}
"""Columns that hold text; the others hold numbers."""

# Files say in their footers what their variant is made of; of those from before it is read from the variant.
NAMED = """
WITH parts AS (
  SELECT unnest($run) AS run, unnest($preset)::VARCHAR AS preset, unnest($mode)::VARCHAR AS mode,
    unnest($digits)::VARCHAR AS digits, unnest($text)::VARCHAR AS text
)
SELECT rows.* REPLACE (coalesce(split_part(parts.text, '/', 1), corpus) AS corpus),
  coalesce(parts.preset, split_part(variant, '/', 1)) AS preset,
  coalesce(parts.mode, split_part(variant, '/', 2)) AS mode, coalesce(parts.digits, split_part(variant, '/', 3)) AS digits
FROM {scores} AS rows LEFT JOIN parts USING (run)
"""
LIMIT = 32 << 20
"""Bytes of rows kept in memory: a source and target is one row of a file of its own, and 2,600 files take a second to open."""
_ROWS: ByteCache[pa.Table] = ByteCache(LIMIT, lambda rows: rows.nbytes)


def score_files(workspaces: Sequence[Path], **_: object) -> tuple[tuple[str, float | str], ...]:
    """Return what the answer of every query here depends on: the score files, when each was published, and equal texts."""
    return listing.once(("score files", *workspaces), lambda: _score_files(workspaces))


def _score_files(workspaces: Sequence[Path]) -> tuple[tuple[str, float | str], ...]:
    files = scores.shards(workspaces, FAMILY)
    return (*((str(file.path), file.modified) for file in files), *same_texts(workspaces, files).items())


def query(sql: str, parameters: Mapping[str, str], workspaces: Sequence[Path], columns: Sequence[str]) -> pd.DataFrame:
    """Run `sql` over `named`, the scores with `preset`, `mode` and `digits` of their variant.

    A text that is the same in two corpora has one `corpus` (`same_texts`), a file that lies in two workspaces counts once.
    Without files the frame has `columns` and no row.
    """
    if not scores.shards(workspaces, FAMILY):
        return pd.DataFrame({name: pd.Series(dtype=object if name in TEXT else float) for name in columns})
    return scores.query_kept(sql, parameters, named=_ROWS.get(score_files(workspaces), lambda: _named(workspaces)))


def _named(workspaces: Sequence[Path]) -> pa.Table:
    every = scores.shards(workspaces, FAMILY)
    files = list({file.path.name: file for file in reversed(every)}.values())
    parts = {name: [file.provenance.get(name) for file in files] for name in ("preset", "mode", "digits")}
    same = same_texts(workspaces, every)
    parts["text"] = [same.get(str(file.provenance.get("target"))) for file in files]
    return scores.query_table(NAMED, parts | {"run": [file.run for file in files]}, [file.path for file in files])
