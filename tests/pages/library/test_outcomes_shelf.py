"""Results of other tools: dropped on the Library, asked about, kept, and predicted on Relations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.covariates import library as covariates
from tests.pages.abx.abx_page import CONTRAST, DEMO, record
from tests.pages.library.shelves import press, shown
from tests.pages.library.test_covariates_shelf import dropped, page_links

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

LANGUAGES = {"deu_Latn": 0.5, "fin_Latn": 0.4, "rus_Cyrl": 0.3, "spa_Latn": 0.55, "tur_Latn": 0.2}


def results(model: str) -> bytes:
    of_tasks = {f"belebele_{name}": {"acc,none": value} for name, value in LANGUAGES.items()}
    return json.dumps(
        {
            "results": of_tasks | {"hellaswag": {"acc,none": 0.6}},
            "configs": {},
            "n-samples": {task: {"effective": 900} for task in of_tasks},
            "model_name": model,
            "lm_eval_version": "0.4.9",
        }
    ).encode()


def test_results_are_asked_about_and_kept(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = dropped(open_page("library", shelf="Covariates"), "results_1.json", results("org/unknown"))
    assert "Not in the Library under this id and revision: org/unknown." in shown(app)
    assert app.text_area[0].value == "hellaswag = "
    app.text_area[0].set_value("hellaswag = xxq").run()
    press(app, "read-table")
    assert "'xxq' is not a language that Isogloss knows" in app.error[0].value.replace("\\", "")
    app.text_area[0].set_value("hellaswag = English").run()
    press(app, "read-table")
    assert "Recognised: 6 languages · 2 columns: belebele acc, org/unknown, hellaswag acc, org/unknown" in shown(app)
    press(app, "keep-table of covariates")
    (entry,) = covariates.entries([workspace])
    assert [outcome.title for outcome in entry.outcomes.values()] == ["belebele acc", "hellaswag acc"]
    assert page_links(app) == [("Measure: Relations", "unit=Language&y=belebele+acc")]


def test_relations_predicts_an_outcome_of_the_chosen_model(
    open_page: Callable[..., AppTest], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    app = dropped(open_page("library", shelf="Covariates"), "results_1.json", results("org/unknown"))
    app.selectbox(key="outcomes-model-0").select(CONTRAST).run()
    app.text_area[0].set_value("hellaswag = ").run()
    press(app, "read-table")
    kept = next(button.key for button in app.button if str(button.key).startswith("keep-table"))
    press(app, kept)
    figures = record(monkeypatch)
    page = open_page("relations", unit="Language", x="Language discrimination", y="belebele acc")
    assert not page.exception
    boxes = {box.key: box.value for box in page.selectbox}
    assert (boxes["y"], boxes["y_model"], boxes["x_model"]) == ("belebele acc", CONTRAST, CONTRAST)
    drawn = figures[0].drawn
    traces = [trace for trace in drawn.data if trace.customdata is not None]
    found = {str(name): float(y) for trace in traces for name, y in zip(trace.hovertext, trace.y, strict=True)}
    expected = {"German": 0.5, "Finnish": 0.4, "Russian": 0.3, "Spanish": 0.55, "Turkish": 0.2}
    assert found == pytest.approx({name: expected[name] for name in found})
    assert len(found) > 2
    assert all("n = 900<br>lm-evaluation-harness 0.4.9" in str(line) for trace in traces for line in trace.customdata)
    assert "belebele acc (share; higher = better)" in drawn.layout.yaxis.title.text.replace("<br>", " ")
