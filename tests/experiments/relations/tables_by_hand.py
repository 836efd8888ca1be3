"""A table of scores of invented families, and what is asked of it answered with pandas, row by row."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd

from isogloss.backend.experiments.relations.reading import Reading, Scored
from isogloss.backend.store import scores
from tests.footers import footer

LANGUAGES = ("ar", "de", "en", "fi", "hi", "tr")
CHECKPOINTS = ("c0", "c1", "c2")
STEPS = (0, 100, 200)
LAYERS = (0, 1, 2)


def write(workspace: Path, family: str, metric: str, rows: list[dict], shard: str = "0" * 24, **common) -> None:
    """One shard of scores; what `rows` lack is the same in all."""
    named = {"model": "Own", "corpus": "corpus", "variant": "v", "checkpoint": "c0"} | common
    table = scores.table([{"metric": metric} | row for row in rows], run=shard, family=family, **named)
    scores.write(workspace, family, shard, table, footer(family))


def fill(workspace: Path, seed: int = 0) -> None:
    """A symmetric measure at every layer (`form`), a directed one without layers (`task`), at every checkpoint."""
    random = np.random.default_rng(seed)
    pairs = list(itertools.combinations(LANGUAGES, 2))
    for i, (checkpoint, step) in enumerate(zip(CHECKPOINTS, STEPS, strict=True)):
        symmetric = [
            {"layer": layer, "source": a, "target": b, "value": random.random()}
            for layer in LAYERS
            for a, b in pairs
            if (layer, a, b) != (1, "de", "en")
        ]
        write(workspace, "one", "form", symmetric, f"{i:024d}", checkpoint=checkpoint, step=step)
        directed = [
            {"source": a, "target": b, "seed": seed, "value": random.random()}
            for a, b in itertools.product(LANGUAGES[:4], LANGUAGES)
            for seed in (0, 1)
        ]
        write(workspace, "two", "task", directed, f"{i:024d}", checkpoint=checkpoint, step=step)


def reading(metric: str, **how) -> Reading:
    experiment = {"form": "one", "task": "two"}[metric]
    of = Scored(experiment=experiment, metric=metric, corpus="corpus", variant="v", checkpoints=CHECKPOINTS, steps=STEPS)
    return Reading(of=of, **how)


def frame(workspace: Path) -> pd.DataFrame:
    """Everything in the table, a row a score, seeds averaged; symmetric scores both ways."""
    found = pd.concat([pd.read_parquet(path) for path in (workspace / "scores").rglob("*.parquet")])
    keys = ["metric", "checkpoint", "layer", "source", "target"]
    found = found.groupby(keys, dropna=False, as_index=False)["value"].mean()
    mirrored = found[found["metric"] == "form"].rename(columns={"source": "target", "target": "source"})
    return pd.concat([found, mirrored], ignore_index=True)
