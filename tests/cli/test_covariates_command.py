"""`isogloss covariates`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.errors import CorpusError
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> str:
    return output("covariates", *arguments)


def test_what_is_left_out_is_asked_about_and_the_numbers_are_shown(workspace: Path, tmp_path: Path) -> None:
    file = tmp_path / "speakers.csv"
    file.write_text("language;speakers;family\nde;90;Germanic\nfin;5.5;Uralic\nxxq;1;none\n", encoding="utf-8-sig")
    with pytest.raises(CorpusError, match=r"speakers.csv: 1 of 3 rows \(33%\) would be left out: no known language"):
        run("import", str(file), "--name", "Speakers")
    said = run("import", str(file), "--name", "Speakers", "--drop-broken")
    assert "Note: Column 'family' is left out: 'Germanic' in line 2 is no number." in said
    assert "Note: 1 row is left out: 'xxq' in line 4 is no known language." in said
    (entry,) = covariates.entries([workspace])
    shown = run("show", entry.id[:6])
    assert [line.split() for line in shown.splitlines()[-3:]] == [["language", "speakers"], ["de", "90"], ["fi", "5.5"]]
    assert "Note: Column 'family'" in shown
