"""What a worker said of its machine is still known when it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.jobs import slots

if TYPE_CHECKING:
    from pathlib import Path


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
