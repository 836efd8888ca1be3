"""How long `import isogloss` takes, and `isogloss.scores` of a workspace with a million rows: printed, best of some.

python -m benchmarks.public_interface [--rows 1000000]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

import isogloss
from isogloss.backend.store import scores

TIMES = 5
METRICS, LAYERS = ("abx_language", "abx_meaning", "retrieval_top1"), 13
IMPORT = "import time; start = time.perf_counter(); import isogloss; print(time.perf_counter() - start)"


def fill(workspace: Path, rows: int) -> int:
    """Write checkpoints of 36 languages × 13 layers × 3 measures until there are so many rows; returns how many there are."""
    tags = [f"{a}{b}" for a, b in islice(combinations("abcdefghijkl", 2), 36)]
    pairs, draw, written = list(combinations(sorted(tags), 2)), np.random.default_rng(0), 0
    while written < rows:
        number = written // (len(pairs) * LAYERS * len(METRICS))
        fingerprint, model = f"{number:024x}", f"Model {number % 5}"
        made = [
            {"metric": metric, "layer": layer, "source": a, "target": b, "value": value, "low": 0.0, "high": 1.0, "n": 998}
            for metric in METRICS
            for layer in range(LAYERS)
            for (a, b), value in zip(pairs, draw.random(len(pairs)), strict=True)
        ]
        said: dict[str, Any] = {"checkpoint": fingerprint, "corpus": "c" * 24, "variant": "exact/mean"}
        table = scores.table(made, run=fingerprint, family="abx", model=model, step=1000 * number, **said)
        footer = {"experiment": "abx", "fingerprint": fingerprint, "languages": tags, "model": model, "label": f"step {number}"}
        scores.write(workspace, "abx", fingerprint, table, footer | {"corpus": "c" * 24, "variant": "exact/mean"})
        written += len(made)
    return written


def best(what: str, **filters: Any) -> None:
    taken = []
    for _ in range(TIMES):
        start = time.perf_counter()
        found = isogloss.scores(**filters)
        taken.append(time.perf_counter() - start)
    print(f"{what}: {len(found):,} rows, {min(taken):.3f} s at best, {taken[0]:.3f} s at first")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=1_000_000)
    rows = arguments.parse_args().rows
    imports = [float(subprocess.check_output([sys.executable, "-c", IMPORT], text=True)) for _ in range(TIMES)]
    print(f"import isogloss: {min(imports):.4f} s at best, {max(imports):.4f} s at worst")
    with tempfile.TemporaryDirectory() as folder:
        print(f"{fill(Path(folder), rows):,} rows are there")
        best("one measure and layer", measure="abx_meaning", layers=6, workspace=folder)
        best("one model", model="Model 1", workspace=folder)
        best("three languages", languages=["ab", "ac", "ad"], workspace=folder)
        best("all", workspace=folder)


if __name__ == "__main__":
    main()
