"""XferBench runs that are cancelled, shared by workers or given other threads: their scores are the very same."""

from __future__ import annotations

import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments.sources import shard as training_shard
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench import shard as xferbench
from isogloss.backend.experiments.xferbench.shard import compute
from isogloss.backend.training.language_model.options import preset
from isogloss.backend.training.resumable.lock import lock
from tests.experiments.training_runs import begun, cancelled_and_taken_up_again, watched
from tests.experiments.xferbench.small_xferbench import SmallXferBench, only_cell, run_all
from tests.training.killed_scripts import ended

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def whole(small: SmallXferBench) -> Context:
    """A workspace in which the runs of one source and two targets were computed at one go."""
    context = small.context("whole")
    run_all(small.spec("emergent", "fi da"), context)
    return context


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was pre-trained and tuned, or gone on with."""
    return watched(xferbench, monkeypatch)


def values(context: Context, small: SmallXferBench) -> dict[str, float]:
    """Cross-entropies by target."""
    frame = xferbench_queries.each_seed([context.workspace], small.spec().variant.name)
    assert frame["target"].is_unique
    return dict(zip(frame["target"], frame["value"], strict=True))


def test_cancelled_and_taken_up_again_gives_the_very_score(small: SmallXferBench, whole: Context) -> None:
    spec = small.spec()
    told, share = cancelled_and_taken_up_again(
        partial(compute, spec, only_cell(spec)),
        partial(small.context, "cancelled"),
        (
            "reading Tiny",
            "step 3 of",
            "step 9 of",
            "reading Finnish",
            "tuning Tiny → Finnish, training seed 0: step 5 of",
        ),
    )
    assert not any("pre-training" in what for what in told)  # it was over before
    assert any("step 14 of 14, loss " in what for what in told)
    assert share == 1.0
    context = small.context("cancelled")
    assert values(context, small) == {"fi": values(whole, small)["fi"]}
    assert list((context.workspace / "training").iterdir()) == []


def test_two_workers_that_need_one_base_model_train_it_once(small: SmallXferBench, whole: Context) -> None:
    spec, here = small.spec("emergent", "fi da"), list[str]()
    _, first, second = spec.shards()
    process = begun(small.folder, "both", spec, first, 0.05)
    there = [process.stdout.readline()]  # it has begun
    compute(spec, second, small.context("both", progress=lambda what, _: here.append(what)))
    there += ended(process)
    steps = [
        line[line.index("step") : line.index(",", line.index("step"))] for line in (*here, *there) if "pre-training" in line
    ]
    assert len(set(steps)) == 14
    # One may look whether the base model is there, then the other publishes it and removes the folder: the first begins in a
    # new one: it sees the model after its first step and stops.
    assert sorted(steps) in (sorted(set(steps)), sorted([*set(steps), "step 1 of 14"]))
    assert values(small.context("both"), small) == values(whole, small)
    assert list((small.folder / "both" / "training").iterdir()) == []


def test_what_another_worker_has_published_meanwhile_ends_a_training(
    small: SmallXferBench, whole: Context, trainings: list[str]
) -> None:
    """Even where no lock tells of it, as on another machine."""
    spec = small.spec()
    base, cell = spec.shards()
    for shard, kind, name in ((base, "bases", base), (cell, "scores", f"emergent/{cell}.parquet")):
        source, target = (context.workspace / kind / name for context in (whole, small.context("overtaken")))
        told: list[str] = []

        def report(what: str, share: float, source: Path = source, target: Path = target, told: list[str] = told) -> None:
            told.append(what)
            if "step 3 of" in what:
                target.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["cp", "-r", str(source), str(target)], check=True)

        compute(spec, shard, small.context("overtaken", progress=report))
        assert "step 4 of" in told[-1] or "step 3 of" in told[-1]
    assert len(trainings) == 2
    assert list((small.folder / "overtaken" / "training").iterdir()) == []


def test_a_worker_that_waits_can_be_cancelled(small: SmallXferBench) -> None:
    spec = small.spec()
    told: list[str] = []
    context = small.context("waiting", progress=lambda what, _: told.append(what), should_stop=lambda: len(told) > 1)
    with lock(context.workspace / "training" / next(iter(spec.shards()))), pytest.raises(Cancelled):
        compute(spec, only_cell(spec), context)
    assert "waiting for another worker" in told[-1]


def test_the_threads_there_are_change_no_digit_of_a_small_model(small: SmallXferBench, whole: Context) -> None:
    import torch

    torch.set_num_threads(2)
    try:
        context = small.context("threads")
        run_all(small.spec(), context)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert values(context, small) == {"fi": values(whole, small)["fi"]}


def test_a_large_model_takes_all_threads() -> None:
    import torch

    seen = []
    torch.set_num_threads(3)
    try:
        for chosen in (preset("quick"), preset("paper")):
            with training_shard.threads(chosen.architecture.training_flop):
                seen.append(torch.get_num_threads())
    finally:
        torch.set_num_threads(1)
    assert seen == [1, 3]
