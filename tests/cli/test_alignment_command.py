"""`isogloss alignment` and `cache check` over what the user brought, as a person types them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from isogloss.backend.cli import app
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.word_alignments import library as alignments

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "en\tde\nThe dog sleeps.\tDer Hund schläft.\nIt's late!\tEs ist spät!\n"


@pytest.fixture
def corpus(workspace: Path, tmp_path: Path) -> Path:
    (tmp_path / "mine.tsv").write_text(TABLE, encoding="utf-8")
    run("corpus", "import", str(tmp_path / "mine.tsv"), "--name", "Mine")
    return tmp_path


def run(*arguments: str, fails: bool = False) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert (done.exit_code != 0) is fails, done.output
    return done.output


def aligned(folder: Path, links: str, *more: str) -> list[str]:
    (folder / "links.txt").write_text(links, encoding="utf-8")
    return ["alignment", "import", str(folder / "links.txt"), "--corpus", "Mine", "--source", "en", "--target", "de", *more]


def test_from_tokens_for_an_aligner_to_its_links_and_back(corpus: Path, workspace: Path) -> None:
    assert "2 sentences written" in run(
        "alignment", "tokens", "--corpus", "Mine", "--source", "en", "--target", "de", "-o", str(corpus / "out")
    )
    assert (corpus / "out").read_text(encoding="utf-8") == ("The dog sleeps ||| Der Hund schläft\nIt's late ||| Es ist spät\n")
    said = run(*aligned(corpus, "0-0 1-1 2-2\n1-2\n", "--name", "Machine"))
    assert "Pharaoh: 4 links (4 sure) in 2 sentences, en to de, saved as 'Machine'" in said
    table = alignments.load(alignments.entries([workspace])[0].id, [workspace]).table.to_pylist()
    assert [TABLE.split("\n")[2].split("\t")[0][r["source_start"] : r["source_end"]] for r in table[3:]] == ["late"]
    assert "Machine" in run("alignment", "list")
    assert "Mine" in run("alignment", "list")


def test_gold_with_its_own_tokens(corpus: Path, workspace: Path) -> None:
    (corpus / "t.en").write_text("The dog sleeps .\nIt 's late !\n", encoding="utf-8")
    (corpus / "t.de").write_text("Der Hund schläft .\nEs ist spät !\n", encoding="utf-8")
    files = ["--source-tokens", str(corpus / "t.en"), "--target-tokens", str(corpus / "t.de")]
    said = run(*aligned(corpus, "1-1 2-2 3-3 4-4\n1-1 2p2 3-3 4-4\n", "--gold", *files))
    assert "Note: links.txt counts tokens from 1." in said
    assert "8 links (7 sure) in 2 sentences, en to de, gold, saved as 'links'" in said
    assert alignments.entries([workspace])[0].gold
    assert "gold" in run("alignment", "list")


@pytest.mark.parametrize(
    ("links", "more", "message"),
    [
        ("0-0\n", [], "links.txt, line 1: The alignment has 1 lines for 2 sentence pairs"),
        ("0-0\n9-0\n", [], "links.txt, line 2: There is no source token 9"),
        ("0-0\n\n", ["--source-tokens", "x"], "The tokens of one language are missing"),
        ("0-0\n\n", ["--source-tokens", "x", "--target-tokens", "y"], "There is no file 'x'"),
        ("0-0\n\n", ["--target", "fr"], "The corpus has no language 'fr'"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    corpus: Path, workspace: Path, capsys: pytest.CaptureFixture[str], links: str, more: list[str], message: str
) -> None:
    with pytest.raises(SystemExit, match="1"):
        app(aligned(corpus, links, *more))
    assert capsys.readouterr().err.startswith(f"Error: {message}")
    assert alignments.entries([workspace]) == []


def test_tokens_that_cannot_be_written(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="1"):
        app(["alignment", "tokens", "--corpus", "Mine", "--source", "en", "--target", "de", "-o", "/nowhere/x"])
    assert "'x' cannot be written (No such file or directory)" in capsys.readouterr().err


def test_check_reads_what_the_user_brought(corpus: Path, workspace: Path) -> None:
    run(*aligned(corpus, "0-0 1-1 2-2\n1-2\n", "--name", "Machine"))
    dictionaries.keep(Dictionary("en", "de", {"dog": ("hund",)}), "Words", workspace)
    assert "3 files read, 0 damaged" in run("cache", "check")
    usage = run("cache")
    assert all(f"\n{kind}" in usage for kind in ("corpora", "lexicons", "alignments"))
    for file in ("alignment", "lexicon", "corpus"):
        (path,) = workspace.rglob(f"{file}.parquet")
        path.write_bytes(path.read_bytes()[:-20])
    said = run("cache", "check", fails=True)
    assert "3 files read, 3 damaged" in said
    for kind, name in (("alignment", "Machine"), ("dictionary", "Words"), ("corpus", "Mine")):
        assert f"The {kind} '{name}' is damaged or missing on disk" in said
    assert len(library.entries([workspace])) == 1
