"""What each sentence contributes to ABX scores: one file of details a checkpoint, for paired intervals of differences.

A row a measure, layer and pair of languages: the outcomes (+1 right, -1 wrong) of the triplets that a sentence takes part in,
summed over both directions, a whole number a sentence. 36 languages at 13 layers of 998 sentences are 65 MB, packed half of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.store import details, quarantine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.metrics.abx.exact import Sums

Pair = tuple[str, str]
SCHEMA = pa.schema(
    [("metric", pa.string()), ("layer", pa.int16()), ("source", pa.string()), ("target", pa.string()), ("sums", pa.binary())]
)


def rows(layer: int, pairs: Sequence[Pair], sums: Sums) -> list[dict[str, Any]]:
    """Return the rows of one layer, `pairs` in the order of the sums."""
    layer_rows = []
    for metric, counts in (("abx_language", sums.language.numpy()), ("abx_meaning", sums.meaning.numpy())):
        packed = counts.astype(_type(counts.shape[1]))
        for (source, target), each in zip(pairs, packed, strict=True):
            named = {"metric": metric, "layer": layer, "source": source, "target": target}
            layer_rows.append(named | {"sums": each.tobytes()})
    return layer_rows


def write(workspace: Path, key: str, rows: Sequence[Mapping[str, Any]], provenance: Mapping[str, Any]) -> Path:
    """Publish the rows of one checkpoint; `provenance` has the number of `sentences`."""
    return details.write(workspace, key, pa.Table.from_pylist(list(rows), SCHEMA), provenance)


def there(key: str, workspaces: Sequence[Path]) -> Path | None:
    """Return the file of this key from the first workspace that has one."""
    return next((path for each in workspaces if (path := details.path(each, key)).is_file()), None)


def contributions(
    path: Path, metric: str, pairs: Sequence[Pair], by_language: bool
) -> tuple[int, dict[tuple[int, str], NDArray[np.float64]]]:
    """Return the number of sentences, and (layer, language) → the mean of the sums `[sentences]` over its `pairs`.

    Over all `pairs`, at the language "", where not `by_language`. Nothing of a damaged file, which is set aside.
    """
    return _contributions(path, path.stat().st_mtime_ns, metric, tuple(pairs), by_language)


@lru_cache(maxsize=128)
def _contributions(
    path: Path, _modified: int, metric: str, pairs: tuple[Pair, ...], by_language: bool
) -> tuple[int, dict[tuple[int, str], NDArray[np.float64]]]:
    if (whole := quarantine.read(path.parents[1], path)) is None:  # damaged: set aside, and offered to be computed again
        return 0, {}
    table, provenance = whole
    n = int(provenance["sentences"])
    wanted, kind = set(pairs), _type(n)
    totals: dict[tuple[int, str], NDArray[np.float64]] = {}
    counts: dict[tuple[int, str], int] = {}
    for row in table.to_pylist():
        if row["metric"] != metric or (row["source"], row["target"]) not in wanted:
            continue
        sums = np.frombuffer(row["sums"], kind).astype(np.float64)
        for language in (row["source"], row["target"]) if by_language else ("",):
            at = (row["layer"], language)
            totals[at] = totals[at] + sums if at in totals else sums
            counts[at] = counts.get(at, 0) + 1
    return n, {at: total / counts[at] for at, total in totals.items()}


def _type(sentences: int) -> np.dtype[Any]:
    """Return the least type for sums over two directions: a sentence takes part in 2 (n − 1) triplets of each."""
    return np.dtype("<i2" if 4 * (sentences - 1) <= np.iinfo(np.int16).max else "<i4")
