"""Which checkpoint's files a worker reads while it computes another's."""

from __future__ import annotations

import pytest

from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs.workflows import _upcoming
from isogloss.backend.models.entry import Checkpoint


@pytest.mark.parametrize(
    ("place", "workers", "expected"), [(0, 1, 1), (2, 1, 3), (3, 1, None), (0, 2, 2), (1, 2, 3), (2, 2, None), (0, 0, 1)]
)
def test_the_other_workers_take_those_in_between(place: int, workers: int, expected: int | None) -> None:
    checkpoints = tuple(
        Checkpoint(source="folder", location=f"/m/step{i}", label=f"step{i}", step=i, fingerprint=f"{i:024}") for i in range(4)
    )
    spec = AbxSpec(model="m", checkpoints=checkpoints, corpus="c" * 24, languages=("de", "en"))
    shard = list(spec.shards())[place]
    assert _upcoming(spec.shards(), shard, workers) == (None if expected is None else checkpoints[expected])
