"""A model's scores as files of others, from the Library: made on a press, refused in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamlit.testing.v1 import AppTest

from tests.pages.abx.abx_page import DEMO

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def dialog() -> None:
    from isogloss.backend.models.library import library
    from isogloss.backend.settings import settings
    from isogloss.pages.library.models import evaluations

    [model] = [each for each in library.entries(settings().workspaces) if each.name == "Demo MLM"]
    evaluations.draw(model)


def test_both_forms_are_made_on_a_press(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    app = AppTest.from_function(dialog, default_timeout=60).run()
    assert not app.get("download_button")
    app.button(key="evaluations-make").click().run()
    assert len(app.get("download_button")) == 1
    app.radio[0].set_value("eval_results").run()
    app.button(key="evaluations-make").click().run()
    assert "is of no data set of the Hub" in app.error[0].value
    app.text_input[0].set_value("org/own").run()
    app.button(key="evaluations-make").click().run()
    assert not app.error
    assert len(app.get("download_button")) == 1
    app.selectbox[0].set_value("checkpoint-10").run()  # of which fewer scores are kept
    app.button(key="evaluations-make").click().run()
    assert not app.exception
