"""`run weights`, as a person types it: from a run's id and a step to a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec
from isogloss.backend.settings import DEMO
from isogloss.backend.store import records
from tests.cli.typed import spec_of
from tests.pages.transfer.transfer_workspace import fill

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of made-up runs of a demo model."""
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    fill(workspace, DEMO)
    return [file.run for file in records.files([workspace])]


def test_a_run_and_a_step(runs: list[str]) -> None:
    for run in runs:
        spec = spec_of(TransferWeightsSpec, "weights", "--run", run[:8], "--step", "30")
        assert (spec.key, spec.step) == (run, 30)
    assert spec_of(TransferWeightsSpec, "weights", "--run", runs[0]).step == 100


@pytest.mark.parametrize(
    ("run", "step", "said"),
    [
        ("zzzz", 30, "There is no run 'zzzz'"),
        ("", 30, "There is no run"),
        ("first", 31, "no record at step 31: it has one every 10 steps and at its last, 100"),
    ],
)
def test_what_cannot_be_kept_is_said(runs: list[str], run: str, step: int, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        spec_of(TransferWeightsSpec, "weights", "--run", runs[0] if run == "first" else run, "--step", str(step))
