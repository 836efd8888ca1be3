"""The model looked at under Examples: offered with its price, and once kept, where it lies and how to load it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec, spec_of
from isogloss.backend.models.library import library as models
from isogloss.backend.store import records, weights
from isogloss.pages.transfer.training import keep
from isogloss.pages.widgets.figures import figure
from tests.pages.abx.abx_page import DEMO, MLM
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer.transfer_workspace import NAME, fill

ABOUT: dict[str, Any] = {
    "compared": 120,
    "different": 0,
    "errors": 6,
    "recorded_errors": 0,
    "examples": 40,
    "device": "cpu",
    "recorded_device": "cpu",
    "files": [],
    "use": {"form": "classifier", "encoder_decoder": False},
}


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TransferWeightsSpec:
    """What keeps the model that the page shows first: the last of the first run trained on English."""
    on_the_demo(monkeypatch, tmp_path)
    monkeypatch.setattr(figure, "beside", lambda **_: None)
    fill(tmp_path, DEMO, algorithms=("vanilla",), seeds=(0,), sources=("en",))
    (file,) = records.files([tmp_path])
    return spec_of(file, 100, models.entries([DEMO]))


def examples() -> AppTest:
    query = {"model": MLM, "data": NAME, "view": "Examples", "at_record": "Last step"}
    return opened("transfer", query, {"keep-model": True})


def keep_it(spec: TransferWeightsSpec, workspace: Path, **provenance: Any) -> Path:
    folder = weights.path(workspace, spec.id)
    folder.mkdir(parents=True)
    (folder / weights.ABOUT).write_text(json.dumps(ABOUT | provenance), encoding="utf-8")
    return folder


def test_it_is_offered_and_not_there(spec: TransferWeightsSpec) -> None:
    app = examples()
    assert any("Train up to step 100 again" in each.value and "3.0 MB" in each.value for each in app.markdown)
    assert [each.key for each in app.button if each.key == f"compute-{spec.id}"]
    assert not any("Kept" in each.value for each in app.markdown)


def test_where_it_lies_and_how_to_load_it(spec: TransferWeightsSpec, tmp_path: Path) -> None:
    folder = keep_it(spec, tmp_path)
    app = examples()
    assert not any("Train up to step" in each.value for each in app.markdown)
    (program,) = (each.value for each in app.code)
    assert f'folder = "{folder}"' in program
    assert "AutoModelForSequenceClassification.from_pretrained(folder)" in program
    assert any("All 120 predictions are those recorded" in each.value for each in app.caption)


def test_a_model_that_is_not_the_recorded_one_is_said(spec: TransferWeightsSpec, tmp_path: Path) -> None:
    keep_it(spec, tmp_path, different=7)
    (said,) = [each.value for each in examples().warning]
    assert "7 of 120 predictions differ" in said
    assert "its training error is 15.0%, the recorded one's 0.0%" in said.replace("\\", "")


def test_an_encoder_without_its_head_is_said(spec: TransferWeightsSpec, tmp_path: Path) -> None:
    keep_it(spec, tmp_path, use={"form": "encoder and head", "encoder_decoder": True})
    app = examples()
    assert "AutoModel.from_pretrained" in app.code[0].value
    assert ".get_encoder()" in app.code[0].value
    assert any("without its head" in each.value for each in app.caption)


def test_a_model_that_is_gone(spec: TransferWeightsSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep, "spec_of", lambda file, step, known: spec_of(file, step, []))
    (said,) = [each.value for each in examples().warning]
    assert "no longer in the library" in said
