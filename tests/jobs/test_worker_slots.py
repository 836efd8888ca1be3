"""What a worker said of its machine is still known when it is gone, and one that is on its way is not started again."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from backend.jobs import client, slots
from backend.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_last_worker_is_remembered_first(tmp_path: Path) -> None:
    first, second = slots.take(tmp_path), slots.take(tmp_path)
    first.describe({"device": "old", "measured_at": 1.0})
    second.describe({"device": "new", "measured_at": 2.0})
    slots.take(tmp_path).describe({"device": "starting"})
    assert {about["device"] for about in slots.alive(tmp_path)} == {"old", "new"}  # the third one's lock is gone with it
    first.handle.close()
    second.handle.close()
    assert slots.alive(tmp_path) == []
    assert [about["device"] for about in slots.remembered(tmp_path)] == ["new", "old", "starting"]


def test_two_presses_in_a_second_start_one_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process takes seconds to its slot: until then the one on its way is not seen among the living."""

    class Started:
        code: int | None = None

        def __init__(self, *_: object, **__: object) -> None:
            self.pid = 4_000_000 + len(made)
            made.append(self)

        def poll(self) -> int | None:
            return self.code

    made: list[Started] = []
    monkeypatch.setattr(client.subprocess, "Popen", Started)
    monkeypatch.setattr(client, "_started", [])
    monkeypatch.setattr(client, "_workspaces", {})
    mine = Settings(workspace=tmp_path)
    assert client.ensure_worker(mine)
    assert not client.ensure_worker(mine)
    other = dataclasses.replace(mine, workspace=tmp_path / "another")
    assert client.ensure_worker(other)
    made[-1].code = 1
    assert client.ensure_worker(other)
    monkeypatch.setattr(client, "STARTING_SECONDS", 0.0)
    assert client.ensure_worker(other)
    assert len(made) == 4
