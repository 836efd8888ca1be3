"""A worker that ends when nothing is left to compute, and commands that rely on it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.cli import run
from isogloss.backend.errors import StoreError
from isogloss.backend.jobs import client, queues, slots, starter, worker
from isogloss.backend.settings import settings
from tests.jobs.running import Worker, missing, start

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.abx.shard import AbxSpec


def test_workers_end_by_themselves_and_none_that_waits_is_left_alone(
    workspace: Path,
    spec: AbxSpec,
    workers: list[Worker],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def forked(_: object, options: list[str]) -> SimpleNamespace:
        assert options == ["--until-empty"]
        made = start(workspace, until_empty=True)
        workers.append(made)
        return SimpleNamespace(pid=made.pid, poll=lambda: made.exitcode)

    monkeypatch.setattr(starter, "_start", forked)
    for place, queue in enumerate(
        (lambda one: run.queue(one, wait=True), lambda one: run.follow(client.submit(one, settings())))
    ):
        one = spec.model_copy(update={"checkpoints": spec.checkpoints[place : place + 1]})
        queue(one)
        assert missing(one, workspace) == []
        for each in workers:
            each.join()
        assert {each.exitcode for each in workers} == {0}
        assert not slots.alive(workspace)
    said = capsys.readouterr().out
    assert all(f"Worker {each.pid} was started; it ends when nothing is left to compute." in said for each in workers)


def test_what_is_queued_while_a_worker_ends_has_another(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(starter, "_start", lambda *_: done.append("another"))
    monkeypatch.setattr(worker, "_leave", lambda code: done.append(f"left {code}"))

    answers = iter((False, True))

    def is_empty() -> bool:
        assert not slots.alive(workspace)  # who queues a run after this look finds no worker, and starts one
        return next(answers)

    monkeypatch.setattr(queues, "is_empty", is_empty)
    for another in (True, True, False):
        worker._end(settings(), slots.take(workspace), another=another)
        starter._started.clear()
    assert done == ["another", "left 0", "left 0", "left 0"]


@pytest.mark.parametrize(("terminal", "lines"), [(False, 12), (True, 1)])  # each tenth, 100% twice: running and done
def test_progress_is_one_line_on_a_terminal_and_few_in_a_file(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, lines: int
) -> None:
    steps = [SimpleNamespace(share=i / 200, done=0, total=1, state="running", doing=f"step {i}") for i in range(201)]
    jobs = iter([*steps, SimpleNamespace(share=1.0, done=1, total=1, state="done", doing=None, failures=())])
    monkeypatch.setattr(client, "job", lambda *_: next(jobs))
    monkeypatch.setattr(starter, "ensure_worker", lambda *_, **__: False)
    monkeypatch.setattr(run, "time", SimpleNamespace(sleep=lambda _: None, monotonic=lambda: 0.0))
    monkeypatch.setattr(run.sys.stdout, "isatty", lambda: terminal)
    run.follow("run-a-1")
    said = capsys.readouterr().out
    assert said.count("\n") == lines
    assert said.endswith("100%  1/1 done\n")
    assert ("step 7" in said) == terminal


def test_workers_that_end_again_and_again_are_given_up(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = SimpleNamespace(share=0.0, done=0, total=1, state="waiting", doing=None)
    monkeypatch.setattr(client, "job", lambda *_: waiting)
    monkeypatch.setattr(run.time, "sleep", lambda _: None)
    monkeypatch.setattr(starter, "_start", lambda *_: SimpleNamespace(pid=7, poll=lambda: 1))
    with pytest.raises(StoreError, match=r"5 workers ended before the run came further\. Read .*worker\.log"):
        run.follow("run-a-1")
    starter._started.clear()
