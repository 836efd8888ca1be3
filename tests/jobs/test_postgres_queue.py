"""Postgres as the queue: a real one, made for these tests."""

from __future__ import annotations

import os
import signal
from multiprocessing.context import ForkServerProcess
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.jobs import client, slots, starter, worker
from isogloss.backend.settings import settings
from tests.jobs import postgres
from tests.jobs.running import CHECKPOINTS, Worker, computed_alone, let_go, noted, rows, shards, start, wait

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from isogloss.backend.experiments.abx.shard import AbxSpec


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a Postgres server, without a database."""
    with postgres.running() as url:
        if url is None:
            pytest.skip("no Postgres here (initdb is not found)")
        yield url


def test_a_new_database_is_waited_for_and_of_two_workers_one_may_be_killed(
    workspace: Path, server: str, spec: AbxSpec, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_QUEUE_URL", f"{server}/new")
    assert starter.ensure_worker(settings())
    started = starter.last(settings())
    assert started is not None
    workers.append(started.process)
    run = client.submit(spec, settings())  # at once: the worker has not yet made the database
    workers.append(start(workspace))
    wait(lambda: len([report for report in slots.alive(workspace) if report.pid]) == 2)
    wait(lambda: len(shards(workspace)) >= 1)
    workers[0].kill()
    wait(lambda: (job := client.job(run, settings())) and job.state == "done")
    assert len(shards(workspace)) == CHECKPOINTS
    assert not settings().sqlite_path.exists()


def test_a_machine_that_falls_silent_is_replaced_and_its_worker_stops_when_it_wakes(
    workspace: Path, server: str, spec: AbxSpec, workers: list[Worker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a run and a shard in hand. Both workers then compute that shard: the scores are those of one that nothing befell."""
    monkeypatch.setenv("ISOGLOSS_QUEUE_URL", f"{server}/machines")
    monkeypatch.setenv("ISOGLOSS_SILENCE_SECONDS", "3")
    workers.append(start(workspace, held=True, host="node-a"))
    wait(lambda: [report for report in slots.alive(workspace) if report.pid])
    run = client.submit(spec, settings())
    wait(lambda: noted(workspace, "begun") == 2)
    asleep = workers[0]
    assert isinstance(asleep, ForkServerProcess)
    assert asleep.pid is not None
    os.kill(asleep.pid, signal.SIGSTOP)
    let_go(workspace)
    # A busy machine may keep this one from raising its own counter, but then there is nobody who would claim its work.
    workers.append(start(workspace, host="node-b"))
    wait(lambda: (job := client.job(run, settings())) and job.state == "done")
    os.kill(asleep.pid, signal.SIGCONT)
    asleep.join()
    job = client.job(run, settings())
    assert job is not None
    assert (job.state, job.done, job.failures) == ("done", CHECKPOINTS, ())
    assert "others take up its work" in (workspace / "worker.log").read_text(encoding="utf-8")
    assert rows(workspace) == rows(computed_alone(spec, workspace, tmp_path / "alone"))


def test_a_queue_that_cannot_be_reached_is_one_sentence(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_QUEUE_URL", f"postgresql://isogloss:secret@127.0.0.1:{postgres.free_port()}/queue")
    for ask in (lambda: client.jobs(settings()), lambda: worker.launch(settings(), "test-0")):
        with pytest.raises(StoreError, match=r"ISOGLOSS_QUEUE_URL could not be used: .*refused") as caught:
            ask()
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)
