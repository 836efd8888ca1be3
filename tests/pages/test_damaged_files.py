"""A workspace with files of other versions, of other programs and half written ones: no page stops, and they are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from isogloss.backend.cli import app as command_line
from isogloss.backend.store import cache, quarantine, records, scores
from tests.damaged import (
    DEMO,
    FOLDERS,
    not_numbers,
    tree,
    with_entries,
    with_footers,
    with_tables,
    with_what_people_wrote,
)
from tests.pages.opened import opened

PAGES = (
    "home",
    "abx",
    "alignment",
    "geometry",
    "probing",
    "transfer",
    "latent",
    "tokenisers",
    "emergent",
    "relations",
    "boards",
    "library",
    "jobs",
)


def walk() -> int:
    """Open every page; none may stop. How many figures they show."""
    figures = 0
    for page in PAGES:
        app = opened(page, {})
        assert not app.error, (page, [each.value for each in app.error])
        figures += len(app.get("plotly_chart"))
    return figures


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace beside the demo."""
    folder = tmp_path / "workspace"
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(folder))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return folder


def test_no_file_stops_a_page_all_are_named_and_who_may_only_look_changes_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {folder: with_footers(workspace, folder) for folder in FOLDERS}
    names = {folder: with_tables(workspace, folder) for folder in FOLDERS}
    for folder in FOLDERS:
        written[folder] += not_numbers(workspace, folder)
    before, demo = tree(workspace), tree(DEMO)
    monkeypatch.setenv("ISOGLOSS_READ_ONLY", "1")
    assert walk() > 10
    assert tree(workspace) == before
    assert tree(DEMO) == demo
    monkeypatch.delenv("ISOGLOSS_READ_ONLY")
    text = " ".join(each.label for each in opened("home", {}).get("page_link"))
    assert "of results left out: see which, and why" in text
    shown = opened("jobs", {"jobs-view": "Storage"}).dataframe
    assert any("written by a newer Isogloss (format 3; this reads 1)" in frame.value.to_string() for frame in shown)
    out = {path.stem: why for path, why in cache.left_out([workspace])}
    said = {Path(note["file"]).stem: note["reason"] for note in quarantine.notes(workspace)} | out
    assert {name for own in names.values() for name in own} <= set(said)
    assert all(name in why for name, why in said.items())
    read = len(scores.shards([workspace])) + len(records.files([workspace]))
    assert read + len(said) == sum(written.values()) + sum(map(len, names.values()))
    result = CliRunner().invoke(command_line, ["cache", "check"])
    assert result.exit_code == 1
    assert all(why in result.output for why in out.values())
    result = CliRunner().invoke(command_line, ["scores", "--sql", "SELECT count(*) AS n FROM scores"])
    assert result.exit_code == 0
    assert all(why in result.output for why in out.values())


def test_entries_boards_and_notes_that_cannot_be_read_stop_no_page(workspace: Path) -> None:
    with_entries(workspace)
    with_what_people_wrote(workspace)
    figures = 0
    shelves = [{"shelf": shelf} for shelf in ("Tasks", "Tagged text", "Dictionaries", "Emergent", "Models", "Vectors")]
    more = {"library": [{}, *shelves], "jobs": [{}, {"jobs-view": "Storage"}], "boards": [{}, {"board": "a" * 12}]}
    for page in PAGES:
        for query in more.get(page, [{}]):
            app = opened(page, query)
            assert not app.error, (page, query, [each.value for each in app.error])
            figures += len(app.get("plotly_chart"))
    assert figures > 10
    said = CliRunner().invoke(command_line, ["cache", "check"]).output
    assert "The entry of dictionary" in said
    assert "The entry of emergent corpus" in said
