"""Texts that a model cuts are said on the ABX page, whether they were encoded for these scores or for others before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from tests.models.tiny import SENTENCES, tiny_model
from tests.pages.abx.abx_page import open_abx

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.entry import Pooling


@pytest.mark.parametrize("positions", [64, 2000])
def test_texts_that_lost_their_end_are_said_in_one_sentence(workspace: Path, tmp_path: Path, positions: int) -> None:
    model = discover(str(tiny_model(tmp_path / "model", "bert", positions=positions)), name="Tiny *one*")
    models.keep(model, workspace)
    long = " ".join(SENTENCES)
    texts = {"de": [long, "a b", long, "c"], "en": [*SENTENCES[:3], long]}
    rows = [(str(i), tag, text, None) for tag in texts for i, text in enumerate(texts[tag])]
    table = pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=SCHEMA.names).cast(SCHEMA)
    corpus = corpora.keep(ParallelCorpus(table), "Long", workspace)

    def compute(pooling: Pooling) -> None:
        spec = AbxSpec(
            model=model.name, checkpoints=model.checkpoints, corpus=corpus.id, languages=("de", "en"), pooling=pooling
        )
        abx.compute(spec, next(iter(spec.shards())), Context(settings()))

    compute("mean")
    compute("first")  # from what the first pass kept
    provenance = {shard.provenance["pooling"]: shard.provenance for shard in scores.shards([workspace], "abx")}
    cut = 3 if positions == 64 else 0
    assert (provenance["mean"]["truncated"], provenance["first"]["truncated"], provenance["first"]["tokens"]) == (cut, cut, 0)
    for pooling in ("mean", "first"):
        said = [caption.value for caption in open_abx(pooling=pooling).caption if "were truncated" in caption.value]
        expected = r"Tiny \*one\*: 3 of 8 sentences were truncated at the model's maximum length."
        assert said == ([expected] if cut else [])
