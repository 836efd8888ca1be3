"""Workers that are killed when a test is over, and work for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import connection, run_cache, starter
from tests.jobs.running import Worker, end
from tests.jobs.sweep import sweep


@pytest.fixture
def workers(workspace: Path) -> Iterator[list[Worker]]:
    started: list[Worker] = []
    yield started
    for worker in started:
        end(worker)
    connection._connection.cache_clear()
    run_cache.forget()
    starter._started.clear()


@pytest.fixture
def spec(workspace: Path, tmp_path: Path) -> AbxSpec:
    return sweep(workspace, tmp_path / "model")
