"""`python -m backend covariates`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from backend.cli import app
from backend.corpora.covariates import library as covariates
from backend.errors import CorpusError, SpecError

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["covariates", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_import_list_show_and_remove(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "speakers.csv"
    file.write_text("language;speakers;family\nde;90;Germanic\nfin;5.5;Uralic\nxxq;1;none\n", encoding="utf-8-sig")
    with pytest.raises(CorpusError, match=r"speakers.csv: 1 of 3 rows \(33%\) would be left out: no known language"):
        run("import", str(file), "--name", "Speakers")
    said = run("import", str(file), "--name", "Speakers", "--licence", "CC0-1.0", "--drop-broken")
    assert "Note: Column 'family' is left out: 'Germanic' in line 2 is no number." in said
    assert "Note: 1 row is left out: 'xxq' in line 4 is no known language." in said
    (entry,) = covariates.entries([workspace])
    assert f"2 languages, columns: speakers, saved as 'Speakers' ({entry.id})." in said
    assert entry.licence == "CC0-1.0"
    assert run("list").splitlines()[1].split() == ["Speakers", entry.id, "2", "speakers"]
    shown = run("show", entry.id[:6])
    assert [line.split() for line in shown.splitlines()[-3:]] == [["language", "speakers"], ["de", "90"], ["fi", "5.5"]]
    assert "Note: Column 'family'" in shown
    assert "'Speakers' is no longer in the workspace." in run("remove", "Speakers")
    assert covariates.entries([workspace]) == []
    with pytest.raises(SpecError, match=r"no table of covariates 'Speakers'\. Import one with `covariates import`"):
        run("remove", "Speakers")
