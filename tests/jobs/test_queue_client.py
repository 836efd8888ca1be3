"""The queue as the threads of a web process use it: made once, and read without a spec's being parsed."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client, connection, run_cache, slots, starter
from isogloss.backend.jobs.job import LABELS, _parsed_labels
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

THREADS = 8


def at_once(what: Callable[[int], Any]) -> list[Any]:
    """Call `what` in several threads that all begin together; returns what each call gave."""
    together = threading.Barrier(THREADS)

    def call(place: int) -> Any:
        together.wait()
        return what(place)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, range(THREADS)))


class SlowWorker:
    """A process that takes a while to start, and then no slot."""

    made: list[SlowWorker]
    pid = 4_000_000

    def __init__(self, *_: object, **__: object) -> None:
        time.sleep(0.05)
        self.made.append(self)

    def poll(self) -> None:
        return None


def test_sessions_that_ask_at_once_start_one_worker_a_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SlowWorker, "made", [], raising=False)
    monkeypatch.setattr(starter.subprocess, "Popen", SlowWorker)
    monkeypatch.setattr(starter, "_started", {})
    two = [Settings(workspace=tmp_path / name) for name in ("a", "b")]
    assert sum(at_once(lambda place: starter.ensure_worker(two[place % 2]))) == 2
    assert len(SlowWorker.made) == 2
    assert all(starter.is_starting(one) for one in two)


def test_sessions_that_ask_at_once_share_one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def connect(**_: object) -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    monkeypatch.setattr(connection, "DBOSClient", connect)
    connection._connection.cache_clear()
    found = at_once(lambda _: connection._connect("sqlite:///nowhere"))
    connection._connection.cache_clear()
    assert len(made) == 1
    assert found == made * THREADS


def test_sessions_that_look_at_once_take_no_other_session_for_a_worker(tmp_path: Path) -> None:
    """Each looks by trying the lock: that must not look like a worker that holds it."""
    slots.take(tmp_path).handle.close()
    assert at_once(lambda _: [bool(slots.alive(tmp_path)) for _ in range(200)]) == [[False] * 200] * THREADS


def spec(corpus: str = "c" * 24) -> AbxSpec:
    checkpoints = tuple(
        Checkpoint(source="folder", location=f"/m/{i}", label=f"step{i}", step=i, fingerprint=f"{i:024}") for i in range(3)
    )
    return AbxSpec(model="m", checkpoints=checkpoints, corpus=corpus, languages=("de", "en"))


def status(workflow_id: str, status: str, **but: Any) -> SimpleNamespace:
    fields = dict.fromkeys(("input", "output", "error", "attributes", "parent_workflow_id", "created_at", "completed_at"))
    return SimpleNamespace(workflow_id=workflow_id, status=status, **fields | but)


def run(name: str, state: str, asked: AbxSpec, *, stored: bool = True, **but: Any) -> SimpleNamespace:
    """A run as the queue has it; one that is not `stored` is of the version that kept the spec alone."""
    labels = [[shard, piece.label] for shard, piece in asked.shards().items()]
    attributes = {LABELS: labels} if stored else None
    return status(name, state, input={"args": (asked.model_dump_json(),)}, attributes=attributes, **but)


def outcomes(asked: AbxSpec, *failed: str | None) -> list[dict[str, Any]]:
    pieces = zip(asked.shards().items(), failed, strict=False)
    return [{"label": piece.label, "shard": shard, "failed": why, "seconds": 1.0} for (shard, piece), why in pieces]


class Queue:
    """A connection that counts what it is asked."""

    def __init__(self, runs: list[SimpleNamespace], shards: list[SimpleNamespace]) -> None:
        self.runs, self.shards, self.asked = runs, shards, 0

    def list_workflows(self, *, parent_workflow_id: list[str] | None = None, **_: object) -> list[SimpleNamespace]:
        self.asked += 1
        return (
            self.runs if parent_workflow_id is None else [s for s in self.shards if s.parent_workflow_id in parent_workflow_id]
        )


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    found = Queue([], [])

    @contextmanager
    def connected(_: Settings) -> Iterator[Queue]:
        yield found

    monkeypatch.setattr(client, "ready", lambda _: True)
    monkeypatch.setattr(client, "connect", connected)
    _parsed_labels.cache_clear()
    run_cache.forget()
    yield found
    _parsed_labels.cache_clear()
    run_cache.forget()


def no_parsing(_: object) -> None:
    raise AssertionError("a spec is parsed")


@pytest.mark.parametrize("stored", [True, False])
def test_runs_are_described_by_what_the_queue_stores(
    tmp_path: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    """Every state of a run, of this version and of the one before: the same jobs, in three queries, whatever their number."""
    asked = spec()
    queue.runs += [
        run("done", "SUCCESS", asked, stored=stored, output=outcomes(asked, None, None, None), completed_at=9000),
        run("bad", "SUCCESS", asked, stored=stored, output=outcomes(asked, None, "Weights gone.", None)),
        run("going", "PENDING", asked, stored=stored),
        run("waiting", "ENQUEUED", asked, stored=stored),
        run("stopped", "CANCELLED", asked, stored=stored),
        run("lost", "ERROR", asked, stored=stored, error=RuntimeError("no more attempts")),
    ]
    first, second = outcomes(asked, None, "Out of memory.")
    queue.shards += [
        status("1", "SUCCESS", parent_workflow_id="going", output=first),
        status("2", "SUCCESS", parent_workflow_id="stopped", output=second),
        status("3", "PENDING", parent_workflow_id="going"),
        status("4", "SUCCESS", parent_workflow_id="going", output=second),
    ]
    if stored:
        monkeypatch.setattr(registry, "parse", no_parsing)
    jobs = client.jobs(Settings(workspace=tmp_path))
    assert queue.asked == 3
    assert [(job.id, job.state, job.done, job.failures, job.share) for job in jobs] == [
        ("done", "done", 3, (), 1.0),
        ("bad", "failed", 2, (("step1", "Weights gone."),), 1.0),
        ("going", "running", 1, (("step1", "Out of memory."),), 2 / 3),
        ("waiting", "waiting", 0, (), 0.0),
        ("stopped", "cancelled", 0, (("step1", "Out of memory."),), 1 / 3),
        ("lost", "failed", 0, (("", "no more attempts"),), 0.0),
    ]
    for job in jobs:
        assert (job.total, job.shards) == (3, tuple(asked.shards()))
        assert registry.EXPERIMENTS["abx"].spec.model_validate(job.spec) == asked
    assert jobs[0].finished_at == 9.0


def test_a_run_behind_others_has_its_place_and_one_in_a_workers_hands_has_none(tmp_path: Path, queue: Queue) -> None:
    """Every run hands its shards to the queue at once: what is computed is told by them, not by the runs."""
    asked = spec()
    queue.runs += [
        run(f"run-{name}-1", "PENDING", asked, created_at=at) for name, at in [("d", 4), ("c", 3), ("b", 2), ("a", 1)]
    ]
    queue.runs[0].status = "ENQUEUED"
    here = Settings(workspace=tmp_path)

    def places() -> dict[str, tuple[str, int]]:
        return {job.id[4]: (job.state, job.place) for job in client.jobs(here)}

    assert places() == {"a": ("running", 0), "b": ("waiting", 2), "c": ("waiting", 3), "d": ("waiting", 4)}
    queue.shards += [
        status("1", "PENDING", parent_workflow_id="run-b-1"),
        status("2", "ENQUEUED", parent_workflow_id="run-c-1"),
    ]
    assert places() == {"a": ("waiting", 2), "b": ("running", 0), "c": ("waiting", 3), "d": ("waiting", 4)}
    queue.shards += [status("3", "PENDING", parent_workflow_id="run-c-1")]  # two workers
    assert places() == {"a": ("waiting", 3), "b": ("running", 0), "c": ("running", 0), "d": ("waiting", 4)}
    found = client.job("run-d-1", here)
    assert found is not None
    assert (found.state, found.place) == ("waiting", 4)
    queue.runs[:] = queue.runs[:1]
    assert places() == {"d": ("waiting", 0)}  # for a worker, not for a run


def test_a_run_that_ends_while_it_is_asked_for_is_known(tmp_path: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spec()
    ended = run("run-a-1", "SUCCESS", asked, output=outcomes(asked, None, None, None), completed_at=9000)
    answers = [[run("run-a-1", "PENDING", asked)], [], [ended]]
    monkeypatch.setattr(queue, "list_workflows", lambda **_: answers.pop(0) if answers else [])
    found = client.job("run-a-1", Settings(workspace=tmp_path))
    assert found is not None
    assert (found.state, found.done) == ("done", 3)


def test_a_run_that_was_taken_up_again_is_one_card(tmp_path: Path, queue: Queue) -> None:
    """The runs of one spec that came to no good end are hidden by a later one and forgotten with it; good ends stay."""
    asked, gone = spec(), list[str]()
    queue.runs += [
        run("run-a-5", "SUCCESS", asked, output=outcomes(asked, None, None, None), created_at=0, completed_at=60_000),
        run("run-a-4", "CANCELLED", asked),
        run("run-b-3", "CANCELLED", asked),
        run("run-a-2", "SUCCESS", asked, output=outcomes(asked, None, "Weights gone.", None)),
        run("run-a-1", "SUCCESS", asked, output=outcomes(asked, None, None, None)),
    ]
    jobs = client.jobs(Settings(workspace=tmp_path))
    assert [job.id for job in jobs] == ["run-a-5", "run-b-3", "run-a-1"]
    assert jobs[0].seconds == 3.0  # of its minute three seconds were computing; the rest it waited
    queue.runs = [each for each in queue.runs if each.workflow_id != "run-b-3"]
    queue.delete_workflow = lambda each, **_: gone.append(each)  # type: ignore[attr-defined]
    client.forget("run-a-5", Settings(workspace=tmp_path))
    assert sorted(gone) == ["run-a-2", "run-a-4", "run-a-5"]


def test_runs_of_some_shards_are_found_by_them(tmp_path: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = spec("a" * 24), spec("b" * 24)
    queue.runs += [
        run(name, "SUCCESS", asked, output=outcomes(asked, *[None] * 3))
        for name, asked in (("2", mine), ("1", other), ("0", mine))
    ]
    monkeypatch.setattr(registry, "parse", no_parsing)
    here = Settings(workspace=tmp_path)
    assert [job.id for job in client.jobs(here, having=lambda: list(mine.shards())[1:2])] == ["2", "0"]
    assert client.jobs(here, having=lambda: {"nothing"}) == []


def test_a_run_that_no_version_understands_hides_no_other(tmp_path: Path, queue: Queue) -> None:
    gone = json.dumps({"experiment": "phrenology", "model": "m"})
    queue.runs += [status("old", "CANCELLED", input={"args": (gone,)}), run("new", "ENQUEUED", spec(), stored=False)]
    old, new = client.jobs(Settings(workspace=tmp_path))
    assert (old.state, old.total, old.shards) == ("cancelled", 0, ())
    assert registry.title(old.spec) == "phrenology"
    assert new.total == 3


def test_a_submitted_run_names_its_shards_in_order(tmp_path: Path, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    options: list[dict[str, Any]] = []
    monkeypatch.setattr(Queue, "enqueue", lambda _, chosen, *__: options.append(chosen), raising=False)
    run_id = client.submit(spec(), Settings(workspace=tmp_path))
    assert options[0]["workflow_id"] == run_id
    assert options[0]["attributes"] == {"shards": [[shard, piece.label] for shard, piece in spec().shards().items()]}
