"""A real worker, really killed: at most the shard in hand is lost, nothing half-written is seen, a restart goes on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from isogloss.backend import people
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.abx import confusions
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client, slots, starter
from isogloss.backend.people import Person, RefusedError
from isogloss.backend.settings import settings
from isogloss.backend.store import cache, quarantine
from tests.jobs.running import (
    CHECKPOINTS,
    Worker,
    compute,
    computed_alone,
    end,
    let_go,
    missing,
    noted,
    rows,
    shards,
    start,
    wait,
)


def test_a_worker_killed_again_and_again_finishes_what_was_asked(workspace: Path, spec: AbxSpec, workers: list[Worker]) -> None:
    """And started again under another host's name each time, as a container is; the last time as pages start it."""
    workers.append(start(workspace, host="first"))
    run = client.submit(spec, settings())
    random = np.random.default_rng(7)
    contents: dict[Path, bytes] = {}
    for life in range(3):
        before = len(shards(workspace))
        wait(
            lambda before=before: (
                len(shards(workspace)) > before or ((job := client.job(run, settings())) and job.state == "done")
            )
        )
        time.sleep(float(random.uniform(0, 0.4)))
        end(workers[-1])
        for path in shards(workspace):  # what was finished stays as it was, byte for byte
            assert contents.setdefault(path, path.read_bytes()) == path.read_bytes()
        assert not quarantine.notes(workspace)  # nothing half-written was ever visible
        if life < 2:
            workers.append(start(workspace, host=f"another-{life}"))
    assert starter.ensure_worker(settings())
    started = starter.last(settings())
    assert started is not None
    workers.append(started.process)
    while all(report.pid != started.process.pid for report in slots.alive(workspace)):  # the run is seen meanwhile
        assert started.process.poll() is None
        (seen,) = client.jobs(settings())
        assert (seen.id, seen.state in {"waiting", "running", "done"}) == (run, True)
        time.sleep(0.05)
    wait(lambda: (job := client.job(run, settings())) and job.state not in {"waiting", "running"})
    job = client.job(run, settings())
    assert job is not None
    assert (job.state, job.done, job.failures) == ("done", CHECKPOINTS, ())
    assert missing(spec, workspace) == []
    count, problems = cache.check(workspace)
    assert count > CHECKPOINTS
    assert not problems


def test_a_shard_that_two_compute_at_once_is_that_of_one(workspace: Path, spec: AbxSpec, tmp_path: Path) -> None:
    """A worker that was wrongly taken for dead goes on for a while beside the one that took up its work."""
    spec = spec.model_copy(update={"checkpoints": spec.checkpoints[:2]})
    both = [compute(spec, workspace), compute(spec, workspace)]
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert missing(spec, workspace) == []
    assert not cache.check(workspace)[1]
    assert rows(workspace) == rows(computed_alone(spec, workspace, tmp_path / "alone"))


def test_the_living_takes_over_from_the_dead_and_nothing_is_computed_twice(
    workspace: Path, spec: AbxSpec, workers: list[Worker]
) -> None:
    """Two workers share a workspace, one is killed; what is whole is left alone, what is damaged is computed again."""
    workers += [start(workspace), start(workspace)]
    wait(lambda: len(slots.alive(workspace)) == 2)
    run = client.submit(spec, settings())
    wait(lambda: len(shards(workspace)) >= 1)
    workers[0].kill()
    wait(lambda: (job := client.job(run, settings())) and job.state == "done")
    assert len(shards(workspace)) == CHECKPOINTS
    times = [path.stat().st_mtime_ns for path in shards(workspace)]
    again = client.submit(spec, settings())
    wait(lambda: (job := client.job(again, settings())) and job.state == "done")
    assert [path.stat().st_mtime_ns for path in shards(workspace)] == times
    victim = shards(workspace)[0]
    os.truncate(victim, victim.stat().st_size // 2)
    assert len(missing(spec, workspace)) == 1
    assert quarantine.notes(workspace)[0]["file"] == str(victim.relative_to(workspace))
    once_more = client.submit(spec, settings())
    wait(lambda: (job := client.job(once_more, settings())) and job.state == "done")
    assert missing(spec, workspace) == []


def test_cancelling_stops_and_a_new_run_goes_on(
    workspace: Path, spec: AbxSpec, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = (Person(f"{name}@lab.org", "editor") for name in ("ada", "bob"))
    monkeypatch.setattr(people, "_identify", lambda: ada)
    workers.append(start(workspace, held=True))
    run = client.submit(spec, settings())
    assert client.submit(spec, settings()) == run  # the same wish twice is one run
    wait(lambda: noted(workspace, "begun") == 2)
    monkeypatch.setattr(people, "_identify", lambda: bob)
    for refused in (client.cancel, client.forget):
        with pytest.raises(RefusedError, match=r"the run of another is for admins, and bob@lab\.org is an editor here"):
            refused(run, settings())
    monkeypatch.setattr(people, "_identify", lambda: ada)
    client.cancel(run, settings())
    job = client.job(run, settings())
    assert job is not None
    assert (job.state, job.by) == ("cancelled", "ada@lab.org")
    assert client.shards_of("ada@lab.org", settings()) == set(spec.shards())
    assert client.shards_of("bob@lab.org", settings()) == set()
    wait(lambda: noted(workspace, "over") == 2)
    assert len(shards(workspace)) == 1  # the one in hand was not brought to its end
    let_go(workspace)
    again = client.submit(spec, settings())
    wait(lambda: (job := client.job(again, settings())) and job.state == "done")
    assert len(shards(workspace)) == CHECKPOINTS
    assert noted(workspace, "begun") == 2 + CHECKPOINTS  # those that waited when it was cancelled never began


def test_neither_a_bad_checkpoint_nor_a_full_disk_stops_the_other_shards(
    workspace: Path, spec: AbxSpec, tmp_path: Path, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that cannot say what its machine is, since the disk is full while it starts, computes all the same."""
    monkeypatch.setenv("FULL_WHEN_MEASURED", "1")
    (tmp_path / "model" / "checkpoint-2" / "model.safetensors").write_bytes(b"not weights")
    workers.append(start(workspace))
    run = client.submit(spec, settings())
    wait(lambda: (job := client.job(run, settings())) and job.state not in {"waiting", "running"})
    job = client.job(run, settings())
    assert job is not None
    assert (job.state, job.done) == ("failed", CHECKPOINTS - 1)
    [(label, reason)] = job.failures
    assert label == "checkpoint-2"
    assert "Unexpected" not in reason
    assert [report.machine for report in slots.alive(workspace)] == [None]


def test_the_most_confused_sentences_come_with_their_texts(workspace: Path, spec: AbxSpec) -> None:
    detail = ConfusionsSpec(
        checkpoint=spec.checkpoints[0], corpus=spec.corpus, languages=spec.languages, layer=1, source="ru", target="de", k=5
    )
    compute(detail, workspace).join()
    found = confusions.load(detail, [workspace])
    assert found is not None
    assert set(found["task"]) == {"language", "meaning"}
    assert (found["margin"] < 0).any()
    corpus = corpora.load(spec.corpus, [workspace])
    ids, texts = corpus.align(["de", "ru"])
    for row in found[(found["task"] == "meaning") & (found["source"] == "ru")].itertuples():
        p, q = ids.index(row.anchor_id), ids.index(row.other_id)
        assert (row.anchor, row.right, row.wrong) == (texts["ru"][p], texts["de"][p], texts["de"][q])
