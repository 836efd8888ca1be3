"""`isogloss jobs`, as a person and as a script types it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client, starter
from isogloss.backend.jobs.job import Job
from isogloss.backend.models.entry import Checkpoint
from tests.cli.typed import output

CHECKPOINT = Checkpoint(source="folder", location="/m", label="checkpoint-500", step=500, fingerprint="f" * 24)
SPEC = AbxSpec(model="mini", checkpoints=(CHECKPOINT,), corpus="c" * 24, languages=("de", "en"))
FIRST = Job("run-aaaa-1", SPEC.model_dump(mode="json"), "running", 4, 1, (), "scoring layer 3", 0.4, 1e9, None)
RUNS = [
    replace(FIRST, id="run-cccc-3", state="cancelled", doing=None, finished_at=1e9 + 90, seconds=12.0),
    replace(FIRST, id="run-bbbb-2", state="waiting", done=0, share=0.0, doing=None, place=2),
    replace(FIRST, total=1),
    replace(FIRST, id="run-dddd-0", state="failed", failures=(("checkpoint-500", "Weights gone."),)),
]


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A queue of `RUNS`; what was asked of it."""
    asked: list[object] = []
    monkeypatch.setattr(client, "jobs", lambda _, limit=50, **__: RUNS[:limit])
    monkeypatch.setattr(client, "job", lambda run, _: next((job for job in RUNS if job.id == run), None))
    monkeypatch.setattr(client, "cancel", lambda run, _: asked.append(run))
    monkeypatch.setattr(client, "submit", lambda spec, _: asked.append(spec) or "run-cccc-9")
    monkeypatch.setattr(starter, "ensure_worker", lambda _, **__: bool(asked.append("worker")))
    return asked


def test_runs_are_listed_with_state_place_and_progress() -> None:
    lines = output("jobs", "list").splitlines()
    assert lines[0].split() == ["id", "state", "done", "queued", "run"]
    assert [line.split()[0] for line in lines[1:]] == [job.id for job in RUNS]
    assert "waiting (place 2)  0 of 4 checkpoints (0%)" in lines[2]
    assert "1 of 1 checkpoint (40%)" in lines[3]
    assert lines[3].endswith("ABX · mini (1 checkpoint)")
    assert len(output("jobs", "list", "--limit", "2").splitlines()) == 3


def test_a_script_reads_them_as_json() -> None:
    found = json.loads(output("jobs", "list", "--json"))
    assert [(job["id"], job["state"], job["place"]) for job in found[:2]] == [
        ("run-cccc-3", "cancelled", 0),
        ("run-bbbb-2", "waiting", 2),
    ]
    assert (found[0]["created_at"], found[0]["finished_at"]) == ("2001-09-09T01:46:40+00:00", "2001-09-09T01:48:10+00:00")
    assert found[0]["seconds"] == 12.0
    one = json.loads(output("jobs", "show", "run-dddd-0", "--json"))
    assert one["failures"] == [{"label": "checkpoint-500", "reason": "Weights gone."}]
    assert AbxSpec.model_validate(one["spec"]) == SPEC


def test_one_run_is_shown_by_its_id_or_a_part_of_it() -> None:
    text = output("jobs", "show", "aaaa")
    assert "state     running" in text
    assert "done      1 of 1 checkpoint (40%), now scoring layer 3" in text
    assert "failed    checkpoint-500: Weights gone." in output("jobs", "show", "dddd")
    assert "computed  12 s" in output("jobs", "show", "run-cccc-3")
    for name, why in {"zzzz": "no run 'zzzz'", "run-": "Several runs", "a": "no run 'a'"}.items():
        with pytest.raises(SpecError, match=why):
            output("jobs", "show", name)


def test_runs_that_are_over_are_forgotten(queue: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "forget", lambda run, _: queue.append(run))
    assert output("jobs", "forget", "dddd") == "run-dddd-0 is forgotten; its scores stay.\n"
    assert queue == ["run-dddd-0"]
    for run in ("aaaa", "bbbb"):
        with pytest.raises(SpecError, match="cancel it first"):
            output("jobs", "forget", run)


def test_runs_are_cancelled_and_resumed(queue: list[object]) -> None:
    assert output("jobs", "cancel", "bbbb") == "run-bbbb-2 is cancelled.\n"
    assert output("jobs", "resume", "cccc") == "run-cccc-9 goes on with run-cccc-3.\n"
    assert queue == ["run-bbbb-2", "worker", SPEC, "worker"]
    with pytest.raises(SpecError, match=r"run-cccc-3 is over \(cancelled\): there is nothing to cancel"):
        output("jobs", "cancel", "cccc")
    with pytest.raises(SpecError, match="run-aaaa-1 is running: there is nothing to resume"):
        output("jobs", "resume", "aaaa")
