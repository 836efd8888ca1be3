"""The work of fine-tuning: passes counted against a plain recount, what makes a run dearer, and which runs are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec
from isogloss.backend.experiments.transfer.work import missing, missing_among, passes_of
from isogloss.backend.settings import DEMO
from isogloss.backend.store import records, times
from isogloss.backend.training.finetune.options import FinetuneOptions
from tests.experiments.machines import CPU, place, taken
from tests.pages.transfer.transfer_workspace import fill

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.spec import Spec


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


def amount(spec: Spec, workspace: Path) -> float:
    found = registry.work(spec, next(iter(spec.shards())), place([workspace, DEMO]))
    assert found is not None
    return found.amount


def test_a_spec_is_priced_by_what_is_kept_and_missing(tmp_path: Path) -> None:
    """Its model, its task, and the runs that are there, of this spec or another."""
    done = fill(tmp_path, DEMO, algorithms=("vanilla",), seeds=(0,))
    wider = done.model_copy(update={"seeds": (0, 1)})
    shards = missing(wider, [tmp_path])
    assert shards == missing_among(wider, records.files([tmp_path]))
    assert [wider.shards()[shard].options.seed for shard in shards] == [1] * len(done.runs())
    times.add(tmp_path, "transfer", taken(10.0, amount(done, tmp_path), "fine-tuning"))
    found, one = (registry.price(wider, CPU, [tmp_path, DEMO], some) for some in (None, shards[:1]))
    assert found is not None
    assert one is not None
    assert (one.seconds, found.seconds) == (pytest.approx(10.0), pytest.approx(10.0 * len(shards)))
    assert registry.price(wider, CPU, [tmp_path]) is None  # the model is not kept there


def test_keeping_a_model_costs_its_steps_and_one_evaluation(tmp_path: Path) -> None:
    """Whatever the windows: nothing is evaluated on the way."""
    done = fill(tmp_path, DEMO, algorithms=("vanilla",), seeds=(0,))

    def kept(step: int, **changes: Any) -> float:
        options = changes.pop("training", FinetuneOptions(epochs=10, batch=10))
        run = done.model_copy(update={"sources": ("en",), "training": options} | changes)
        return amount(TransferWeightsSpec(run=TransferSpec.model_validate(run.model_dump()), step=step), tmp_path)

    once, twice, thrice = (kept(step) for step in (20, 40, 60))
    assert twice - once == pytest.approx(thrice - twice)
    assert once < twice < 2 * once
    assert kept(20, training=FinetuneOptions(epochs=10, batch=10, windows="all")) == once
    assert kept(20, algorithms=("xtune",)) == pytest.approx(twice)
