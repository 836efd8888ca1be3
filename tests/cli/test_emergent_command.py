"""`isogloss emergent`, as a person types it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.errors import CorpusError, IsoglossError
from isogloss.backend.experiments.named import emergent_named
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> str:
    return output("emergent", *arguments)


def test_a_field_is_read_and_its_utterances_are_shown(workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(f'{{"m": [5, {i % 3}], "n": [1]}}\n' for i in range(40)) + '{"m": [-1], "n": [1]}\n')
    asked = ["import", str(path), "--field", "m", "--name", "Game"]
    with pytest.raises(CorpusError, match=r"game.jsonl: 1 of 41 rows \(2.4%\) would be left out: a negative id .*--renumber"):
        run(*asked)
    assert emergent_library.entries([workspace]) == []
    assert "41 utterances, 5 different symbols" in run(*asked, "--renumber", "--name", "Renumbered")
    done = run(*asked, "--drop-broken")
    assert "Left out: game.jsonl, line 41: a negative id: -1" in done
    assert "1 left out: a negative id" in done
    assert "JSON Lines of objects, field 'm': 80 tokens, 40 utterances, 4 different symbols, saved as 'Game'" in done
    shown = run("show", "Game", "--utterances", "2")
    assert "40, 2.0 tokens on average, 2 at most" in shown
    assert "1 5 0\n" in shown
    assert "21 5 2\n" in shown


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


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "x.jsonl, line 1: Nothing says which field holds the utterances. Choose one of: 'a', 'b'."),
        (["--field", "bb"], "There is no field 'bb'. Did you mean 'b'?"),
        (["x.jsonl", "--name", "x"], "Several corpora cannot have one name"),
    ],
)
def test_a_problem_is_a_sentence(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jsonl").write_text('{"a": [1], "b": [2]}\n')
    with pytest.raises(IsoglossError, match=re.escape(said)):
        run("import", "x.jsonl", *more)
    assert emergent_library.entries([workspace]) == []


def test_meanings_come_from_columns_or_a_file_and_are_measured(workspace: Path, tmp_path: Path) -> None:
    rows = [(size, kind) for size in range(4) for kind in range(3)] * 5
    messages, told = tmp_path / "game.csv", tmp_path / "told.txt"
    messages.write_text("message,size,kind,round\n" + "".join(f"{a} {10 + b},{a},{b},1\n" for a, b in rows))
    told.write_text("".join(f"{a} {b}\n" for a, b in rows))
    assert "Not read, since not the utterances: columns 'size', 'kind', 'round'." in run("import", str(messages))
    assert "Topographic" not in run("statistics")
    done = run("import", str(messages), "--meaning", "size,kind")
    assert "meanings of 2 attributes (size, kind), saved as 'game'" in done
    assert "Not read, since neither utterances nor meanings: column 'round'." in done
    plain = tmp_path / "plain.txt"
    plain.write_text("".join(f"{a + 5} {10 + b}\n" for a, b in rows))
    assert "meanings of 2 attributes (1, 2)" in run("import", str(plain), "--meanings", str(told))
    assert re.search(r"meanings +2 attributes \(1, 2\)", shown := run("show", "plain", "--utterances", "1"))
    assert "1 5 10 ← 0, 0" in shown
    printed = run("statistics", "game", "-o", str(tmp_path / "out.csv"))
    assert "game: Topographic similarity 1.000 (95% 1.000 to 1.000); meanings in a random order " in printed
    assert "p = 0.01; 60 utterances." in printed
    assert pd.read_csv(tmp_path / "out.csv").loc[0, ["posdis", "bosdis"]].tolist() == pytest.approx([1, 1])
    assert "Topographic similarity 0." in run("statistics", "game", "--distance", "euclidean", "--normalised")
    told.write_text("1 2\n")
    with pytest.raises(CorpusError, match=r"told.txt: It has 1 rows? of meanings, plain.txt 60 rows of utterances"):
        run("import", str(plain), "--meanings", str(told))
    with pytest.raises(CorpusError, match="One file of meanings is of one corpus"):
        run("import", str(plain), str(messages), "--meanings", str(told))
