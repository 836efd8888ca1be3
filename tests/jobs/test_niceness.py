"""Workers give way to what else their machine does, with every thread, unless they are told not to or feed a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.jobs import niceness, slots
from isogloss.backend.settings import ROOT, Settings, settings
from tests.experiments.machines import CPU, gpu
from tests.jobs.running import Worker, start, wait

LINUX = pytest.mark.skipif(not niceness.THREADS.exists(), reason="threads have no niceness of their own here")


@LINUX
@pytest.mark.parametrize(("said", "wanted"), [(None, niceness.NICENESS), ("15", 15), ("0", 0)])
def test_every_thread_of_a_worker_gives_way(
    workspace: Path, workers: list[Worker], monkeypatch: pytest.MonkeyPatch, said: str | None, wanted: int
) -> None:
    monkeypatch.setenv("ISOGLOSS_DEVICE", "cpu")
    if said is None:
        monkeypatch.delenv("ISOGLOSS_WORKER_NICE", raising=False)  # tests have one
    else:
        monkeypatch.setenv("ISOGLOSS_WORKER_NICE", said)
    workers.append(start(workspace))
    wait(lambda: any(report.machine for report in slots.alive(workspace)))
    found = []
    for each in Path(f"/proc/{workers[-1].pid}/task").iterdir():
        with suppress(ProcessLookupError):  # a thread that just ended
            found.append(os.getpriority(os.PRIO_PROCESS, int(each.name)))
    assert len(found) > 3
    assert set(found) == {max(wanted, os.nice(0))}


def test_a_worker_with_a_gpu_gives_way_where_it_is_told_to() -> None:
    assert niceness.niceness(Settings(), gpu()) == 0
    assert niceness.niceness(Settings(worker_nice=5), gpu()) == 5
    assert niceness.niceness(Settings(), CPU) == niceness.NICENESS


@pytest.mark.parametrize("text", ["20", "-1", "much"])
def test_what_is_no_niceness_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKER_NICE", text)
    with pytest.raises(SpecError, match=f"ISOGLOSS_WORKER_NICE is '{text}'.*from 0"):
        settings()


@pytest.mark.skipif(not niceness.GROUP.exists(), reason="the system groups no processes by session")
@pytest.mark.parametrize(("own", "lowered"), [(True, True), (False, False)])
def test_a_session_of_its_own_gives_way_as_a_whole(own: bool, lowered: bool) -> None:
    """The session of a terminal, which is others' too, does not."""
    script = (
        "from isogloss.backend.jobs import niceness; before = niceness.GROUP.read_text();"
        "niceness.give_way(10); print(before, niceness.GROUP.read_text(), sep='|')"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, start_new_session=own
    )
    before, after = (each.strip() for each in run.stdout.split("|"))
    if own and not before:
        pytest.skip("the system groups no processes by session")
    assert after.endswith("nice 10") == lowered  # a session that began before the system grouped any has an empty file
    assert lowered or after == before
