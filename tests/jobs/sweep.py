"""Work for workers: a model of some checkpoints, and text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from tests.jobs.running import CHECKPOINTS, SENTENCES
from tests.models.tiny import tiny_model


def sweep(workspace: Path, folder: Path, checkpoints: int = CHECKPOINTS, sentences: int = SENTENCES) -> AbxSpec:
    """Checkpoints of a tiny model in `folder`, and a corpus of three languages: a shard of 400 sentences takes a second."""
    for step in range(checkpoints):
        tiny_model(folder / f"checkpoint-{step}", "xlm-roberta", seed=step)
    model = discover(str(folder), name="tiny")
    models.keep(model, workspace)
    words = ["ferry", "harbour", "storm", "children", "Fähre", "Hafen", "Sturm", "паром", "буря", "渡轮"]
    random = np.random.default_rng(0)
    rows = [
        {
            "sentence_id": f"{i:04d}",
            "language": language,
            "text": f"{i} " + " ".join(random.choice(words, 12)),
            "document_id": None,
        }
        for language in ("de", "en", "ru")
        for i in range(sentences)
    ]
    corpus = ParallelCorpus(pa.Table.from_pylist(rows, SCHEMA), ReadReport("table", {}))
    entry = corpora.keep(corpus, "words", workspace)
    return AbxSpec(model=model.name, checkpoints=model.checkpoints, corpus=entry.id, languages=("de", "en", "ru"))
