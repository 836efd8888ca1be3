"""A workspace with made-up XferBench scores of two variants: sources of every group, one of which lacks a target."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import recipes
from isogloss.backend.corpora.emergent.corpus import EmergentReport
from isogloss.backend.corpora.emergent.recipes import Recipe
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.xferbench.spec import variant
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES
from isogloss.backend.training.language_model.options import preset
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.made_once import made_once

if TYPE_CHECKING:
    from pathlib import Path

QUICK = variant("quick", preset("quick")).name
RELEASED = variant("quick", preset("quick", protocol="released")).name
ODD = "Odd *name* <b>$x$ 模型"
TARGETS = ("da", "fi", "eu")
LEVELS = {"Human": 5.2, "Mine": 5.5, ODD: 5.6, "Paren": 5.4, "Random": 5.95, "None": 5.8}


def keep_corpora(workspace: Path) -> dict[str, str]:
    """Emergent corpora, and a parallel corpus in four languages; each source's key in scores."""
    found = {"None": "none"}
    for name, rows in (("Mine", [[1, 2], [2, 3, 3]]), (ODD, [[4, 4], [5]])):
        found[name] = emergent_library.keep(from_utterances(rows, None, EmergentReport("x", "integers")), name, workspace).id
    found["Random"] = recipes.make_and_keep(Recipe("random", tokens=50, vocabulary=9), "Random", [workspace]).id
    found["Paren"] = recipes.make_and_keep(Recipe("paren-synth", tokens=50, vocabulary=9), "Paren", [workspace]).id
    found["Human"] = f"{text(workspace)}/en"
    return found


def text(workspace: Path) -> str:
    """A parallel corpus of its own: English and the targets."""
    tags = ("en", *TARGETS)
    path = workspace / "text.tsv"
    lines = ["\t".join(tags), *("\t".join(f"{tag} sentence {i}" for tag in tags) for i in range(20))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    corpus = read([InputFile("text.tsv", path)])
    path.unlink()
    return library.keep(corpus, "Text", workspace).id


@made_once
def fill(workspace: Path) -> dict[str, str]:
    """Corpora and scores; each source's key."""
    keys = keep_corpora(workspace)
    corpus = keys["Human"].partition("/")[0]
    rng = np.random.default_rng(0)
    for name, level in LEVELS.items():
        for place, target in enumerate(TARGETS):
            if (name, target) == ("Paren", "eu"):
                continue
            for seed in (0, 1) if name == "Mine" else (0,):
                value = level + 0.4 * place + 0.03 * rng.standard_normal()
                score(workspace, source=keys[name], corpus=corpus, target=target, seed=seed, value=value)
    score(workspace, source="none", corpus=corpus, target="fi", variant=RELEASED, value=77.0)
    score(workspace, source=keys["Mine"], corpus=corpus, target="fi", variant=RELEASED, value=66.0)
    return keys


def score(workspace: Path, **changes: Any) -> None:
    """One score in a file of its own."""
    late = changes.get("variant", QUICK) == QUICK
    row = {
        "experiment": "emergent",
        "metric": "cross_entropy",
        "model": "quick",
        "checkpoint": None,
        "variant": QUICK,
        "seed": 0,
        "low": np.nan,
        "high": np.nan,
        "n": 999,
        "created_at": dt.datetime(2026 if late else 2025, 1, 1, tzinfo=dt.UTC),
    } | changes
    name = "-".join(str(row[part]).replace("/", "-") for part in ("source", "target", "seed", "variant"))
    row["run"] = name
    options = preset("quick", protocol="released" if "released" in row["variant"] else "correct")
    provenance = {"variant": row["variant"], "options": options.model_dump(mode="json")}
    scores.write(workspace, "emergent", name, pa.Table.from_pylist([row], schema=SCORES), provenance)


def more_human_sources(workspace: Path, keys: dict[str, str]) -> dict[str, str]:
    """Human sources of three scripts in a corpus of their own, scored in every target; their keys by tag."""
    path = workspace / "more.tsv"
    tags = ("fr", "ru", "hi", "zh")
    letters = {"fr": "phrase", "ru": "слово", "hi": "शब्द", "zh": "句子"}
    lines = ["\t".join(tags), *("\t".join(f"{letters[tag]} {i}" for tag in tags) for i in range(20))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    more = library.keep(read([InputFile("more.tsv", path)]), "More", workspace).id
    path.unlink()
    corpus = keys["Human"].partition("/")[0]
    rng = np.random.default_rng(1)
    for tag in tags:
        for place, target in enumerate(TARGETS):
            value = 5.3 + 0.4 * place + 0.1 * rng.standard_normal()
            score(workspace, source=f"{more}/{tag}", corpus=corpus, target=target, value=value)
    return {tag: f"{more}/{tag}" for tag in tags}
