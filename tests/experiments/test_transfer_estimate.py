"""Prices of fine-tuning: passes counted against a plain recount, the pace of earlier runs, what makes a run dearer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.experiments.transfer_estimate import passes_of, transfer
from backend.experiments.transfer_spec import TransferSpec
from backend.models.entry import Checkpoint, Model
from backend.store.records import RecordFile
from backend.training.finetune.options import FinetuneOptions
from tests.pages.transfer_workspace import small_task

WORKER = {"device": "CPU, 2 threads", "encoding_flops": 229e9, "scoring_flops": 279e9}
ONE = Checkpoint(source="folder", location="/m", label="m", fingerprint="f")
MODEL = Model(name="m", architecture="bert", layers=12, dims=768, parameters=278_000_000, checkpoints=(ONE,))


def entry() -> Any:
    from backend.corpora.task_library import _entry

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


def test_no_price_before_a_worker_has_measured_its_speed() -> None:
    assert transfer(spec(), spec().runs(), MODEL, entry(), {}, []) is None


def test_only_what_is_missing_is_paid_for() -> None:
    whole, one = (transfer(spec(), runs, MODEL, entry(), WORKER, []) for runs in (spec().runs(), spec().runs()[:1]))
    assert whole is not None
    assert one is not None
    assert (whole.shards, one.shards) == (9, 1)
    assert whole.seconds > 6 * one.seconds


def test_the_pace_of_earlier_runs_of_this_model_on_these_data_replaces_the_guess() -> None:
    run = spec().runs()[0]
    about = spec().about(run) | {"model": "m", "device": "cpu", "seconds": 100.0, "examples": 40, "validated": 20}
    file = RecordFile(Path("r.parquet"), about, 0.0)
    found = transfer(spec(), [run], MODEL, entry(), WORKER, [file])
    assert found is not None
    assert found.seconds == pytest.approx(100.0)
    assert "last runs" in found.basis
    other = RecordFile(Path("r.parquet"), about | {"corpus": "another"}, 0.0)
    resumed = RecordFile(Path("r.parquet"), about | {"seconds": None}, 0.0)
    guess = transfer(spec(), [run], MODEL, entry(), WORKER, [other, resumed])
    assert guess is not None
    assert "measurement" in guess.basis
