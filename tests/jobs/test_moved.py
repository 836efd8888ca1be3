"""A run whose checkpoints lie elsewhere now: the copy that a watch scored is gone, the model says where the weights are."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING

from isogloss.backend.jobs import client, moved
from isogloss.backend.settings import Settings
from tests.jobs.sweep import sweep

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_run_of_a_copy_that_is_gone_reads_where_its_model_says(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sweep(workspace, tmp_path / "run", checkpoints=2, sentences=3)
    copies = tuple(each.model_copy(update={"location": str(tmp_path / "copy" / each.label)}) for each in whole.checkpoints)
    again = whole.model_copy(update={"checkpoints": copies})
    assert moved.found_again(again, [workspace]) == whole
    assert again.id == whole.id
    shutil.copytree(whole.checkpoints[0].location, copies[0].location)
    shutil.rmtree(whole.checkpoints[1].location)
    queue = SimpleNamespace(list_workflows=lambda **_: [], enqueue=lambda *_: None)
    monkeypatch.setattr(client, "connect", lambda _: nullcontext(queue))
    run = client.submit(again, Settings(workspace=workspace, demo=None))
    kept = json.loads(client._spec_path(workspace, run).read_bytes())
    assert [each["location"] for each in kept["checkpoints"]] == [each.location for each in copies], (
        "a copy that is there is read, and what is nowhere stays as it was asked for"
    )
    shutil.rmtree(copies[0].location)
    run = client.submit(again, Settings(workspace=workspace, demo=None))
    kept = json.loads(client._spec_path(workspace, run).read_bytes())
    assert [each["location"] for each in kept["checkpoints"]] == [whole.checkpoints[0].location, copies[1].location]
