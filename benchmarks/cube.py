"""What ABX scores of 204 languages cost: the time and the peak memory of each view, each in a process of its own.

    python -m benchmarks.cube [--checkpoints 4] [--languages 204] [--layers 33] [--code FOLDER ...]

A temporary workspace gets generated scores of two measures and retrieval: 20,706 pairs × 33 layers × 3 are 2 million rows a
checkpoint, and 40 checkpoints are the goal; the number of them made is printed. Asked are the very functions that figures'
recipes call, in each folder of code given (this one where none is), so that versions are compared in one run: the first time,
when files are read, and another time with other arguments, when what was kept serves.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from isogloss.backend.store import older, scores
from isogloss.backend.store.scores import SCORES

METRICS = ("abx_language", "abx_meaning", "retrieval_top1")
ROOT = Path(__file__).resolve().parents[1]
ASKED = ("nothing", "listing", "grid", "by language", "another view", "pair matrix", "pairs over layers", "correlations")
ASKED += ("relations: pairs", "where")


def fill(workspace: Path, languages: int, layers: int, checkpoints: int) -> None:
    """Write a file of scores for each checkpoint."""
    names = [f"{place:03d}" for place in range(languages)]
    pairs = list(itertools.combinations(names, 2))
    metric, layer, pair = (
        axis.ravel() for axis in np.meshgrid(range(len(METRICS)), range(layers), range(len(pairs)), indexing="ij")
    )
    count = len(pair)
    for place in range(checkpoints):
        values = np.clip(0.7 + np.random.default_rng(place).normal(0, 0.05, count), 0, 1)
        run = f"{place:024x}"
        same = {"run": run, "experiment": "abx", "model": "m", "checkpoint": f"c{place}", "step": place, "corpus": "c"}
        same |= {"variant": "exact/mean", "created_at": dt.datetime.now(dt.UTC), "n": 1000, "seed": None}
        own = {
            "metric": pa.DictionaryArray.from_arrays(pa.array(metric, pa.int32()), list(METRICS)).cast(pa.string()),
            "layer": pa.array(layer, pa.int16()),
            "source": pa.array(np.array([a for a, _ in pairs], object)[pair]),
            "target": pa.array(np.array([b for _, b in pairs], object)[pair]),
            "value": values,
            "low": values - 0.01,
            "high": values + 0.01,
        }
        repeated = {name: pa.repeat(pa.scalar(value, SCORES.field(name).type), count) for name, value in same.items()}
        table = pa.table({name: (repeated | own)[name] for name in SCORES.names}).cast(SCORES)
        said = {"fingerprint": f"c{place}", "corpus": "c", "languages": names, "variant": "exact/mean", **older.TODAY}
        scores.write(workspace, "abx", run, table, said)


def ask(what: str, workspace: Path, checkpoints: int, layers: int, languages: int) -> list[float]:
    """Return how many seconds the first answer took, and another with other arguments."""
    try:
        from isogloss.backend.experiments.abx import arrays as queries  # before there was one program
    except ImportError:
        from isogloss.backend.experiments.abx import queries
    from isogloss.backend.experiments.abx import correlations
    from isogloss.backend.experiments.relations.correlations import everywhere
    from isogloss.backend.experiments.relations.reading import Question, Reading, Scored
    from isogloss.backend.experiments.relations.tables import table

    files = sorted((workspace / "scores" / "abx").glob("*.parquet"))
    prints, names = [f"c{place}" for place in range(checkpoints)], [f"{place:03d}" for place in range(languages)]

    def question(layer: object) -> Question:
        readings = {
            name: Reading(
                of=Scored(
                    experiment="abx",
                    metric=metric,
                    corpus="c",
                    variant="exact/mean",
                    checkpoints=tuple(prints),
                    steps=tuple(range(checkpoints)),
                ),
                layer=layer,
            )
            for name, metric in zip("xy", METRICS, strict=False)
        }
        return Question(unit="pair", readings=readings)

    def correlated(over: list[int]) -> object:
        if hasattr(correlations, "of_files"):
            return correlations.of_files(files, names, prints, over)
        return correlations.of_means(queries.pair_means(files, names, prints, over))

    half = list(range(layers // 2))
    asked = {
        "nothing": [lambda: None, lambda: None],
        "listing": [lambda: scores.shards([workspace], "abx")] * 2,
        "grid": [lambda: queries.grid(files, names, prints), lambda: queries.grid(files, names[1:], prints)],
        "by language": [
            lambda: queries.by_language(files, names, prints, half),
            lambda: queries.by_language(files, names, prints, [1]),
        ],
        "another view": [
            lambda: queries.grid(files, names, prints),
            lambda: queries.by_language_and_layer(files, names, prints),
        ],
        "pair matrix": [lambda n=n: queries.pairs(files[:1], names, prints[:1], [n]) for n in (3, 4)],
        "pairs over layers": [lambda n=n: queries.pairs(files[:1], names, prints[:1], list(range(n))) for n in (layers, 5)],
        "correlations": [lambda: correlated(half), lambda: correlated([1, 2])],
        "relations: pairs": [lambda: table(question("mean"), [workspace]), lambda: table(question(3), [workspace])],
        "where": [lambda: everywhere(question("each"), [workspace], "x", "y")],
    }[what]
    times = []
    for each in asked:
        started = time.perf_counter()
        each()
        times.append(time.perf_counter() - started)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("checkpoints", 4), ("languages", 204), ("layers", 33)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--code", type=Path, nargs="*", default=[ROOT])
    parser.add_argument("--only", choices=ASKED, nargs="*", default=ASKED)
    parser.add_argument("--ask", choices=ASKED)
    parser.add_argument("--workspace", type=Path)
    options = parser.parse_args()
    size = options.checkpoints, options.layers, options.languages
    if options.ask:
        times = ask(options.ask, options.workspace, *size)
        status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage counts the parent's before the fork
        peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
        print(json.dumps({"times": times, "peak": peak, "busy": time.process_time()}))
        return
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        fill(Path(folder), options.languages, options.layers, options.checkpoints)
        written = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet")) / 1e6
        print(f"{options.checkpoints} of 40 checkpoints, {written:.0f} MB, written in {time.perf_counter() - started:.0f} s\n")
        print("| asked | code | first, s | other, s | processor, s | peak, MB |\n|---|---|---|---|---|---|")
        for what in options.only:
            for code in options.code:
                command = [sys.executable, "-P", __file__, "--ask", what, "--workspace", folder]
                command += [f"--{name}={getattr(options, name)}" for name in ("checkpoints", "layers", "languages")]
                made = subprocess.run(
                    command, cwd=code, env=os.environ | {"PYTHONPATH": str(code)}, capture_output=True, text=True, check=False
                )
                if made.returncode:
                    print(f"| {what} | {code.name} | failed ({made.returncode}): {made.stderr.strip()[-80:]} | | | |")
                    continue
                said = json.loads(made.stdout)
                first, *other = (f"{each:.2f}" for each in said["times"])
                print(f"| {what} | {code.name} | {first} | {', '.join(other)} | {said['busy']:.1f} | {said['peak']:.0f} |")


if __name__ == "__main__":
    main()
