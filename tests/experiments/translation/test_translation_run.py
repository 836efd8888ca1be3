"""Whole machine-translation checks, tiny: what they leave, and that nothing is trained twice or comes out otherwise."""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.sources import text as xferbench_text
from isogloss.backend.experiments.sources.compute import missing
from isogloss.backend.experiments.sources.source import EmergentSource, Pretraining
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.translation import queries as translation_queries
from isogloss.backend.experiments.translation import shard as translation
from isogloss.backend.experiments.translation.shard import compute
from isogloss.backend.experiments.translation.spec import ParallelText, TranslationSpec
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.settings import Settings
from isogloss.backend.store import bases, details, scores
from isogloss.backend.training.translation.pairs import translation_text
from isogloss.backend.training.translation.pretrain import pretrain
from isogloss.backend.training.translation.tune import tune
from tests.corpora.emergent.utterances import from_utterances
from tests.experiments.training_runs import cancelled_and_taken_up_again, watched
from tests.experiments.translation.small_translation import SmallTranslation, only_cell, run_all, small_translation
from tests.experiments.xferbench.small_xferbench import small_corpus
from tests.training.language_model.language_modelling import tiny_source

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = "full frozen reduced"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallTranslation:
    return small_translation(tmp_path_factory.mktemp("translation"))


@pytest.fixture(scope="module")
def whole(small: SmallTranslation) -> Context:
    """A workspace in which everything was computed at one go."""
    context = small.context("whole")
    run_all(small.spec("emergent en none", SETTINGS), context)
    return context


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was pre-trained and tuned, or gone on with."""
    return watched(translation, monkeypatch)


def values(context: Context, spec: TranslationSpec) -> dict[tuple[str, str, str], float]:
    frame = translation_queries.translations([context.workspace], spec.group, spec.text.corpus, spec.text.pair)
    return {(row.source, row.setting, row.metric): row.value for row in frame.itertuples()}


def test_a_score_is_that_of_pretraining_and_tuning_by_hand(small: SmallTranslation, whole: Context, tmp_path: Path) -> None:
    spec = small.spec("emergent en none", SETTINGS)
    texts = small_corpus().align(["da", "en", "fi"])[1]
    english = xferbench_text.text_corpus(texts["en"], 300)
    sources = {small.of.emergent: tiny_source(), f"{small.of.text}/en": english, "none": None}
    found = values(whole, spec)
    assert len(found) == 3 * 3 * 2
    for place, cell in enumerate(spec.cells().values()):
        corpus = sources[cell.source.key]
        base = None if corpus is None else pretrain(corpus, cell.options, tmp_path / f"base-{place}", device="cpu").model
        text = translation_text(texts["da"], texts["fi"], cell.options)
        again = tune(base, text, cell.setting, cell.options, tmp_path / f"tuned-{place}", device="cpu")
        assert again.chrf is not None
        assert again.bleu is not None
        for metric, beams in (("chrf", again.chrf), ("bleu", again.bleu)):
            assert found[cell.source.key, cell.setting, metric] == (beams[1] + beams[2]) / 2
    assert len({value for (_, _, metric), value in found.items() if metric == "chrf"}) > 6


def test_rows_curves_and_translations_are_kept_and_nothing_else(small: SmallTranslation, whole: Context) -> None:
    spec = small.spec("emergent en none", SETTINGS)
    kept = set(spec.shards()) - set(spec.cells())
    assert len(kept) == 2
    files = {str(path.relative_to(whole.workspace)) for path in whole.workspace.rglob("*") if path.is_file()}
    expected = {f"bases/{key}/{name}" for key in kept for name in ("about.json", "config.json", "model.safetensors")}
    expected |= {f"scores/emergent/{key}.parquet" for key in spec.cells()}
    expected |= {f"details/{key}.parquet" for key in spec.shards()}
    assert {name for name in files if not name.startswith(("tokenizers/", "bases/"))} == {
        name for name in expected if not name.startswith("bases/")
    }
    assert {name for name in expected if name.startswith("bases/")} <= files
    assert list((whole.workspace / "training").iterdir()) == []
    for key, cell in spec.cells().items():
        rows = {row["metric"]: row for row in pq.read_table(scores.shard_path(whole.workspace, "emergent", key)).to_pylist()}
        provenance = details.provenance(key, [whole.workspace])
        assert provenance is not None
        assert set(rows) == {"chrf", "bleu"}
        for metric, row in rows.items():
            assert row["value"] == np.mean([provenance[metric]["1"], provenance[metric]["2"]])
            assert (row["target"], row["corpus"], row["variant"]) == ("da>fi", small.of.text, spec.variant(cell.setting).name)
            assert (row["checkpoint"], row["n"]) == (None if cell.base is None else cell.base.key, 6)
        assert 0 < len(provenance["examples"]) <= 6
        assert set(provenance["examples"][0]) == {"source", "reference", "hypothesis"}
        assert provenance["examples"][0]["reference"] in small_corpus().align(["fi"])[1]["fi"]
        curve = details.load(key, [whole.workspace])
        assert curve is not None
        assert curve["step"].tolist() == list(range(1, len(curve) + 1))
        if cell.base is not None:
            assert details.load(cell.base.key, [whole.workspace]) is not None


def test_nothing_is_computed_twice_and_settings_share_base_models(
    small: SmallTranslation, whole: Context, trainings: list[str]
) -> None:
    spec = small.spec("emergent en none", SETTINGS)
    assert missing(spec, [whole.workspace]) == []
    run_all(spec, whole)
    assert not trainings
    context = small.context("again")
    run_all(small.spec("emergent", "full reduced"), context)
    assert [label.split(" ")[0] for label in trainings] == ["pre-training", "Tiny:", "Tiny:"]
    shutil.rmtree(context.workspace / "bases")
    assert missing(small.spec("emergent", "full reduced"), [context.workspace]) == []
    assert len(missing(small.spec("emergent", "frozen"), [context.workspace])) == 2
    compute(small.spec("emergent", "frozen"), only_cell(small.spec("emergent", "frozen")), context)  # trains its base model
    assert len(trainings) == 5
    assert values(context, spec) == {key: value for key, value in values(whole, spec).items() if key[0] == small.of.emergent}


def test_scores_of_translation_do_not_mix_with_cross_entropies(small: SmallTranslation, whole: Context) -> None:
    assert xferbench_queries.variants([whole.workspace]).empty
    (group,) = translation_queries.groups([whole.workspace]).to_dict("records")
    spec = small.spec()
    assert (group["options"], group["corpus"], group["pair"]) == (spec.group, small.of.text, "da>fi")
    assert (group["sources"], group["settings"], group["seeds"]) == (3, 3, 1)
    runs = translation_queries.runs([whole.workspace, whole.workspace], spec.group, small.of.text, "da>fi")
    assert set(runs["run"]) == set(small.spec("emergent en none", SETTINGS).cells())
    assert runs["base"].isna().tolist() == (runs["source"] == "none").tolist()


def test_cancelled_and_taken_up_again_gives_the_very_scores(small: SmallTranslation, whole: Context) -> None:
    spec = small.spec()
    told, _ = cancelled_and_taken_up_again(
        partial(compute, spec, only_cell(spec)),
        partial(small.context, "cancelled"),
        (
            "reading Tiny",
            "training seed 0: step 3 of",
            "reading Danish",
            "full, training seed 0: step 5 of",
            "translating",
        ),
    )
    assert not any("pre-training" in what for what in told)  # it was over before
    context = small.context("cancelled")
    assert values(context, spec).items() <= values(whole, spec).items()
    assert list((context.workspace / "training").iterdir()) == []


def test_more_symbols_than_embeddings_are_folded(small: SmallTranslation, tmp_path: Path) -> None:
    corpus = from_utterances(np.arange(900).reshape(90, 10).tolist())
    kept = emergent_library.keep(corpus, "Many", tmp_path)
    spec = small.spec(sources="none").model_copy(update={"sources": (EmergentSource(corpus=kept.id),)})
    key = next(iter(spec.shards()))
    compute(spec, key, Context(Settings(workspace=tmp_path, demo=None, device="cpu")))
    provenance = details.provenance(key, [tmp_path])
    assert provenance is not None
    assert provenance["symbols"] == 900 > spec.options("full", 0).architecture.symbols


def test_base_models_say_what_they_took(small: SmallTranslation, whole: Context) -> None:
    pieces = {key: piece for key, piece in small.spec("emergent en").shards().items() if isinstance(piece, Pretraining)}
    abouts = [bases.provenance(folder) for folder in (whole.workspace / "bases").iterdir()]
    assert sorted(about["source"] for about in abouts) == sorted(piece.source.key for piece in pieces.values())
    assert all(provenance["seconds"] > 0 and provenance["flop"] > 0 for provenance in abouts)


def test_what_cannot_be_computed_is_said(small: SmallTranslation) -> None:
    text = ParallelText(corpus=small.of.text, source_language="da", target_language="ja")
    spec = small.spec("none", text=text)
    with pytest.raises(CorpusError, match="no language 'ja'"):
        compute(spec, only_cell(spec), small.context("impossible"))
