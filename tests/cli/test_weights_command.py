"""`run weights`, as a person types it: from a run's id and a step to a spec."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from backend.cli import app
from backend.errors import SpecError
from backend.experiments import registry
from backend.experiments.transfer.weights import TransferWeightsSpec
from backend.settings import DEMO
from backend.store import records
from tests.pages.transfer.transfer_workspace import fill

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of made-up runs of a demo model."""
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    fill(workspace, DEMO)
    return [file.run for file in records.files([workspace])]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> TransferWeightsSpec:
    try:
        app(["run", "weights", *arguments, "--print-spec"], prog_name="python -m backend")
    except SystemExit as end:
        if end.code:
            raise
    found = registry.parse(json.loads(capsys.readouterr().out))
    assert isinstance(found, TransferWeightsSpec)
    return found


def test_a_run_and_a_step(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for run in runs:
        spec = printed(capsys, "--run", run[:8], "--step", "30")
        assert (spec.key, spec.step) == (run, 30)
    assert printed(capsys, "--run", runs[0]).step == 100


@pytest.mark.parametrize(
    ("run", "step", "said"),
    [
        ("zzzz", 30, "There is no run 'zzzz'"),
        ("", 30, "There is no run"),
        ("first", 31, "no record at step 31: it has one every 10 steps and at its last, 100"),
    ],
)
def test_what_cannot_be_kept_is_said(
    runs: list[str], capsys: pytest.CaptureFixture[str], run: str, step: int, said: str
) -> None:
    with pytest.raises((SystemExit, SpecError)) as raised:
        printed(capsys, "--run", runs[0] if run == "first" else run, "--step", str(step))
    output = capsys.readouterr()
    assert said in output.err + output.out + str(raised.value)
