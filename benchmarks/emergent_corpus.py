"""Reading, keeping and loading an emergent corpus of 20 million tokens in every format: seconds and peak memory.

    python -m benchmarks.emergent_corpus [--tokens 20000000] [--length 20] [--vocabulary 30000]

Each step runs in a process of its own, whose peak is the most it ever held (`ru_maxrss`), the imports with it. The other side
is a few straightforward lines: `json.loads` of each row, the rows in a list.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.readers import InputFile, Options, read

if TYPE_CHECKING:
    from collections.abc import Callable

FILES: dict[str, Callable[[list[int]], str]] = {
    "arrays.jsonl": json.dumps,
    "objects.jsonl": lambda row: json.dumps({"game": 1, "message": row}),
    "strings.jsonl": lambda row: json.dumps(" ".join(f"w{symbol}" for symbol in row)),
    "integers.txt": lambda row: " ".join(map(str, row)),
    "words.txt": lambda row: " ".join(f"w{symbol}" for symbol in row),
    "table.csv": lambda row: f"1,{' '.join(map(str, row))}",
    "broken.jsonl": json.dumps,  # an empty utterance now and then: no block is sound
    "arrays.jsonl.gz": json.dumps,
}


def write(path: Path, tokens: int, length: int, vocabulary: int) -> None:
    """A corpus whose symbols are drawn from a Zipf-like distribution with a seed."""
    generator = np.random.default_rng(0)
    weights = 1 / (np.arange(vocabulary) + 3.7)
    row_of, count = FILES[path.name], tokens // length
    with gzip.open(path, "wt", 1) if path.suffix == ".gz" else open(path, "w", encoding="utf-8") as out:
        out.write("game,message\n" if path.suffix == ".csv" else "")
        for start in range(0, count, 10_000):
            rows = generator.choice(vocabulary, (min(10_000, count - start), length), p=weights / weights.sum()).tolist()
            rows += [[]] if path.name.startswith("broken") else []
            out.write("".join(f"{row_of(row)}\n" for row in rows))


def step(name: str, path: Path, workspace: Path) -> None:
    """Do one thing and print seconds, peak and what came out."""
    start = time.perf_counter()
    match name:
        case "nothing":
            size = 0
        case "read":
            size = read(
                [InputFile(path.name, path)], Options(field="message" if path.name in ("objects.jsonl", "table.csv") else None)
            ).tokens
        case "plain":
            with open(path, encoding="utf-8") as lines:
                size = sum(map(len, [json.loads(line) for line in lines]))
        case "keep":
            corpus = read([InputFile(path.name, path)])
            start = time.perf_counter()
            size = emergent_library.keep(corpus, "benchmark", workspace).tokens
        case _:
            (entry,) = emergent_library.entries([workspace])
            size = emergent_library.load(entry.id, [workspace]).tokens
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, size]))


def measured(name: str, path: Path, workspace: Path) -> tuple[float, float, int]:
    command = [sys.executable, "-m", "benchmarks.emergent_corpus", "--step", name, str(path), str(workspace)]
    seconds, peak, size = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds, peak, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=20_000_000)
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--vocabulary", type=int, default=30_000)
    parser.add_argument("--only", choices=list(FILES), nargs="*", default=list(FILES))
    parser.add_argument("--step", nargs=3)
    options = parser.parse_args()
    if options.step:
        step(options.step[0], Path(options.step[1]), Path(options.step[2]))
        return
    print(f"load {os.getloadavg()[0]:.0f}; {options.tokens:,} tokens, {options.length} an utterance")
    print(f"{'':28}{'MB':>6}{'seconds':>9}{'peak MiB':>10}")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        tell("imports alone", Path(folder), "nothing", workspace, 0)
        for name in options.only:
            path = Path(folder) / name
            write(path, options.tokens, options.length, options.vocabulary)
            tell(f"read {name}", path, "read", workspace, options.tokens)
            if name == "arrays.jsonl":
                tell("json.loads, a list of lists", path, "plain", workspace, options.tokens)
                tell("keep as Parquet", path, "keep", workspace, options.tokens)
                tell("load from Parquet", path, "load", workspace, options.tokens)
            path.unlink()


def tell(label: str, path: Path, name: str, workspace: Path, expected: int) -> None:
    size = path.stat().st_size / 1e6
    seconds, peak, tokens = measured(name, path, workspace)
    if tokens != expected:
        raise SystemExit(f"{label}: {tokens:,} tokens, not {expected:,}")
    print(f"{label:28}{size:6.0f}{seconds:9.1f}{peak:10.0f}", flush=True)


if __name__ == "__main__":
    main()
