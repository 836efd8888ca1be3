"""Paired differences of geometry: against the metric's own from both checkpoints' vectors, and what is kept for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.compared import SIDE, difference
from isogloss.backend.experiments.geometry import compared, sentences
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.metrics.geometry.layer import geometry
from isogloss.backend.metrics.geometry.paired import difference_interval
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import details, scores
from tests.experiments.geometry.test_geometry_shards import LANGUAGES
from tests.experiments.geometry.test_geometry_shards import kept as kept
from tests.models.tiny import tiny_model


def computed(spec: GeometrySpec) -> list[Path]:
    for key in spec.shards():
        registry.compute(spec, key, Context(settings()))
    return [file.path for file in scores.shards([settings().workspace], "geometry")]


@pytest.fixture
def two(kept: dict[str, Any], tmp_path: Path) -> tuple[GeometrySpec, GeometrySpec]:
    """The same spec of two models of other random weights."""
    tiny_model(tmp_path / "other", "xlm-roberta", seed=1)
    models.keep(discover(str(tmp_path / "other"), name="Other"), settings().workspace)
    other = {"model": "Other", "checkpoints": models.load_entry("Other", [settings().workspace]).checkpoints}
    more = {"k": 3, "per_sentence": True}
    return validate(GeometrySpec, kept | more), validate(GeometrySpec, kept | other | more)


def differences(two: tuple[GeometrySpec, GeometrySpec], files: list[Path], metric: str) -> Any:
    """The rows of one measure's differences, as the page makes them."""
    fingerprints = [spec.checkpoints[0].fingerprint for spec in two]
    rows = abx_queries.by_language_and_layer(files, LANGUAGES, fingerprints)
    rows = rows[rows["metric"] == metric]
    rows[SIDE] = rows["checkpoint"].map(dict(zip(fingerprints, "AB", strict=True)))
    found = difference(rows, keys=["language", "layer"], names=["A", "B"], bounds=KINDS[metric].measure.bounds)
    keys = [compared.key_of(spec, spec.checkpoints[0], [settings().workspace]) for spec in two]
    kept = {fingerprint: key for fingerprint, key in zip(fingerprints, keys, strict=True) if key}
    return found, compared.paired(found, kept=kept, metric=metric, names=["A", "B"], workspaces=[settings().workspace])


@pytest.mark.parametrize("metric", sentences.PAIRED)
def test_each_cell_is_that_of_the_vectors(two: tuple[GeometrySpec, GeometrySpec], metric: str) -> None:
    files = computed(two[0]) + computed(two[1])[1:]
    widest, found = differences(two, sorted(set(files)), metric)
    ids, texts = corpora.load(two[0].corpus, [settings().workspace]).align(LANGUAGES, None)
    whole = []
    for spec in two:
        encoded = embeddings.of_corpus(spec.checkpoints[0], spec.corpus, ids, texts, ["mean"], Context(settings()))
        vectors = encoded.layer(1, "mean", LANGUAGES, settings(), true_length=True)
        whole.append(geometry(vectors, k=3, per_sentence=True).away[metric].numpy())
    some = found[found["layer"] == 1]
    assert list(some["language"]) == list(LANGUAGES)
    for place, row in enumerate(some.to_dict("records")):
        sides = [(row[side], away[place]) for side, away in zip("AB", whole, strict=True)]
        low, high, freedom = difference_interval(KINDS[metric].scale, sides[0], sides[1], KINDS[metric].measure.bounds)
        wide = widest[(widest["language"] == row["language"]) & (widest["layer"] == 1)].iloc[0]
        if row["interval"] == "paired":
            assert (row["low"], row["high"]) == pytest.approx((float(low), float(high)), rel=0.01, abs=1e-3)
            assert row["freedom"] == freedom
            assert row["high"] - row["low"] <= wide["high"] - wide["low"]
        else:
            assert float(high - low) > 0.99 * (wide["high"] - wide["low"])
    assert (found["interval"] == "paired").any()


def test_what_sentences_do_is_kept_where_it_is_asked_and_scores_are_there_already(two: Any, kept: dict[str, Any]) -> None:
    plain = validate(GeometrySpec, kept | {"k": 3})
    (scored,) = computed(plain)
    before = scored.read_bytes()
    assert compared.key_of(plain, plain.checkpoints[0], [settings().workspace]) is None
    assert computed(two[0]) == [scored]  # its scores are those
    assert scored.read_bytes() == before
    key = compared.key_of(plain, plain.checkpoints[0], [settings().workspace])
    assert key in two[0].shards()
    assert key not in plain.shards()
    written = details.path(settings().workspace, str(key)).stat()
    computed(two[0])
    assert details.path(settings().workspace, str(key)).stat() == written  # nothing is done again
    assert compared.key_of(plain.model_copy(update={"k": 4}), plain.checkpoints[0], [settings().workspace]) is None


def test_without_scores_both_are_published(two: tuple[GeometrySpec, GeometrySpec], kept: dict[str, Any]) -> None:
    (scored,) = computed(two[0])
    assert scored.stem in validate(GeometrySpec, kept | {"k": 3}).shards()  # as if it had not been asked
    assert len(scores.shards([settings().workspace], "abx")) == 1
    (provenance,) = (each.provenance for each in scores.shards([settings().workspace], "geometry"))
    assert "per_sentence" not in provenance


def test_one_side_alone_or_a_damaged_file_leaves_the_widest(
    two: tuple[GeometrySpec, GeometrySpec], kept: dict[str, Any]
) -> None:
    plain = two[1].model_copy(update={"per_sentence": False})
    files = sorted({*computed(two[0]), *computed(plain)})
    assert set(differences(two, files, "cka")[1]["interval"]) == {"widest"}
    computed(two[1])
    assert "paired" in set(differences(two, files, "cka")[1]["interval"])
    (key,) = two[1].shards()
    path = details.path(settings().workspace, key)
    path.write_bytes(path.read_bytes()[:-200] + b"x" * 200)
    assert set(differences(two, files, "cka")[1]["interval"]) == {"widest"}
    assert not path.exists()


def test_what_is_kept_is_what_was_measured_to_a_thousandth() -> None:
    import torch

    draw = np.random.default_rng(0)
    away = {metric: torch.from_numpy(draw.standard_normal((3, 50)).astype(np.float32) * 1e-4) for metric in sentences.PAIRED}
    away["cka"][1] = torch.nan
    away["rsa"][2] = 0
    sentences.write(settings().workspace, "k" * 24, sentences.rows(4, away), ("a", "b", "c"), {"sentences": 50})
    for metric, each in away.items():
        found = sentences.load("k" * 24, metric, [settings().workspace])
        assert found is not None
        assert found.at(5, "ab").shape == (2, 0)
        again = found.at(4, "cabd")
        assert np.isnan(again[3]).all()
        for row, place in enumerate((2, 0, 1)):
            if metric == "cka" and place == 1:
                assert np.isnan(again[row]).all()
            else:
                np.testing.assert_allclose(again[row], each[place], atol=1e-3 * float(each[place].abs().max()))
