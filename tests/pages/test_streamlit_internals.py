"""What Isogloss uses of Streamlit beyond its documented names: a new version that drops it is noticed here, by name."""

from __future__ import annotations

from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import ScriptRunContext, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from isogloss.pages.widgets.server import streamlit_internals

ROOT = Path(__file__).resolve().parents[2]
ONLY = "pages/widgets/server/streamlit_internals.py"
WHY = f"Streamlit {version('streamlit')} has no {{}} any more. Look for its new name (or a public one) and change {ONLY} alone."


def test_the_names_are_there() -> None:
    assert callable(get_script_run_ctx)
    assert "is_history_navigation" in {field.name for field in fields(ScriptRunContext)}, WHY.format(
        "ScriptRunContext.is_history_navigation"
    )
    assert "uses_pages_directory" in vars(PagesManager), WHY.format("PagesManager.uses_pages_directory")


def test_a_script_is_told_from_the_server() -> None:
    def script() -> None:
        import streamlit as st

        from isogloss.pages.widgets.server import streamlit_internals

        st.text(f"{streamlit_internals.in_script()} {streamlit_internals.is_history_navigation()}")

    assert not streamlit_internals.in_script()
    assert not streamlit_internals.is_history_navigation()
    assert AppTest.from_function(script).run().text[0].value == "True False"


def test_a_pages_folder_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit decides it when the first session comes: what was decided at the server's start stays."""
    (tmp_path / "pages").mkdir()
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(tmp_path / "app.py"))
    assert PagesManager.uses_pages_directory, "Streamlit looks for no pages/ folder any more: ignore_pages_folder can go."
    streamlit_internals.ignore_pages_folder()
    PagesManager(str(tmp_path / "app.py"))
    assert not PagesManager.uses_pages_directory


def test_no_public_name_has_come_for_the_browsers_history() -> None:
    public = [name for name in dir(st.context) if "history" in name or "navigation" in name]
    assert not public, f"Streamlit {version('streamlit')} has st.context.{public}: use it in {ONLY}."


@pytest.mark.parametrize("module", ["streamlit.runtime", "streamlit.web", "streamlit.navigation", "streamlit.elements", "st._"])
def test_private_names_of_streamlit_stand_in_one_file(module: str) -> None:
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "backend").rglob("*.py")]
    users = {path.relative_to(ROOT).as_posix() for path in files if f"{module}" in path.read_text(encoding="utf-8")}
    assert users <= {ONLY}
