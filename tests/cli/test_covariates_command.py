"""`isogloss covariates`, as a person types it."""

from __future__ import annotations

import json
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


def test_results_are_imported_with_what_their_names_do_not_tell(workspace: Path, tmp_path: Path) -> None:
    results = {"xnli_de": {"acc,none": 0.5}, "hellaswag": {"acc,none": 0.25}}
    sizes = {task: {"effective": 100} for task in results}
    file = tmp_path / "results_1.json"
    file.write_text(json.dumps({"results": results, "configs": {}, "n-samples": sizes, "model_name": "org/small"}))
    with pytest.raises(CorpusError, match=r"results_1.json: 1 of 2 results \(50%\) would be left out: of no known language"):
        run("import", str(file))
    with pytest.raises(CorpusError, match="'hellaswag' says no language"):
        run("import", str(file), "--task-language", "hellaswag")
    run("import", str(file), "--task-language", "hellaswag=en", "--name", "Results")
    (entry,) = covariates.entries([workspace])
    shown = run("show", entry.id[:6])
    assert "xnli acc, org/small (share, higher is better)" in shown
    assert "0.4038 to 0.5962" in shown
    assert "lm-evaluation-harness · results_1.json · Wilson interval" in shown
