"""docs/python.md and docs/notebook.ipynb are true: their code runs, on the demo, in a workspace of its own."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import isogloss
from tests.pages.abx.abx_page import DEMO

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "python.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo, and an empty workspace of one's own, in a folder where files may be written."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "own"))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    monkeypatch.chdir(tmp_path)


def test_the_examples_run(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
            exec(compile(block, "docs/python.md", "exec"), names)
    assert (tmp_path / "pairs.html").stat().st_size > 10_000
    assert "abx_meaning" in printed.getvalue()
    assert set(names["frame"]["layer"]) == {2, 3}
    assert len(names["figure"].data)


def test_every_public_name_is_listed() -> None:
    table = TEXT.split("| name | what it does |")[1].split("\n\n")[0]
    assert {name for name in isogloss.__all__ if f"`{name}`" not in table} == set()


def test_the_notebook_measures_two_models_and_saves_their_figure(tmp_path: Path) -> None:
    notebook = nbformat.read(DOCS / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = "".join(str(output) for cell in notebook.cells for output in cell.get("outputs", []))
    assert "Demo MLM + translation contrast" in outputs
    assert (tmp_path / "discrimination.html").stat().st_size > 10_000
