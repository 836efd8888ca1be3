"""The collector is told once a page, and what it is told makes its work short."""

from __future__ import annotations

import gc
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

from isogloss.pages.widgets.server import collector
from tests.pages.opened import APP
from tests.pages.opened import app as visitor

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_imports_are_spared_once_a_page(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[int] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    collector.spare_imports.clear()
    app = visitor().run()
    assert not app.exception
    assert len(frozen) == 1
    app.run()
    assert len(frozen) == 1
    app.switch_page("pages/jobs/page.py").run()
    app.run()
    assert len(frozen) == 2
    visitor().run()  # another visitor of the same server
    assert len(frozen) == 2


def test_a_collection_skips_what_was_spared() -> None:
    kept = [[i] for i in range(300_000)]
    gc.collect()
    collector.spare_imports.clear()
    try:
        looked_at = len(gc.get_objects())
        assert looked_at > len(kept)
        collector.spare_imports("a page")
        assert len(gc.get_objects()) < looked_at / 3
        assert gc.get_freeze_count() > len(kept)
    finally:
        gc.unfreeze()
        collector.spare_imports.clear()


def test_a_collection_is_made_every_few_seconds_and_not_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []
    clock = [100.0]
    monkeypatch.setattr(collector.gc, "collect", lambda: made.append(clock[0]))
    monkeypatch.setattr(collector.time, "monotonic", lambda: clock[0])
    given_back: list[float] = []
    monkeypatch.setattr(collector.memory, "give_back", lambda: given_back.append(clock[0]))
    monkeypatch.setattr(collector, "_last", 0.0)
    monkeypatch.setattr(collector, "_given_back", 0.0)
    for clock[0] in (100.0, 100.5, 101.9, 102.0, 103.0, 109.0, 110.0, 111.0, 112.0):
        collector.collect_at_times()
    assert given_back == [100.0, 110.0]  # which collects too
    assert made == [102.0, 109.0, 112.0]


def test_streamlit_makes_none_after_each_run() -> None:
    config = tomllib.loads((APP.parent / ".streamlit" / "config.toml").read_text())
    assert config["runner"]["postScriptGC"] is False


def test_the_server_ends_without_a_word() -> None:
    code = (
        "import duckdb\n"
        "from isogloss.backend.experiments.abx import queries as abx_queries\n"
        "from isogloss.pages.widgets.server.collector import spare_imports\n"
        "abx_queries.grid([], ['de', 'en'], ['checkpoint'])\n"
        "spare_imports('a page')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=APP.parent, capture_output=True, text=True, check=True)
    assert "leaked" not in done.stderr
