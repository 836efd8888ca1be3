"""A real worker, killed with SIGKILL in the middle of a checkpoint: the next one goes on at the layer.

And nothing stays of a run that was cancelled.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.jobs import client
from isogloss.backend.settings import settings
from isogloss.backend.store import cache, scored_layers, scores
from tests.jobs.running import (
    CHECKPOINTS,
    HELD,
    Worker,
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

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.abx.shard import AbxSpec

HELD_AT = 1


@pytest.fixture(autouse=True)
def held(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELD_AT_LAYER", str(HELD_AT))
    (workspace / HELD).touch()


def kept(workspace: Path) -> list[Path]:
    return list((workspace / "scratch").glob("*"))


def reached(workspace: Path) -> bool:
    """The layer that holds on was begun, and those before it are kept."""
    return noted(workspace, "layers") == HELD_AT + 1 and len(kept(workspace)) == 1


def test_the_next_worker_goes_on_at_the_layer(workspace: Path, spec: AbxSpec, workers: list[Worker], tmp_path: Path) -> None:
    workers.append(start(workspace))
    run = client.submit(spec, settings())
    wait(lambda: reached(workspace))
    end(workers[-1])  # SIGKILL
    assert kept(workspace)
    let_go(workspace)
    workers.append(start(workspace))
    wait(lambda: (job := client.job(run, settings())) and job.state == "done")
    layers = scores.query("SELECT count(DISTINCT layer) AS amount FROM {scores}", {}, shards(workspace))["amount"][0]
    assert layers > HELD_AT + 1
    # The one that was in hand was begun twice; those that were kept were not.
    assert noted(workspace, "layers") == CHECKPOINTS * layers + 1
    assert not kept(workspace)
    assert missing(spec, workspace) == []
    assert rows(workspace) == rows(computed_alone(spec, workspace, tmp_path / "alone"))


@pytest.mark.parametrize("killed", [False, True])
def test_nothing_is_left_of_a_cancelled_run(workspace: Path, spec: AbxSpec, workers: list[Worker], killed: bool) -> None:
    """Whether a worker is at it, which stops at its next step, or was killed before."""
    workers.append(start(workspace))
    run = client.submit(spec, settings())
    wait(lambda: reached(workspace))
    if killed:
        end(workers[-1])
    client.cancel(run, settings())
    wait(lambda: not kept(workspace))
    if not killed:
        wait(lambda: noted(workspace, "over") == 1)
        end(workers[-1])
    assert not kept(workspace)
    assert noted(workspace, "layers") == HELD_AT + 1


def test_what_nobody_goes_on_with_is_kept_for_a_week(workspace: Path) -> None:
    for shard, old in (("old", True), ("new", False)):
        scored_layers.keep(workspace, shard, [{"layer": 0}], 1, 2.0, "float32")
        then = time.time() - scored_layers.STALE_SECONDS - 60 * (1 if old else -1)
        os.utime(scored_layers.place_of(workspace, shard), (then, then))
    (workspace / "scratch" / "activations").write_bytes(b"of a model that is run layer by layer")
    cache.forget_stale_layers(workspace)
    assert sorted(path.name for path in kept(workspace)) == ["activations", "new.scores.parquet"]
    assert scored_layers.load(workspace, "new", "float32") == ([{"layer": 0}], 1, 2.0)
