"""Workers that are killed when a test is over, and work for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from backend.corpora.parallel import library as corpora
from backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport
from backend.experiments.abx.shard import AbxSpec
from backend.jobs import client, seen, starter
from backend.models.library import library as models
from backend.models.library.discover import discover
from tests.jobs.running import CHECKPOINTS, Worker, end
from tests.models.tiny import tiny_model


@pytest.fixture
def workers(workspace: Path) -> Iterator[list[Worker]]:
    started: list[Worker] = []
    yield started
    for worker in started:
        end(worker)
    client._connection.cache_clear()
    seen.forget()
    starter._started.clear()


@pytest.fixture
def spec(workspace: Path, tmp_path: Path) -> AbxSpec:
    """Six checkpoints of a tiny model, and a corpus of three languages large enough that a shard takes a moment."""
    for step in range(CHECKPOINTS):
        tiny_model(tmp_path / "model" / f"checkpoint-{step}", "xlm-roberta", seed=step)
    model = discover(str(tmp_path / "model"), name="tiny")
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
        for i in range(400)
    ]
    corpus = ParallelCorpus(pa.Table.from_pylist(rows, SCHEMA), ReadReport("table", {}))
    entry = corpora.keep(corpus, "words", workspace)
    return AbxSpec(model=model.name, checkpoints=model.checkpoints, corpus=entry.id, languages=("de", "en", "ru"))
