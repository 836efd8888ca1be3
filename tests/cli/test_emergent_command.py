"""`python -m backend emergent`, as a person types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from backend.cli import app
from backend.corpora.emergent import library as emergent_library
from backend.errors import CorpusError, SpecError
from backend.experiments.named import emergent_named
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> str:
    return output("emergent", *arguments)


def test_import_list_and_show(workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(f'{{"m": [5, {i % 3}], "n": [1]}}\n' for i in range(40)) + '{"m": [-1], "n": [1]}\n')
    asked = ["import", str(path), "--field", "m", "--name", "Game", "--licence", "MIT"]
    with pytest.raises(CorpusError, match=r"game.jsonl: 1 of 41 rows \(2.4%\) would be left out: a negative id .*--renumber"):
        run(*asked)
    assert emergent_library.entries([workspace]) == []
    assert "41 utterances, 5 different symbols" in run(*asked, "--renumber", "--name", "Renumbered")
    done = run(*asked, "--drop-broken")
    assert "Left out: game.jsonl, line 41: a negative id: -1" in done
    assert "1 left out: a negative id" in done
    assert "JSON Lines of objects, field 'm': 80 tokens, 40 utterances, 4 different symbols, saved as 'Game'" in done
    kept = {entry.name: entry.licence for entry in emergent_library.entries([workspace])}
    assert kept == {"Game": "MIT", "Renumbered": "MIT"}
    assert "Game  " in run("list")
    shown = run("show", "Game", "--utterances", "2")
    assert "40, 2.0 tokens on average, 2 at most" in shown
    assert "1 5 0\n" in shown
    assert "21 5 2\n" in shown
    assert emergent_named(emergent_named("Game").id[:8]).name == "Game"
    with pytest.raises(SpecError, match=r"no emergent corpus 'Gme'. Did you mean 'Game'"):
        emergent_named("Gme")


def test_statistics_of_some_or_of_all(workspace: Path, tmp_path: Path) -> None:
    assert "No emergent corpus is saved" in run("statistics")
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text("3 1 3\n1 2 1\n" * (20 if name == "one" else 5))
        run("import", str(tmp_path / f"{name}.txt"))
    lines = run("statistics").splitlines()
    assert lines[0].split()[:5] == ["corpus", "tokens", "utterances", "unique", "vocabulary"]
    assert lines[1].split()[:5] == ["one", "120", "40", "0.05", "3"]
    assert lines[2].split()[:5] == ["two", "30", "10", "0.2", "3"]
    assert "one: Only 2 of 40 utterances are different ones; the rest repeat them." in lines
    assert "2 rows written to" in run("statistics", "-o", str(tmp_path / "out.csv"))
    written = pd.read_csv(tmp_path / "out.csv").set_index("corpus")
    assert written.loc["one", "tokens"] == 120
    assert {"conditional", "corrected"} <= set(written)
    assert lines[1].split()[lines[0].split().index("alpha")] == "-"
    alone = run("statistics", "two")
    assert "two: Only 2 of 10" in alone
    assert "one: " not in alone
    assert run("statistics", "two", "--shuffle", "over", "--seed", "1") != run("statistics", "two")


def test_files_are_corpora_of_their_own_or_one(workspace: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.jsonl.gz"]
    paths[0].write_text("ba bu\n")
    paths[1].write_text(json.dumps("bu bi") + "\n")
    run("import", *map(str, paths), "--symbols", "characters")
    assert [entry.name for entry in emergent_library.entries([workspace])] == ["a", "b"]
    run("import", *map(str, paths), "--together", "--name", "both")
    assert emergent_named("both").utterances == 2
    assert emergent_named("both").vocabulary_size == 3
    assert emergent_named("a").vocabulary_size == 4


def test_a_problem_is_a_sentence(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": [1], "b": [2]}\n')
    for arguments in (
        ["import", str(path)],
        ["import", str(path), "--field", "bb"],
        ["import", str(tmp_path / "none")],
        ["import", str(path), str(path), "--name", "x"],
        ["show", "x"],
    ):
        with pytest.raises(SystemExit, match="1"):
            app(["emergent", *arguments])
    errors = capsys.readouterr().err
    assert "x.jsonl, line 1: Nothing says which field holds the utterances. Choose one of: 'a', 'b'." in errors
    assert "There is no field 'bb'. Did you mean 'b'?" in errors
    assert "There is no file 'none'" in errors
    assert "Several corpora cannot have one name" in errors
    assert "Import one with `emergent import`" in errors
    assert emergent_library.entries([workspace]) == []
