"""A run that is watched on the page that needs it: what is said once its worker has died."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.jobs import client, slots, starter
from isogloss.backend.jobs.job import Job
from isogloss.backend.jobs.slots import WorkerReport
from tests.pages.opened import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

RUNNING = Job(
    id="run-1",
    spec={"experiment": "static_alignment", "model": "Tiny", "checkpoints": [], "corpus": "c", "languages": []},
    state="running",
    total=10,
    done=5,
    failures=(),
    doing="fine-tuning: step 8 of 12",
    share=0.55,
    created_at=time.time() - 60,
    finished_at=None,
)


def watching() -> None:
    import time

    from isogloss.pages.widgets.runs import compute

    compute.watch("run-1", 5, time.time())


@pytest.mark.parametrize("alive", [True, False])
def test_dead_worker_is_said_and_another_started(workspace: Path, monkeypatch: pytest.MonkeyPatch, alive: bool) -> None:
    started: list[object] = []
    monkeypatch.setattr(client, "job", lambda *_: RUNNING)
    monkeypatch.setattr(starter, "ensure_worker", started.append)
    monkeypatch.setattr(slots, "alive", lambda _: [WorkerReport(pid=1)] if alive else [])
    app = AppTest.from_function(watching, default_timeout=PATIENCE).run()
    assert not app.exception
    said = " ".join(each.value for each in app.markdown)
    assert ("No worker on this machine" in said) is not alive
    buttons = {button.label: button for button in app.button}
    assert ("Start a worker" in buttons) is not alive
    if not alive:
        buttons["Start a worker"].click().run()
        assert len(started) == 1
        assert "Worker starting" in " ".join(each.value for each in app.markdown)
