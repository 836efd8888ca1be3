"""What a value takes on the disk: exact or rounded, with its interval or without, at three levels of compression (1 is used).

    python -m benchmarks.disk [--languages 204] [--layers 33]

The scores of one checkpoint as `benchmarks.scale` makes them, but values are such as exact ABX counts: multiples of
1 / (4n (n − 1)) for n = 997 sentences. Each file holds all columns of a score; the copy pair by pair and the sums beside a
file are not among it.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from benchmarks.dashboard import METRICS
from benchmarks.scale import rows
from isogloss.backend import parquet
from isogloss.backend.store.scores import NUMBERS, SCORES
from isogloss.backend.store.short_bounds import significant, with_columns, with_short_bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS = (1, 3, 19)
SENTENCES = 997
TRIPLETS = 4 * SENTENCES * (SENTENCES - 1)


def made(languages: int, layers: int) -> pa.Table:
    """Return the scores of one checkpoint, in the order in which they are kept."""
    pairs = list(itertools.combinations([f"{place:03d}" for place in range(languages)], 2))
    same = {"run": "0" * 24, "experiment": "abx", "model": "m", "corpus": "c", "variant": "exact/mean"}
    checkpoint: Any = SimpleNamespace(fingerprint="c0", step=1000)
    table = rows(METRICS, layers, pairs, 0, checkpoint, same).cast(SCORES)
    counted = np.rint(table["value"].to_numpy() * TRIPLETS) / TRIPLETS
    return with_columns(table, {"value": counted})


def kinds(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield each way to keep the scores, with its name."""
    bare = table.drop_columns(["low", "high"])
    value = table["value"].to_numpy()
    yield "exact, with bounds in 64 bits", table
    yield "exact, with bounds in 16 bits, outwards: what is kept", with_short_bounds(table)
    yield "exact, without interval", bare
    for bits in (16, 12):
        rounded = {"value": significant(value, bits)}
        for name, away in (("low", np.floor), ("high", np.ceil)):
            rounded[name] = significant(table[name].to_numpy(), 12, away)
        yield f"{bits} bits, with bounds in 12 bits", with_columns(table, rounded)
        yield f"{bits} bits, without interval", with_columns(bare, {"value": rounded["value"]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", type=int, default=204)
    parser.add_argument("--layers", type=int, default=33)
    asked = parser.parse_args()
    table = made(asked.languages, asked.layers)
    group = len(table) // (len(METRICS) * asked.layers)
    heads = " | ".join(f"zstd {level}" for level in LEVELS)
    print(f"{len(table):,} values; bytes of each\n\n| | {heads} |\n|---{'|---' * len(LEVELS)}|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.parquet"
        for name, kept in kinds(table):
            sizes = []
            for level in LEVELS:
                numbers = [each for each in NUMBERS if each in kept.column_names]
                parquet.write_stamped(path, kept, {}, group=group, numbers=numbers, level=level)
                sizes.append(path.stat().st_size / len(kept))
            print(f"| {name} | {' | '.join(f'{size:.2f}' for size in sizes)} |", flush=True)


if __name__ == "__main__":
    main()
