"""A run of geometry: its rows against the metrics themselves, ABX's scores filed beside, files that serve, options, price."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.geometry import queries
from isogloss.backend.experiments.geometry import shard as geometry
from isogloss.backend.experiments.geometry.measures import KINDS, SINCE_SINKS
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.named import corpus_named
from isogloss.backend.experiments.relations.catalogue import catalogue
from isogloss.backend.experiments.relations.cubes import files_of
from isogloss.backend.experiments.spec import Cancelled, Context, validate
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.metrics.geometry.language_out import without_language
from isogloss.backend.metrics.geometry.layer import geometry as measured
from isogloss.backend.metrics.soundness import cosine_and_top_share
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.backend.store.scores import ShardFile
from tests.models.tiny import tiny_model

LANGUAGES = ("de", "en", "fr", "ru")
CHECKPOINT = {"source": "folder", "location": "/models/a", "label": "step 10", "step": 10, "fingerprint": "a" * 24}


@pytest.fixture
def kept(workspace: Path, tmp_path: Path) -> dict[str, Any]:
    """A tiny model and a corpus in a workspace: the fields of a spec of them."""
    draw = np.random.default_rng(0)
    words = ["ferry", "dog", "sun", "leaves", "early", "Fähre", "парома"]
    lines = [[f"s{row}", *(" ".join(draw.choice([*words, tag], 5)) + f" {row}" for tag in LANGUAGES)] for row in range(15)]
    text = "\n".join("\t".join(line) for line in [["id", *LANGUAGES], *lines])
    (tmp_path / "mine.tsv").write_text(text + "\n", encoding="utf-8")
    corpora.keep(read([InputFile("mine.tsv", tmp_path / "mine.tsv")]), "Mine", workspace)
    tiny_model(tmp_path / "model", "xlm-roberta")
    models.keep(discover(str(tmp_path / "model"), name="Tiny"), workspace)
    checkpoints = models.load_entry("Tiny", [workspace]).checkpoints
    return {"model": "Tiny", "checkpoints": checkpoints, "corpus": corpus_named("Mine").id, "languages": LANGUAGES}


def computed(spec: GeometrySpec) -> Any:
    (key,) = spec.shards()
    registry.compute(spec, key, Context(settings()))
    path = next(file.path for file in scores.shards([settings().workspace], "geometry") if file.path.stem == key)
    return scores.query("SELECT * FROM {scores}", {}, [path])


def test_rows_are_the_measures_of_each_layer_with_their_intervals(kept: dict[str, Any]) -> None:
    spec = validate(GeometrySpec, kept | {"k": 3, "removed": "lsar", "rank": 2})
    rows = computed(spec)
    ids, texts = corpora.load(spec.corpus, [settings().workspace]).align(LANGUAGES, None)
    context = Context(settings())
    encoded = embeddings.of_corpus(spec.checkpoints[0], spec.corpus, ids, texts, ["mean"], context)
    vectors = without_language(encoded.layer(1, "mean", LANGUAGES, settings(), true_length=True), "lsar", 2)
    found = measured(vectors, k=3)
    layer = rows[rows["layer"] == 1].set_index(["metric", "source", "target"])["value"]
    for number, (one, other) in enumerate(combinations(LANGUAGES, 2)):
        for metric, each in found.of_pairs.items():
            assert layer[metric, one, other] == pytest.approx(float(each.value[number]), abs=1e-6), metric
    for number, tag in enumerate(LANGUAGES):
        for metric, each in found.of_languages.items():
            assert layer[metric, tag, tag] == pytest.approx(float(each.value[number]), abs=1e-5), metric
    assert set(rows["metric"]) == set(KINDS) - set(SINCE_SINKS)  # these are of the vectors as they are
    assert set(rows["variant"]) == {"mean/3 neighbours/LSAR/rank 2"}
    known = rows.dropna(subset=["value", "low"])
    assert len(known) > 0.9 * len(rows)
    assert (known["low"] <= known["value"] + 1e-12).all()
    assert (known["high"] >= known["value"] - 1e-12).all()


def test_what_rules_vectors_is_a_score_of_each_language(kept: dict[str, Any]) -> None:
    rows = computed(validate(GeometrySpec, kept | {"pooling": "weighted"}))
    (file,) = scores.shards([settings().workspace], "geometry")
    assert set(file.provenance["metrics"]) == set(rows["metric"]) == set(KINDS)
    ids, texts = corpora.load(kept["corpus"], [settings().workspace]).align(LANGUAGES, None)
    encoded = embeddings.of_corpus(kept["checkpoints"][0], kept["corpus"], ids, texts, ["weighted"], Context(settings()))
    of = rows.set_index(["metric", "source", "target", "layer"])
    for tag, vectors in encoded.of["weighted"].items():
        for metric, each in (("sink_ratio", vectors.sinks), ("first_token_share", vectors.first_shares)):
            assert each is not None
            for layer in range(encoded.layers):
                ordered = sorted(each[:, layer].tolist())
                row = of.loc[(metric, tag, tag, layer)]
                # Of 15 coins fewer than 4 show heads in 1.8% of cases, fewer than 5 in 5.9%.
                assert row[["low", "value", "high"]].tolist() == pytest.approx([ordered[3], ordered[7], ordered[-4]], rel=1e-6)
        layers = (encoded.layer(layer, "weighted", [tag], settings()) for layer in range(encoded.layers))
        for layer, of_layer in enumerate(layers):
            row, (_, share, error) = of.loc[("top_dimensions_share", tag, tag, layer)], cosine_and_top_share(of_layer[0])
            assert row[["low", "value", "high"]].tolist() == pytest.approx([share - 1.96 * error, share, share + 1.96 * error])


@pytest.mark.parametrize("removed", ["nothing", "mean"])
def test_abx_of_the_same_pass_is_abx(kept: dict[str, Any], removed: str) -> None:
    spec = validate(GeometrySpec, kept | {"removed": removed})
    computed(spec)
    (filed,) = scores.shards([settings().workspace], "abx")
    same = validate(AbxSpec, kept | {"removed": removed})
    assert filed.path.stem in same.shards()
    beside = scores.query("SELECT * FROM {scores} ORDER BY ALL", {}, [filed.path])
    filed.path.unlink()
    registry.compute(same, filed.path.stem, Context(settings()))
    alone = scores.query("SELECT * FROM {scores} ORDER BY ALL", {}, [filed.path])
    for column in ("metric", "source", "target", "layer", "variant", "value", "low", "high", "n"):
        assert (
            beside[column].tolist() == pytest.approx(alone[column].tolist())
            if column in ("value", "low", "high")
            else (beside[column].tolist() == alone[column].tolist())
        )


def test_scores_that_are_there_are_not_computed_again(kept: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    spec = validate(GeometrySpec, kept)
    computed(spec)
    monkeypatch.setattr(embeddings, "of_corpus", lambda *_: pytest.fail("was computed again"))
    fewer = spec.model_copy(update={"languages": LANGUAGES[:2]})
    registry.compute(fewer, next(iter(fewer.shards())), Context(settings()))
    assert len(scores.shards([settings().workspace], "geometry")) == 1


def test_a_run_that_is_cancelled_stops_and_files_nothing(kept: dict[str, Any]) -> None:
    spec = validate(GeometrySpec, kept)
    with pytest.raises(Cancelled):
        registry.compute(spec, next(iter(spec.shards())), Context(settings(), should_stop=lambda: True))
    assert not scores.shards([settings().workspace], "geometry")


def test_what_serves_a_subset_of_languages_and_what_hangs_on_all_of_them() -> None:
    def served(removed: str, *, complete: bool = True) -> bool:
        common = {"model": "m", "checkpoints": [CHECKPOINT], "corpus": "c" * 24, "removed": removed}
        made = validate(GeometrySpec, common | {"languages": LANGUAGES})
        asked = validate(GeometrySpec, common | {"languages": LANGUAGES[:3]})
        file = ShardFile(Path("f"), made.provenance(made.checkpoints[0]) | {"complete": complete}, 0.0)
        return geometry.covering(asked, asked.checkpoints[0], [file]) is not None

    assert served("nothing")
    assert served("mean")
    assert not served("lsar")  # its directions are of all languages
    assert not served("nothing", complete=False)


def test_abx_without_a_removal_is_stored_as_before_there_was_one() -> None:
    plain = validate(AbxSpec, {"model": "m", "checkpoints": [CHECKPOINT], "corpus": "c" * 24, "languages": LANGUAGES})
    assert not {"removed", "rank"} & set(json.loads(plain.model_dump_json()))
    assert plain.variant == "exact/mean"
    assert plain.model_copy(update={"removed": "lir", "rank": 3}).variant == "exact/mean/LIR/rank 3"


def test_queries_average_layers_and_find_the_highest(kept: dict[str, Any]) -> None:
    rows = computed(validate(GeometrySpec, kept))
    (file,) = scores.shards([settings().workspace], "geometry")
    checkpoint = kept["checkpoints"][0].fingerprint
    found = queries.of_pairs([file.path], LANGUAGES, [checkpoint], [0, 1], "rsa")
    wanted = rows[(rows["metric"] == "rsa") & rows["layer"].isin([0, 1])].groupby(["source", "target"])["value"].mean()
    assert found.set_index(["source", "target"])["value"].to_dict() == pytest.approx(wanted.to_dict())
    assert len(queries.of_pairs([file.path], LANGUAGES, [checkpoint], [0], "rsa", pairs=[("de", "en")])) == 1
    frame = rows[rows["metric"] == "anisotropy"].assign(model="m", position=0, language=rows["source"])
    highest = queries.highest_over_layers(frame, [0, 1])
    wanted = frame[frame["layer"] < 2].groupby("language")["value"].max()
    assert highest.set_index("language")["value"].to_dict() == wanted.to_dict()


def test_relations_has_every_measure_of_pairs_and_of_languages_at_once(kept: dict[str, Any]) -> None:
    computed(validate(GeometrySpec, kept))
    found = {each.metric: each for each in catalogue(files_of([settings().workspace]), []) if each.experiment == "geometry"}
    assert set(found) == set(KINDS)
    assert all(found[metric].own == (kind.of == "language") for metric, kind in KINDS.items())


def test_its_price_is_that_of_its_own_shards(kept: dict[str, Any]) -> None:
    spec = validate(GeometrySpec, kept)
    place = Place((settings().workspace,), "float32")
    (key,) = spec.shards()
    work, of_abx = registry.work(spec, key, place), registry.work(spec.abx, next(iter(spec.abx.shards())), place)
    assert work is not None
    assert of_abx is not None
    assert work.amount == of_abx.amount
    assert work.like[0] != of_abx.like[0]
