"""A real training by the Trainer, a real worker, real scores: each is that of the checkpoint it names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context
from isogloss.backend.jobs.watch import record, template
from isogloss.backend.jobs.watch.record import State, Watch
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.library.library import load_entry
from isogloss.backend.settings import Settings
from tests.jobs.running import Worker, rows, start, wait
from tests.jobs.sweep import sweep

ROOT = Path(__file__).parents[3]
STEPS, SAVE, LIMIT = 60, 20, 2


@pytest.fixture
def training(tmp_path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.jobs.watch.real_training", str(tmp_path / "run"), *map(str, (STEPS, SAVE, LIMIT))]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})


def test_checkpoints_are_scored_while_they_are_trained(
    workspace: Path, tmp_path: Path, workers: list[Worker], training: subprocess.Popen[bytes]
) -> None:
    measured = sweep(workspace, tmp_path / "other", checkpoints=1, sentences=30)
    spec = measured.model_copy(update={"model": "run", "checkpoints": (template.TO_COME,), "languages": ("de", "en")})
    place = str(tmp_path / "run")
    watch = Watch(source="folder", location=place, model="run", spec=template.of(spec), every=SAVE)
    record.add(watch, workspace)
    workers.append(start(workspace))

    def state() -> State:
        return record.state(workspace, watch.id)

    wait(lambda: {each.label for each in state().scored} >= {"checkpoint-40", "checkpoint-60"})
    assert training.wait() == 0
    wait(lambda: not any(each.status in ("queued", "waiting") for each in state().seen))
    assert not any(each.status == "failed" for each in state().seen)
    assert not (tmp_path / "run" / "checkpoint-20").exists()  # the Trainer deleted it, scored or not
    model = load_entry("run", [workspace])
    assert [each.step for each in model.checkpoints] == sorted(each.step or 0 for each in model.checkpoints)
    # What is there still, scored alone and from where the training left it, has the very same scores.
    alone = tmp_path / "alone"
    shutil.copytree(workspace / "corpora", alone / "corpora")
    left = discover(place, name="run")
    again = spec.model_copy(update={"checkpoints": left.checkpoints})
    for shard in again.shards():
        registry.compute(again, shard, Context(Settings(workspace=alone, demo=None)))
    expected = rows(alone)
    assert expected
    assert expected <= rows(workspace)
