"""The benchmark's workspace with made-up machine-translation scores, of two groups, beside its XferBench scores."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.experiments.sources.source import NoPretraining
from isogloss.backend.experiments.translation.spec import ParallelText, TranslationSpec
from isogloss.backend.store import details, scores
from isogloss.backend.store.scores import SCORES
from isogloss.backend.training.translation.options import SETTINGS
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.made_once import made_once

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = {"Human": 48.0, "Mine": 33.0, made.ODD: 30.0, "Random": 2.0, "None": 11.0}
"""chrF in the setting `full`; frozen is two thirds of it, reduced half. Paren has none, and Random no `reduced`."""
SHARES = {"full": 1.0, "frozen": 2 / 3, "reduced": 0.5}
EXAMPLE = {"source": "A <b>$x$ sentence", "reference": "Une phrase", "hypothesis": "Une *phrase*"}
PAIR = "en>da"
ROOM = 508
"""Symbols that 512 embeddings have room for beside the special tokens."""


def group(preset: str = "quick") -> str:
    """Of that preset's scores."""
    text = ParallelText(corpus="c" * 24)
    return TranslationSpec(sources=(NoPretraining(),), text=text, preset=preset).group  # type: ignore[arg-type]


@made_once
def fill(workspace: Path) -> dict[str, str]:
    """Corpora and scores of both kinds; each source's key."""
    keys = made.fill(workspace)
    corpus = keys["Human"].partition("/")[0]
    for name, level in LEVELS.items():
        for setting in SETTINGS:
            if (name, setting) == ("Random", "reduced"):
                continue
            for seed in (0, 1) if name == "Mine" else (0,):
                score(
                    workspace,
                    corpus,
                    keys[name],
                    setting,
                    level * SHARES[setting] + seed,
                    seed=seed,
                    symbols=ROOM + (name == "Random"),
                )
    score(workspace, corpus, "none", "full", 77.0, preset="paper")
    return keys


def score(
    workspace: Path,
    corpus: str,
    source: str,
    setting: str,
    chrf: float,
    *,
    seed: int = 0,
    preset: str = "quick",
    symbols: int = ROOM,
) -> None:
    """What one tuning leaves; its BLEU is a tenth of its chrF."""
    name, digits = group(preset).split("/")
    run = "-".join((source.replace("/", "-"), setting, preset, str(seed)))
    row: dict[str, Any] = {
        "run": run,
        "experiment": "emergent",
        "model": preset,
        "checkpoint": None if source == "none" else f"base-{run}",
        "source": source,
        "target": PAIR,
        "corpus": corpus,
        "variant": f"{name}/{setting}/{digits}",
        "seed": seed,
        "low": np.nan,
        "high": np.nan,
        "n": 150,
        "created_at": dt.datetime(2026 if preset == "quick" else 2025, 1, 1, tzinfo=dt.UTC),
    }
    rows = [row | {"metric": "chrf", "value": chrf}, row | {"metric": "bleu", "value": chrf / 10}]
    scores.write(workspace, "emergent", run, pa.Table.from_pylist(rows, schema=SCORES), {})
    curve = pa.table({"step": pa.array([1, 2, 3], pa.int32()), "loss": [7.0, 5.0, 4.0 - chrf / 100]})
    beams = {str(beam): chrf + beam - 3 for beam in (1, 3, 5)}
    provenance = {"chrf": beams, "bleu": {beam: value / 10 for beam, value in beams.items()}, "examples": [EXAMPLE]}
    details.write(workspace, run, curve, provenance)
    if source != "none":
        provenance = {"symbols": symbols, "options": {"architecture": {"vocabulary": 512}}}
        details.write(workspace, f"base-{run}", curve, provenance)
