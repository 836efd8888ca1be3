"""A run that needs more room for its vectors than there is keeps those of its first checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client
from isogloss.backend.settings import settings
from isogloss.backend.store import embeddings as store
from isogloss.backend.store.embeddings import EmbeddingKey
from tests.jobs.running import SENTENCES, Worker, missing, start, wait


def test_the_first_checkpoints_are_kept(
    workspace: Path, spec: AbxSpec, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [f"{i:04d}" for i in range(SENTENCES)]
    keys = {  # in the order of the checkpoints
        (checkpoint.label, tag, pooling): EmbeddingKey(
            checkpoint.fingerprint, spec.corpus, tag, pooling, store.sentences_digest(ids)
        )
        for checkpoint in spec.checkpoints
        for tag in spec.languages
        for pooling in ("mean", "first")
    }
    config = json.loads((Path(spec.checkpoints[0].location) / "config.json").read_text())
    layers, dims = config["num_hidden_layers"] + 1, config["hidden_size"]
    # Room for two checkpoints, and most of a third: float16 in two poolings.
    monkeypatch.setenv("ISOGLOSS_EMBEDDINGS_GIB", str(2.8 * len(ids) * layers * dims * 2 * 6 / 2**30))
    monkeypatch.setenv("ISOGLOSS_DEVICE", "cpu")
    workers.append(start(workspace))
    client.submit(spec, settings())
    wait(lambda: not missing(spec, workspace))
    kept = [name for name, key in keys.items() if store.exists(workspace, key)]
    assert kept[:6] == list(keys)[:6]
    assert 6 < len(kept) < 18
    assert {label for label, _, _ in kept} <= {each.label for each in spec.checkpoints[:3]}
