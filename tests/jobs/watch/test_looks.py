"""Whole looks of a watch: what is announced, two that look at once, one that is killed, and folders that may not be read."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.jobs.watch import announce, record
from isogloss.backend.jobs.watch import look as looks
from isogloss.backend.models.files.complete import MARKER
from isogloss.backend.models.library import growing
from tests.jobs.watch.scorer import Scorer, watch_of
from tests.jobs.watch.trainings import contents, write

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.jobs.watch.record import State, Watch


def unmarked(seed: int) -> dict[str, bytes]:
    """A whole checkpoint of a training that does not write the Trainer's last file."""
    return {name: content for name, content in contents(seed).items() if name != MARKER}


def begun(scorer: Scorer, folder: Path, **more: Any) -> Watch:
    watch = watch_of(folder, **more)
    record.add(watch, scorer.settings.workspace)
    return watch


def look(scorer: Scorer, watch: Watch, at: float) -> State:
    found = looks.look(watch, scorer.settings, lambda: at)
    assert found is not None
    return found[0]


def test_an_announced_checkpoint_is_taken_without_waiting(scorer: Scorer, tmp_path: Path) -> None:
    run, workspace = tmp_path / "run", scorer.settings.workspace
    said, silent = (write(run / name, unmarked(step)) for step, name in enumerate(("checkpoint-1", "checkpoint-2")))
    watch = begun(scorer, run, quiet=1000)
    announce.announce(workspace, said)
    look(scorer, watch, 0)
    state = look(scorer, watch, 5)
    assert state.latest[said.name].status == "queued"
    assert state.latest[silent.name].status == "waiting"
    assert "nothing changes for 1000 s" in state.latest[silent.name].why
    assert announce.announced(workspace) == {}, "what was taken up is forgotten"
    assert look(scorer, watch, 1001).latest[silent.name].status == "queued"


def test_one_replaced_after_it_was_announced_is_not_taken(scorer: Scorer, tmp_path: Path) -> None:
    run = tmp_path / "run"
    folder = write(run / "checkpoint-1", unmarked(1))
    watch = begun(scorer, run, quiet=1000)
    announce.announce(scorer.settings.workspace, folder)
    look(scorer, watch, 0)
    write(folder, unmarked(2))
    look(scorer, watch, 5)
    assert look(scorer, watch, 10).latest[folder.name].status == "waiting"
    assert not scorer.runs
    announce.announce(scorer.settings.workspace, folder)
    assert look(scorer, watch, 11).latest[folder.name].status == "queued"


def test_what_is_there_now_is_the_last_of_its_name_though_the_run_of_the_one_before_ends_later(
    scorer: Scorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "run" / "checkpoint-1", contents(1))
    watch = begun(scorer, tmp_path / "run")
    look(scorer, watch, 0)
    assert look(scorer, watch, 5).latest[folder.name].status == "queued"
    with monkeypatch.context() as slow:
        slow.setattr(scorer, "job", lambda *_: SimpleNamespace(state="running", failures=()))
        write(folder, unmarked(2))
        look(scorer, watch, 6)
        look(scorer, watch, 8)
    time.sleep(0.01)
    state = look(scorer, watch, 9)
    assert {each.status for each in state.seen} == {"scored", "waiting"}
    assert state.latest[folder.name].status == "waiting"


def test_of_two_that_look_at_once_each_checkpoint_is_queued_once(scorer: Scorer, tmp_path: Path) -> None:
    names = [f"checkpoint-{step}" for step in range(8)]
    for step, name in enumerate(names):
        write(tmp_path / "run" / name, contents(step))
    watch = begun(scorer, tmp_path / "run")
    start, done, failed = threading.Barrier(4), threading.Event(), []

    def looker() -> None:
        start.wait()
        try:
            for _ in range(4000):
                looks.look(watch, scorer.settings)
                if done.is_set() or len(record.state(scorer.settings.workspace, watch.id).scored) == len(names):
                    break
        except Exception as error:  # noqa: BLE001 — a thread's error is the test's
            failed.append(error)
        done.set()

    lookers = [threading.Thread(target=looker) for _ in range(4)]
    for each in lookers:
        each.start()
    for each in lookers:
        each.join()
    assert not failed
    state = record.state(scorer.settings.workspace, watch.id)
    assert {each.name for each in state.scored} == set(names)
    assert set(Counter(checkpoint.fingerprint for checkpoint, _ in scorer.runs.values()).values()) == {1}
    assert len(scorer.runs) == len(names)


@pytest.mark.parametrize(
    ("of", "name"), [(growing, "add"), (Scorer, "submit")], ids=["before its model has it", "before it is queued"]
)
def test_a_look_that_is_killed_is_made_good_by_the_next(
    scorer: Scorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: Any, name: str
) -> None:
    write(tmp_path / "run" / "checkpoint-1", contents(1))
    watch = begun(scorer, tmp_path / "run")
    copies = record.folder(scorer.settings.workspace, watch.id) / looks.COPIES
    look(scorer, watch, 0)
    with monkeypatch.context() as deadly:
        deadly.setattr(of, name, lambda *_, **__: os._exit(9))
        child = os.fork()
        if child == 0:
            looks.look(watch, scorer.settings, lambda: 5)
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert len(list(copies.iterdir())) == 1, "it was killed with a copy made"
    assert not scorer.runs
    state = look(scorer, watch, 6)
    assert [(each.name, each.status) for each in state.seen] == [("checkpoint-1", "queued")]
    assert len(scorer.runs) == 1
    assert [path.name for path in copies.iterdir()] == [state.seen[0].copied], "the copy of the dead is tidied away"
    model = growing.called("training", scorer.settings.workspace)
    assert model is not None
    assert [each.location for each in model.checkpoints] == [str(tmp_path / "run" / "checkpoint-1")]


def test_what_links_out_of_the_folders_that_pages_may_read_is_passed_over(scorer: Scorer, tmp_path: Path) -> None:
    run, outside = tmp_path / "allowed" / "run", write(tmp_path / "outside" / "checkpoint-1", contents(1))
    write(run / "checkpoint-2", contents(2))
    (run / "checkpoint-1").symlink_to(outside)
    write(run / "checkpoint-3", contents(3))
    (run / "checkpoint-3" / "model.safetensors").unlink()
    (run / "checkpoint-3" / "model.safetensors").symlink_to(outside / "model.safetensors")
    os.utime(run / "checkpoint-3" / MARKER)
    watch = begun(scorer, run, roots=(str(tmp_path / "allowed"),))
    look(scorer, watch, 0)
    state = look(scorer, watch, 5)
    told = {each.name: (each.status, "has links out of the folders" in each.why) for each in state.seen}
    assert told == {"checkpoint-1": ("passed", True), "checkpoint-2": ("queued", False), "checkpoint-3": ("passed", True)}
    assert [checkpoint.label for checkpoint, _ in scorer.runs.values()] == ["checkpoint-2"]


def test_a_watched_folder_outside_the_roots_gives_no_checkpoint(scorer: Scorer, tmp_path: Path) -> None:
    write(tmp_path / "outside" / "checkpoint-1", contents(1))
    watch = begun(scorer, tmp_path / "outside", roots=(str(tmp_path / "allowed"),))
    look(scorer, watch, 0)
    assert [each.status for each in look(scorer, watch, 5).seen] == ["passed"]
    assert not scorer.runs
    assert growing.called("training", scorer.settings.workspace) is None
