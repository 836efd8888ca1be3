"""Where directions have no IGap: the least E′ that all have is a press away, and so are more epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.pages.widgets.runs import compute
from tests.pages.abx.abx_page import DEMO
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer import transfer_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from isogloss.backend.experiments.transfer.spec import TransferSpec

OPEN = {"data": transfer_workspace.NAME}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    on_the_demo(monkeypatch, tmp_path)
    return tmp_path


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[TransferSpec]:
    """Every spec that is offered to be computed."""
    found: list[TransferSpec] = []
    monkeypatch.setattr(compute, "offer", lambda spec, *_, **__: found.append(spec))
    return found


def short_of_zero(workspace: Path) -> TransferSpec:
    """Runs whose records end at a training error of 12%: those that follow are left out."""
    return transfer_workspace.fill(workspace, DEMO, lowest=0.12)


def said(app: AppTest) -> str:
    return " ".join(each.value for each in app.markdown).replace("\\", "")


def test_the_least_training_error_that_all_have_is_said_and_a_press_looks_there(workspace: Path) -> None:
    short_of_zero(workspace)
    app = opened("transfer", OPEN)
    assert "8 of 8 directions have no IGap at E′ = 0%, ε = 0.1%. The least training error of the runs is 12.5%." in said(app)
    assert "The least that all have is E′ = 12.5%, ε = 0.1%." in said(app)
    app.button(key="use-window").click().run()
    assert app.number_input(key="at_percent").value == 12.5
    assert "have no IGap" not in said(app)
    assert "IGap at 12.5% ≤ training error < 12.6%" in " ".join(each.value for each in app.caption)


def test_training_on_takes_the_runs_that_end_above_the_window_with_more_epochs(
    workspace: Path, offered: list[TransferSpec]
) -> None:
    spec = short_of_zero(workspace)
    opened("transfer", OPEN, {"train-on": True})
    (longer,) = offered
    epochs = 4 * spec.training.epochs
    changed = {"training": spec.training.model_copy(update={"epochs": epochs}), "languages": transfer_workspace.LANGUAGES}
    assert longer == spec.model_copy(update=changed)
    offered.clear()
    opened("transfer", OPEN | {"at_percent": "20"}, {"train-on": True})
    assert not offered  # the runs passed this window


@pytest.mark.parametrize("few", [False, True])
def test_the_quick_look_that_is_offered_is_what_the_form_says_untouched(
    workspace: Path, offered: list[TransferSpec], few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isogloss.pages.transfer.training import form

    monkeypatch.setattr(form, "QUICK_ROWS", 10 if few else 1000)
    tasks.keep(transfer_workspace.small_task(), "Untrained", workspace)
    app = opened("transfer", {"data": "Untrained"})
    assert not [each for each in app.number_input if str(each.key).startswith("train_")]  # the form is closed
    quick = list(offered)
    offered.clear()
    opened("transfer", {"data": "Untrained"}, {"train-models": True})
    assert quick
    assert quick == offered
    assert {spec.rows for spec in quick} == {10 if few else None}


def test_scores_of_a_removed_task_are_shown_and_nothing_is_trained_on_it(workspace: Path, offered: list[TransferSpec]) -> None:
    spec = transfer_workspace.fill(workspace, DEMO, training=FinetuneOptions(epochs=5, windows="all"))
    tasks.remove(spec.corpus, workspace)
    name = f"Removed task {spec.corpus[:6]}"
    for view in ("Matrix", "Best source", "Curves", "Decomposition", "Tables"):
        app = opened("transfer", {"data": name, "view": view})
        assert app.selectbox(key="data").value == name
        assert any("Library" in each.value and name in each.value for each in app.caption)
        assert not [each for each in app.info if "No run of this selection" in each.value]
    assert not offered
    app = opened("transfer", {"data": name, "view": "Examples"})
    assert [*app.error, *app.warning, *app.info]
