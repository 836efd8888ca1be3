"""ABX of vectors without their language, and the worst triplets behind its cells, are of the very same vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import confusions
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
from isogloss.backend.experiments.abx.family import details, details_of_confusions
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.named import corpus_named
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.metrics.abx.confusions import worst_triplets
from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.geometry.language_out import without_language
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from tests.models.tiny import tiny_model

LANGUAGES = ("de", "en", "fr")


@pytest.fixture
def kept(workspace: Path, tmp_path: Path) -> dict[str, Any]:
    rows = [f"s{i}\tThe {i} ferries leave.\tDie {i} Fähren gehen.\tLes {i} ferries partent." for i in range(9)]
    (tmp_path / "mine.tsv").write_text("id\ten\tde\tfr\n" + "\n".join(rows) + "\n", encoding="utf-8")
    corpora.keep(read([InputFile("mine.tsv", tmp_path / "mine.tsv")]), "Mine", workspace)
    tiny_model(tmp_path / "model", "xlm-roberta")
    models.keep(discover(str(tmp_path / "model"), name="Tiny"), workspace)
    return {"checkpoint": models.load_entry("Tiny", [workspace]).checkpoints[0], "corpus": corpus_named("Mine").id}


def vectors(kept: dict[str, Any], removed: Any, layer: int) -> torch.Tensor:
    ids, texts = corpora.load(kept["corpus"], [settings().workspace]).align(LANGUAGES)
    encoded = embeddings.of_corpus(kept["checkpoint"], kept["corpus"], ids, texts, ["mean"], Context(settings()))
    return without_language(encoded.layer(layer, "mean", LANGUAGES, settings(), true_length=True), removed, 2)


@pytest.mark.parametrize("removed", ["mean", "lsar", "lir"])
def test_scores_and_worst_triplets_are_of_the_same_vectors(kept: dict[str, Any], removed: str) -> None:
    common = {"corpus": kept["corpus"], "languages": LANGUAGES, "removed": removed, "rank": 2}
    spec = validate(AbxSpec, common | {"model": "Tiny", "checkpoints": [kept["checkpoint"]]})
    (key,) = spec.shards()
    registry.compute(spec, key, Context(settings()))
    (file,) = scores.shards([settings().workspace], "abx")
    rows = scores.query("SELECT * FROM {scores} WHERE layer = 1 AND metric = 'abx_language'", {}, [file.path])
    taken_out = vectors(kept, removed, 1)
    found = discrimination(taken_out).language
    for row in rows.itertuples():
        assert row.value == pytest.approx(float(found[LANGUAGES.index(row.source), LANGUAGES.index(row.target)]))
    detail = validate(ConfusionsSpec, common | kept | {"layer": 1, "source": "en", "target": "fr", "k": 5})
    registry.compute(detail, detail.id, Context(settings()))
    worst = confusions.of_task(confusions.load(detail, [settings().workspace]), task="meaning", source="en")
    wanted = worst_triplets(taken_out[1], taken_out[2], k=5)["meaning"]
    assert worst["margin"].tolist() == pytest.approx(sorted(each.right - each.wrong for each in wanted), abs=1e-6)


def test_a_run_tells_what_was_taken_out(kept: dict[str, Any]) -> None:
    common = {"corpus": kept["corpus"], "languages": LANGUAGES, "removed": "lsar", "rank": 2}
    spec = validate(AbxSpec, common | {"model": "Tiny", "checkpoints": [kept["checkpoint"]]})
    assert details(spec.model_dump(mode="json"), {})[-2:] == ["LSAR: what means differ in", "2 directions"]
    detail = validate(ConfusionsSpec, common | kept | {"layer": 1, "source": "en", "target": "fr"})
    assert details_of_confusions(detail.model_dump(mode="json"), {})[-2:] == ["LSAR: what means differ in", "2 directions"]
