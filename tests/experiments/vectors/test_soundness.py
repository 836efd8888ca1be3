"""What rules the vectors behind scores: through every run that scores sentence vectors, with a planted sink and without."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.named import corpus_named
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.experiments.vectors import soundness
from isogloss.backend.experiments.vectors.soundness import Ruled
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.backend.store import details, scores
from isogloss.backend.store import embeddings as store
from tests.models.planted import SINK, planted_decoder, translations
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.entry import Pooling

LANGUAGES = ("de", "en")
KINDS = {"abx": AbxSpec, "geometry": GeometrySpec, "alignment": SentenceAlignmentSpec}


@pytest.fixture
def corpus(workspace: Path, tmp_path: Path) -> str:
    (tmp_path / "mine.tsv").write_text(translations(), encoding="utf-8")
    corpora.keep(read([InputFile("mine.tsv", tmp_path / "mine.tsv")]), "Mine", workspace)
    return corpus_named("Mine").id


def computed(folder: Path, corpus: str, family: str, pooling: Pooling) -> tuple[str, Any]:
    """Compute a run; return its name and its spec."""
    of = {"model": "Tiny", "checkpoints": discover(str(folder)).checkpoints, "corpus": corpus, "languages": LANGUAGES}
    spec: Any = validate(KINDS[family], of | {"pooling": pooling})
    (key,) = spec.shards()
    registry.compute(spec, key, Context(settings()))
    (file,) = [each for each in scores.shards([settings().workspace], family) if pooling in str(each.provenance["variant"])]
    return file.run, spec


def said(run: str, pooling: Pooling, layers: Any = range(3), languages: Any = LANGUAGES) -> Ruled:
    return soundness.ruled([run], pooling, [settings().workspace], layers=layers, languages=languages)


def meaning(run: str, layer: int) -> float:
    path = scores.shard_path(settings().workspace, "abx", run)
    wanted = "SELECT value FROM {scores} WHERE metric = 'abx_meaning' AND layer = $layer"
    return float(scores.query(wanted, {"layer": layer}, [path])["value"].iloc[0])


@pytest.mark.parametrize("family", list(KINDS))
def test_a_planted_sink_rules_the_mean_and_not_the_mean_without_it(tmp_path: Path, corpus: str, family: str) -> None:
    folder = planted_decoder(tmp_path / "model")
    run, _ = computed(folder, corpus, family, "mean")
    found = said(run, "mean")
    assert found.by_first == (0, 1)  # after the last norm all tokens are as long again
    assert found.by_few == ()
    assert SINK < found.times < 10 * SINK
    assert said(run, "mean", layers=[2]) == said(run, "mean", languages=["fr"]) == Ruled()
    run, _ = computed(folder, corpus, family, "without_first")
    assert said(run, "without_first").by_first == ()


def test_meaning_is_back_without_the_first_token(tmp_path: Path, corpus: str) -> None:
    folder = planted_decoder(tmp_path / "model")
    ruled, without_first = (computed(folder, corpus, "abx", pooling)[0] for pooling in ("mean", "without_first"))
    assert meaning(ruled, 1) < 0.88
    assert meaning(without_first, 1) > 0.94
    found = meaning(without_first, 0)
    for file in scores.shards([settings().workspace], "abx"):
        file.path.unlink()
    plain, _ = computed(planted_decoder(tmp_path / "plain", 0.0), corpus, "abx", "without_first")
    assert found == meaning(plain, 0)  # as if there were no sink


@pytest.mark.parametrize("family", list(KINDS))
def test_nothing_rules_an_ordinary_encoder(tmp_path: Path, corpus: str, family: str) -> None:
    run, _ = computed(tiny_model(tmp_path / "model", "xlm-roberta"), corpus, family, "mean")
    assert said(run, "mean") == Ruled()


def test_the_file_has_a_row_a_layer_and_language_and_its_numbers_are_the_vectors(tmp_path: Path, corpus: str) -> None:
    run, spec = computed(planted_decoder(tmp_path / "model"), corpus, "abx", "mean")
    workspace = settings().workspace
    kept = details.load(soundness.key_of(run), [workspace])
    assert kept is not None
    assert len(kept) == 3 * len(LANGUAGES)
    ids, texts = corpora.load(corpus, [workspace]).align(LANGUAGES)
    for tag in LANGUAGES:
        key = store.EmbeddingKey(spec.checkpoints[0].fingerprint, corpus, tag, "mean", store.sentences_digest(ids))
        vectors = store.load(workspace, key)
        assert vectors is not None
        assert vectors.sinks is not None
        for row in kept[kept["language"] == tag].itertuples():
            assert row.sink == pytest.approx(np.median(vectors.sinks[:, row.layer]))
            units = vectors.vectors[:, row.layer].astype(float)
            units /= np.linalg.norm(units, axis=1, keepdims=True)
            cosines = [units[p] @ units[q] for p in range(len(ids)) for q in range(len(ids)) if p != q]
            assert row.cosine == pytest.approx(np.mean(cosines), abs=1e-5)
            assert row.pieces == pytest.approx(np.mean(vectors.pieces))
            assert row.pieces > np.mean([len(text.split()) for text in texts[tag]])


def test_few_dimensions_rule_where_no_first_token_does(workspace: Path) -> None:
    told = {"pooling": "mean", "sink": 1.0, "first_share": 0.1, "cosine": 0.95, "top_share": 0.9, "pieces": 9.0}
    rows = [told | {"layer": 0, "language": "de"}, told | {"layer": 1, "language": "de", "cosine": 0.8}]
    rows += [told | {"layer": 2, "language": "de", "sink": None, "first_share": None, "top_share": math.nan}]
    rows += [told | {"layer": 3, "language": "de", "sink": 50.0, "first_share": 0.7}]
    soundness.write(Context(settings()), "a", rows, {})
    found = soundness.ruled(["a", "another"], "mean", [workspace], layers=range(4), languages=["de"])
    assert (found.by_first, found.by_few) == ((3,), (0,))
    assert found.carried == pytest.approx(0.9)
