"""A shard that kills every worker ends in words; one whose workers are killed goes on for as long as it comes further."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.jobs import client, lost_workers, slots, workflows
from isogloss.backend.jobs.lost_workers import ENOUGH, FOR_MEMORY, Losses
from isogloss.backend.jobs.progress import Reporter
from isogloss.backend.settings import settings
from tests.jobs import running
from tests.jobs.running import Worker, end, wait
from tests.warm import WARM

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.abx.shard import AbxSpec

SHARD = "run-1.shard"


def lose(workspace: Path, life: int, share: float) -> str | None:
    """Take the shard up, tell of a share of it and be lost; why it is not taken up."""
    if refused := Losses.of(workspace, SHARD).begin():
        return refused
    Reporter(workspace, SHARD).report("computing", share)
    Losses.of(workspace, SHARD).note(workspace, SHARD, f"worker-{life}")
    return None


def test_lives_that_come_no_further_end_it(tmp_path: Path) -> None:
    said = [lose(tmp_path, life, 0.25) for life in range(ENOUGH + 2)]
    assert said[: ENOUGH + 1] == [None] * (ENOUGH + 1)  # the first came as far as any
    assert said[-1] == (
        "26 workers in a row were lost while they computed this, and none came further than 25%. It may need more memory than "
        "there is: choose smaller batches, fewer texts or a machine with more memory, then press Resume."
    )
    Losses.of(tmp_path, SHARD).forget()
    assert lose(tmp_path, 0, 0.25) is None  # it is over: the next run begins anew
    assert Losses.of(tmp_path, "another").begin() is None


def test_lives_that_come_further_are_not_counted(tmp_path: Path) -> None:
    """However many: a training of days on machines that are taken away every hour."""
    assert all(lose(tmp_path, life, life / 1000) is None for life in range(2 * ENOUGH))


def test_a_life_that_the_system_ended_for_memory_counts_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kills = iter(range(1000))
    monkeypatch.setattr(lost_workers, "_memory_kills", lambda: f"boot {next(kills)}")
    lives = 0
    while (said := lose(tmp_path, lives, 0.5)) is None:
        lives += 1
    assert lives == 1 + ENOUGH // FOR_MEMORY
    assert "The system ran out of memory meanwhile" in said


def test_kills_for_memory_are_counted_on_one_machine() -> None:
    assert lost_workers._was_for_memory("a 3", "a 4")
    for before, now in (("a 3", "a 3"), ("a 3", "b 4"), ("", "a 4"), ("a 3", "")):
        assert not lost_workers._was_for_memory(before, now)


def test_nothing_is_written_where_no_worker_was_lost(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "parse", lambda *_: (_ for _ in ()).throw(ValueError("whatever")))
    monkeypatch.setattr(lost_workers, "publish_json", lambda *_: pytest.fail("written"))
    workflows._compute("{}", "shard", SHARD)


def test_a_worker_that_ended_by_itself_is_not_counted(tmp_path: Path) -> None:
    ended, killed = slots.take(tmp_path), slots.take(tmp_path)
    ended.release()
    killed.handle.close()
    assert (slots.is_released(ended.path), slots.is_released(killed.path)) == (True, False)
    assert not slots.is_held(ended.path)


def test_a_shard_that_kills_every_worker_ends_and_the_others_are_computed(
    workspace: Path, spec: AbxSpec, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real workers and a real queue; of the lives that it takes to be sure a few are enough here."""
    monkeypatch.setenv("DEADLY", spec.checkpoints[1].fingerprint)
    spec = spec.model_copy(update={"checkpoints": spec.checkpoints[:3]})
    workers.append(_start(workspace))
    run = client.submit(spec, settings())
    for _ in range(4):
        wait(lambda: _is_over(run) or workers[-1].exitcode is not None)  # type: ignore[union-attr]
        if not _is_over(run):
            workers.append(_start(workspace))
    wait(lambda: _is_over(run))
    job = client.job(run, settings())
    assert job is not None
    assert (job.state, job.done) == ("failed", 2)
    [(label, reason)] = job.failures
    assert label == spec.checkpoints[1].label
    assert reason.startswith("3 workers in a row were lost while they computed this")
    assert not list((workspace / "jobs" / "losses").iterdir())
    end(workers[-1])


def _is_over(run: str) -> bool:
    job = client.job(run, settings())
    return job is not None and job.state not in {"waiting", "running"}


def _start(workspace: Path) -> Any:
    environment = os.environ | {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": ""}
    worker = WARM.Process(target=_work, args=(environment, workspace / "worker.log"))
    worker.start()
    return worker


def _work(environment: dict[str, str], log: Path) -> None:
    real = registry.compute

    def compute(spec: Any, shard: str, context: Any) -> None:
        if spec.shards()[shard].fingerprint == environment["DEADLY"]:
            context.step("taking all memory", 0.5)
            os.kill(os.getpid(), signal.SIGKILL)
        real(spec, shard, context)

    registry.compute = compute
    lost_workers.ENOUGH = 2
    running._work(environment, log, None)
