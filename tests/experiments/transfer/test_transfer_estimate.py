"""Prices of fine-tuning: passes counted against a plain recount, the pace of earlier runs, what makes a run dearer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.corpora.parallel import library as corpora
from backend.corpora.tasks import library as tasks
from backend.experiments.estimate import STARTING_SECONDS, sentence_retrieval
from backend.experiments.transfer.price import (
    RUN_SECONDS,
    language_similarity,
    missing,
    of_runs,
    of_step,
    passes_of,
    transfer,
    transfer_weights,
)
from backend.experiments.transfer.similarity import LanguageSimilaritySpec
from backend.experiments.transfer.spec import TransferSpec
from backend.experiments.transfer.weights import TransferWeightsSpec
from backend.models.entry import Checkpoint, Model
from backend.models.library import library as models
from backend.settings import DEMO
from backend.store import records, scores
from backend.store.records import RecordFile
from backend.training.finetune.options import FinetuneOptions
from tests.experiments.devices import cpu, encoding
from tests.pages.transfer.transfer_workspace import fill, small_task

SPEED = cpu(229e9)
ONE = Checkpoint(source="folder", location="/m", label="m", fingerprint="f")
MODEL = Model(name="m", architecture="bert", layers=12, dims=768, parameters=278_000_000, checkpoints=(ONE,))


def entry() -> Any:
    from backend.corpora.tasks.library import _entry

    return _entry(small_task(), "Small", None)


def spec(**changes: Any) -> TransferSpec:
    fields = {"model": "m", "checkpoints": (ONE,), "data": "task", "corpus": "c", "sources": ("en",), "languages": ("de", "zh")}
    return TransferSpec.model_validate(fields | changes)


def test_passes_are_those_of_the_loop() -> None:
    """Every record point evaluated, no early stop: training three passes an example, the source and the others at each."""
    options = FinetuneOptions(epochs=3, batch=10, record_every=2, windows="all", patience=None)
    passes = 0.0
    for step in range(1, options.steps(40) + 1):
        passes += 3 * 10
        if step % 2 == 0:
            passes += 40 + 2 * 40 + 3 * 20
    last = 2 * 40 + 3 * 20  # the last step is always evaluated; counted once too often here, as a margin
    assert passes_of(options, 40, 20, 3) == pytest.approx(passes + last)


def test_windows_cost_less_than_every_point_and_xtune_trains_twice() -> None:
    full, windowed = (FinetuneOptions(windows=windows) for windows in ("all", ((0.0, 0.001),)))
    assert passes_of(windowed, 2000, 500, 15) < passes_of(full, 2000, 500, 15) / 4
    xtune = FinetuneOptions(windows="all", algorithm="xtune")
    assert passes_of(xtune, 2000, 500, 15) - passes_of(full, 2000, 500, 15) == 40 * 2000 * 3


def test_a_run_that_may_not_stop_is_paid_for_at_zero_error_to_its_end() -> None:
    """A model that has learned all its examples keeps them: nearly every later record point lies in a window at zero."""
    stopping, going_on = (FinetuneOptions(patience=patience) for patience in (5, None))
    always = FinetuneOptions(windows="all", patience=None)
    assert passes_of(stopping, 2000, 500, 15) < passes_of(going_on, 2000, 500, 15) == passes_of(always, 2000, 500, 15)
    away = FinetuneOptions(windows=((0.03, 0.025),), patience=None)
    assert passes_of(away, 2000, 500, 15) < passes_of(going_on, 2000, 500, 15) / 4


def test_additional_examples_are_paid_for() -> None:
    options = FinetuneOptions(epochs=3, batch=10, record_every=2, windows="all", patience=None)
    points = options.steps(100) / 2 - options.steps(40) / 2
    trained = 3 * 3 * 60
    assert passes_of(options, 40, 20, 3, 60) - passes_of(options, 40, 20, 3) == pytest.approx(trained + points * 180)
    runs, task = spec().runs(), entry()
    plain, more = (of_runs(spec(), runs, MODEL, task, SPEED, [], extra) for extra in (None, task))
    assert plain is not None
    assert more is not None
    assert more.seconds > 1.3 * plain.seconds


def test_no_price_before_a_worker_has_measured_its_speed() -> None:
    assert transfer(spec(), None, []) is None


def test_only_what_is_missing_is_paid_for() -> None:
    whole, one = (of_runs(spec(), runs, MODEL, entry(), SPEED, []) for runs in (spec().runs(), spec().runs()[:1]))
    assert whole is not None
    assert one is not None
    assert (whole.shards, one.shards) == (9, 1)
    assert whole.seconds > 6 * one.seconds


def test_the_pace_of_earlier_runs_of_this_model_on_these_data_replaces_the_guess() -> None:
    run = spec().runs()[0]
    provenance = spec().provenance(run) | {"model": "m", "device": "cpu", "seconds": 100.0, "examples": 40, "validated": 20}
    file = RecordFile(Path("r.parquet"), provenance, 0.0)
    found = of_runs(spec(), [run], MODEL, entry(), SPEED, [file])
    assert found is not None
    assert found.seconds == pytest.approx(100.0)
    assert "last runs" in found.basis
    other = RecordFile(Path("r.parquet"), provenance | {"corpus": "another"}, 0.0)
    resumed = RecordFile(Path("r.parquet"), provenance | {"seconds": None}, 0.0)
    guess = of_runs(spec(), [run], MODEL, entry(), SPEED, [other, resumed])
    assert guess is not None
    assert "measurement" in guess.basis


def kept(step: int, **changes: Any) -> TransferWeightsSpec:
    one = {"learning_rates": (1e-5,), "seeds": (0,), "training": FinetuneOptions(epochs=10, batch=10)}
    return TransferWeightsSpec(run=spec(**one | changes), step=step)


def test_keeping_a_model_costs_its_steps_and_one_evaluation() -> None:
    """Whatever the windows: nothing is evaluated on the way."""
    paid = []
    for one in (
        kept(20),
        kept(40),
        kept(20, training=FinetuneOptions(epochs=10, batch=10, windows="all")),
        kept(20, algorithms=("xtune",)),
    ):
        found = of_step(one, MODEL, entry(), SPEED, [])
        assert found is not None
        assert found.shards == 1
        paid.append(found.seconds - STARTING_SECONDS - RUN_SECONDS)
    evaluated = 3 * (40 + 20)
    assert paid[1] / paid[0] == pytest.approx((40 * 10 * 3 + evaluated) / (20 * 10 * 3 + evaluated))
    assert paid[2] == pytest.approx(paid[0])
    assert paid[3] / paid[0] == pytest.approx((20 * 10 * 6 + evaluated) / (20 * 10 * 3 + evaluated))
    assert transfer_weights(kept(20), None, []) is None


def test_a_model_is_kept_at_the_pace_of_what_earlier_runs_did() -> None:
    """A run that stopped after half of its steps took its seconds for that half."""
    run = kept(20).run
    whole = run.provenance(run.runs()[0]) | {
        "model": "m",
        "device": "cpu",
        "seconds": 100.0,
        "examples": 40,
        "validated": 20,
        "planned": 40,
    }
    prices = []
    for steps in (40, 20):
        found = of_step(kept(20), MODEL, entry(), SPEED, [RecordFile(Path("r.parquet"), whole | {"steps": steps}, 0.0)])
        assert found is not None
        assert "last runs" in found.basis
        prices.append(found.seconds - STARTING_SECONDS)
    expected = 100.0 * (20 * 10 * 3 + 180) / passes_of(run.training, 40, 20, 3)
    assert prices == [pytest.approx(expected), pytest.approx(2 * expected)]


def test_a_spec_is_priced_by_what_is_kept_and_missing(tmp_path: Path) -> None:
    """Its model, its task, and the runs that are there, of this spec or another."""
    done = fill(tmp_path, DEMO, algorithms=("vanilla",), seeds=(0,))
    wider = done.model_copy(update={"seeds": (0, 1)})
    runs = missing(wider, records.files([tmp_path]))
    assert [run.options.seed for run in runs] == [1] * len(done.runs())
    where = [tmp_path, DEMO]
    (first, *_), (task,) = models.entries([DEMO]), tasks.entries([tmp_path])
    expected = of_runs(wider, runs, first, task, SPEED, records.files(where))
    assert "last runs" in expected.basis
    assert transfer(wider, SPEED, where) == expected
    assert transfer(wider, SPEED, where, wider.runs()[:1]) == of_runs(
        wider, wider.runs()[:1], first, task, SPEED, records.files(where)
    )
    one = TransferWeightsSpec(run=done.model_copy(update={"sources": ("en",)}), step=20)
    assert transfer_weights(one, SPEED, where) == of_step(one, first, task, SPEED, records.files(where))
    assert transfer(wider, SPEED, [DEMO]) is None  # the task is not kept there


def test_similarity_is_priced_by_what_is_kept() -> None:
    (first, *_), (corpus, *_) = models.entries([DEMO]), corpora.entries([DEMO])
    similarity = LanguageSimilaritySpec(
        model=first.name, checkpoints=first.checkpoints[-1:], corpus=corpus.id, languages=tuple(corpus.tags[:3])
    )
    sizes = {each.tag: each.characters for each in corpus.languages}
    characters = sum(sizes[tag] for tag in corpus.tags[:3])
    texts = encoding(first, 3, corpus.sentences, characters, SPEED, scores.shards([DEMO]))
    assert language_similarity(similarity, SPEED, [DEMO]) == sentence_retrieval(texts, 1, first=False)
    assert language_similarity(similarity, None, [DEMO]) is None
