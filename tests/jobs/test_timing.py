"""How long a shard took is noted where one worker computed all of it, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.training import WAITING, folder_of
from isogloss.backend.jobs import busy, device, queues, timing, workflows
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import DEMO, Settings
from isogloss.backend.store import scored_layers, times
from tests.pages.abx.abx_page import MLM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from isogloss.backend.experiments.spec import Spec


def spec() -> AbxSpec:
    (entry, *_), mlm = corpora.entries([DEMO]), models.load_entry(MLM, [DEMO])
    fields: dict[str, Any] = {"model": mlm.name, "checkpoints": mlm.checkpoints[:1], "corpus": entry.id}
    return AbxSpec.model_validate(fields | {"languages": ("de", "en"), "sentences": 40})


def context(workspace: Path) -> Context:
    return Context(replace(Settings(workspace=workspace), device="cpu"))


def compute(workspace: Path, work: Callable[[Context], None] | None = None, between: float = 0.0) -> None:
    (shard,) = spec().shards()
    with timing.timed(spec(), shard, context(workspace), between) as timed:
        registry.compute(spec(), shard, timed) if work is None else work(timed)


def test_a_computed_shard_prices_the_next_one(tmp_path: Path) -> None:
    machine = device.describe("cpu")
    assert registry.price(spec(), machine, [tmp_path, DEMO]) is None
    compute(tmp_path)
    encoded, scored = times.load(tmp_path, "abx")
    assert encoded.machine == scored.machine == machine.alike
    assert (encoded.like[0], scored.like[0]) == ("encoding alone, exact", "scoring, exact")
    compute(tmp_path)  # its file is there: nothing was computed
    assert times.load(tmp_path, "abx") == [encoded, scored]
    last = spec().model_copy(update={"checkpoints": models.load_entry(MLM, [DEMO]).checkpoints[-1:]})
    found = registry.price(last, machine, [tmp_path, DEMO])
    assert found is not None
    assert found.seconds == pytest.approx(encoded.seconds + scored.seconds)
    assert found.why == "Estimated from the last such computation on this machine"


@pytest.mark.parametrize("threads", [1, 2])
def test_what_others_took_of_the_processor_is_not_in_what_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    """A price multiplies by how busy the machine is: with waits in it, a busy hour would count twice."""
    counts, clock = iter([busy.Turns(1.0, 0.0), busy.Turns(3.0, 8.0)]), iter([100.0, 105.0, 110.0, 115.0, 150.0])
    monkeypatch.setattr(busy, "turns", lambda: next(counts))
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(timing, "describe", lambda _: replace(device.describe("cpu"), threads=threads))

    def steps(timed: Context) -> None:
        for what, share in (("loading the model", 0.0), ("encoding", 0.0), ("encoding", 0.5)):
            timed.step(what, share)

    compute(tmp_path, steps)
    (noted,) = times.load(tmp_path, "abx")
    assert noted.slowdown == 5.0 ** (busy.TOGETHER if threads > 1 else 1)
    assert noted.seconds == 50.0 / noted.slowdown
    assert noted.start == 15.0 / noted.slowdown  # before its progress rose


def test_what_lies_between_two_shards_of_a_run_is_part_of_the_next_ones_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 101.0, 102.0, 108.0])
    monkeypatch.setattr(busy, "turns", lambda: busy.Turns(0.0, 0.0))
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))

    def steps(timed: Context) -> None:
        timed.step("encoding", 0.0)
        timed.step("encoding", 0.5)

    compute(tmp_path, steps, between=0.25)
    (noted,) = times.load(tmp_path, "abx")
    assert (noted.seconds, noted.start) == (8.25, 2.25)


def test_a_worker_counts_from_the_end_of_the_last_shard_of_the_same_run(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []

    def timed(_spec: Spec, _shard: str, _context: Context, between: float) -> Any:
        told.append(between)
        raise Cancelled

    monkeypatch.setattr(workflows.timing, "timed", timed)
    monkeypatch.setattr(workflows, "_last", ("", 0.0))
    one, other = spec(), spec().model_copy(update={"sentences": 39})
    for asked in (one, one, other, other, one):
        (shard,) = asked.shards()
        workflows._compute(asked.model_dump_json(), shard, f"run-1.{shard}")
    assert [between > 0 for between in told] == [False, True, False, True, False]
    monkeypatch.setattr(workflows, "_last", (one.model_dump_json(), workflows._last[1] - workflows.BETWEEN_SECONDS))
    workflows._compute(one.model_dump_json(), "any", "run-1.any")
    assert told[-1] == 0.0  # the run was cancelled, and goes on


@pytest.mark.parametrize("shard", [0.001, 0.5, 1.5, 8.0, 60.0, 3600.0])
def test_a_worker_asks_as_often_as_costs_it_least(shard: float) -> None:
    def cost(every: float) -> float:
        return queues.QUESTION_SECONDS * shard / every + every / 2

    allowed = [0.03 + step * 0.001 for step in range(271)]
    assert queues.interval(shard) == pytest.approx(min(allowed, key=cost), abs=0.001)


def test_a_shard_that_failed_waited_or_was_begun_before_is_not_noted(tmp_path: Path) -> None:
    def fail(timed: Context) -> None:
        timed.step("encoding", 0.5)
        raise Cancelled

    with pytest.raises(Cancelled):
        compute(tmp_path, fail)
    compute(tmp_path, lambda timed: timed.step(f"{WAITING} with the same run", 0.0))
    (shard,) = spec().shards()
    folder_of(shard, context(tmp_path)).mkdir(parents=True)
    compute(tmp_path, lambda timed: timed.step("training", 0.5))
    assert times.load(tmp_path, "abx") == []


def test_a_shard_that_is_encoded_in_part_is_noted_by_what_it_encoded_and_what_it_scored(tmp_path: Path) -> None:
    compute(tmp_path)
    *_, scored = times.load(tmp_path, "abx")
    of_three = spec().model_copy(update={"languages": ("de", "en", "zh")})
    (shard,) = of_three.shards()
    work = timing._work(of_three, shard, context(tmp_path))
    with timing.timed(of_three, shard, context(tmp_path)) as timed:
        registry.compute(of_three, shard, timed)
    *_, encoded, of_three_pairs = times.load(tmp_path, "abx")
    assert work
    assert work.beside
    assert (work.kept, work.needed) == (2, 3)
    assert (encoded.amount, of_three_pairs.amount) == (work.amount, work.beside.amount)
    assert of_three_pairs.amount == 3 * scored.amount


def test_encoding_and_scoring_are_told_apart_by_the_clock_wherever_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words of a pair are encoded and scored before those of the next: 2 s of start, 7 of encoding with it, 9 of scoring."""
    reports = (("loading the model", 0.0), ("encoding de", 0.0), ("encoding de", 0.2), ("scoring", 0.3), ("encoding en", 0.4))
    clock = iter([100.0, 101.0, 101.5, 102.0, 104.0, 110.0, 113.0, 116.0])
    monkeypatch.setattr(busy, "turns", lambda: busy.Turns(0.0, 0.0))
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))

    def steps(timed: Context) -> None:
        for what, share in (*reports, ("scoring", 0.7)):
            timed.step(what, share)

    compute(tmp_path, steps)
    encoded, scored = times.load(tmp_path, "abx")
    assert (encoded.seconds, encoded.start) == (7.0, 2.0)
    assert (scored.seconds, scored.start) == (9.0, 0.0)


def test_what_is_scored_from_kept_vectors_begins_with_its_first_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compute(tmp_path)
    of_control = spec().model_copy(update={"protocol": "control"})
    (shard,) = of_control.shards()
    clock = iter([100.0, 103.0, 108.0, 113.0])
    monkeypatch.setattr(busy, "turns", lambda: busy.Turns(0.0, 0.0))
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    with timing.timed(of_control, shard, context(tmp_path)) as timed:
        timed.step("scoring layer 0", 0.5)
        timed.step("scoring layer 1", 0.75)
    *_, scored = times.load(tmp_path, "abx")
    assert (scored.like[0], scored.seconds, scored.start) == ("scoring, control", 13.0, 3.0)


def test_a_shard_that_goes_on_at_a_layer_is_not_noted(tmp_path: Path) -> None:
    (shard,) = spec().shards()
    scored_layers.keep(tmp_path, shard, [{"layer": 0, "value": 0.5}], 1, 60.0, "float32")
    compute(tmp_path, lambda timed: timed.step("scoring layer 1", 0.5))
    assert times.load(tmp_path, "abx") == []


def test_a_workspace_that_cannot_be_written_keeps_its_scores(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("no folder", encoding="utf-8")
    compute(tmp_path, lambda timed: timed.step("encoding", 0.5))


def test_to_describe_the_machine_draws_no_number_of_a_training_that_runs_meanwhile() -> None:
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    device.describe.cache_clear()
    assert device.describe("cpu").processor
    assert torch.equal(torch.rand(4), expected)
