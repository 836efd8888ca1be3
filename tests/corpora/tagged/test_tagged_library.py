"""Kept tagged corpora: one folder for each content, nothing half kept; hostile archives and large files."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from backend.corpora.shared import brought, inputs
from backend.corpora.tagged import library as tagged_library
from backend.errors import CorpusError, StoreError
from backend.settings import ROOT
from tests.corpora.tagged.tagged_reading import Drop, columns, conllu, row

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = columns(*[[(f"word{i}", "NOUN"), (".", "PUNCT")] for i in range(12)], [("\u200b", "X"), ("so", "ADV")])


def test_keep_and_load(drop: Drop, workspace: Path) -> None:
    corpus = drop({"train-eng.tsv": TRAIN, "train-de.tsv": TRAIN.replace("word", "Wort"), "dev-de.tsv": "da\tADV\n"})
    entry = tagged_library.keep(corpus, "  Mine / ../x ", workspace, licence="CC0")
    assert (entry.id, entry.name, entry.kind, entry.parallel) == (corpus.id, "Mine / ../x", "pos", False)
    assert (entry.tags, entry.language_tags) == (("ADV", "NOUN", "PUNCT"), ["de", "en"])
    assert (entry.sentences, entry.words, entry.skipped) == (27, 51, 2)
    german, english = entry.languages
    assert (german.sentences, german.words) == ({"train": 13, "validation": 1}, {"train": 25, "validation": 1})
    assert (english.source_name, english.characters) == ("eng", sum(len(f"word{i} .") for i in range(12)) + 2)
    assert tagged_library.entries([workspace]) == [entry]
    again = tagged_library.load(entry.id, [workspace])
    assert again.table.equals(corpus.table, check_metadata=True)
    assert (again.report, again.name) == (corpus.report, "Mine / ../x")
    assert again.sentences("en", "test") == corpus.sentences("en", "test")
    assert sorted(p.name for p in (workspace / "tagged" / entry.id).iterdir()) == ["entry.json", "tagged.parquet"]
    assert brought.check(workspace) == (1, [])


def test_content_makes_the_identity(drop: Drop, workspace: Path) -> None:
    first = tagged_library.keep(drop({"train-en.tsv": TRAIN}), "first", workspace)
    assert tagged_library.keep(drop({"en/train.txt": TRAIN}), "second", workspace) == first
    with pytest.raises(CorpusError, match="Another tagged corpus is called 'First'"):
        tagged_library.keep(drop({"dev-en.tsv": TRAIN}), "First", workspace)
    with pytest.raises(CorpusError, match="A tagged corpus needs a name"):
        tagged_library.keep(drop({"dev-en.tsv": TRAIN}), "\n", workspace)
    assert tagged_library.rename(first.id, "Other", workspace).name == "Other"
    tagged_library.remove(first.id, workspace)
    with pytest.raises(CorpusError, match="There is no tagged corpus"):
        tagged_library.load(first.id, [workspace])
    for value in ("..", "../../etc", "G" * 24):
        with pytest.raises(CorpusError, match="is not the id of a tagged corpus"):
            tagged_library.load(value, [workspace])


def test_damage_is_noticed(drop: Drop, workspace: Path) -> None:
    entry = tagged_library.keep(drop({"train-en.tsv": TRAIN}), "first", workspace)
    folder = workspace / "tagged" / entry.id
    whole = (folder / "tagged.parquet").read_bytes()
    for broken in (whole[:-9], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:], b""):
        (folder / "tagged.parquet").write_bytes(broken)
        with pytest.raises(StoreError, match="The tagged corpus 'first' is damaged on disk"):
            tagged_library.load(entry.id, [workspace])
        assert len(brought.check(workspace)[1]) == 1
    (folder / "tagged.parquet").write_bytes(whole)
    provenance = json.loads((folder / "entry.json").read_text())
    (folder / "entry.json").write_text(json.dumps(provenance | {"kind": "nonsense"}))
    assert tagged_library.entries([workspace]) == []
    assert "The entry of tagged corpus" in tagged_library.problems([workspace])[0]


def test_names_without_texts_are_no_damage(drop: Drop, workspace: Path, tmp_path: Path) -> None:
    """Of data that may not be given away a workspace has the names alone; whoever imports the same data has their texts."""
    corpus, mine = drop({"train-en.tsv": TRAIN}), tmp_path / "mine"
    entry = tagged_library.keep(corpus, "Named", workspace)
    folder = workspace / "tagged" / entry.id
    (folder / "tagged.parquet").unlink()
    assert len(brought.check(workspace)[1]) == 1
    named = entry.model_copy(update={"names_only": True})
    (folder / "entry.json").write_text(named.model_dump_json())
    assert tagged_library.entries([workspace]) == [named]
    assert brought.check(workspace) == (1, [])
    with pytest.raises(CorpusError, match=r"The texts of 'Named' are not part of the demo.* Import the same data"):
        tagged_library.load(entry.id, [mine, workspace])
    kept = tagged_library.keep(corpus, "Named", mine)
    assert (kept.id, kept.names_only) == (entry.id, False)
    for order in ([mine, workspace], [workspace, mine]):
        assert tagged_library.load(entry.id, order).table.equals(corpus.table)
    assert tagged_library.entries([mine, workspace]) == [kept]


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_archives(drop: Drop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members are read whatever their names, which never become paths; what expands too far is refused."""
    plain = drop({"train-en.tsv": TRAIN, "dev-de.tsv": TRAIN})
    hostile = {"../../../tmp/train-en.tsv": TRAIN, "/etc/dev-de.tsv": TRAIN, "README.md": "x", "__MACOSX/train-fi.tsv": TRAIN}
    corpus = drop({"all.zip": zipped(hostile)})
    assert corpus.id == plain.id
    assert corpus.report.warnings[0] == "Not read, since no tagged text by their names: all.zip/README.md."
    assert drop({"train-en.tsv.gz": gzip.compress(TRAIN.encode()), "dev-de.tsv": TRAIN}).id == plain.id
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]
    monkeypatch.setattr(inputs, "FREE_BYTES", 1 << 10)
    with pytest.raises(CorpusError, match="The archive expands to more than"):
        drop({"all.zip": zipped({"train-en.tsv": "a\tX\n" * 300_000})})
    with pytest.raises(CorpusError, match="The archive is damaged"):
        drop({"all.zip": zipped({"train-en.tsv": TRAIN})[:-40]})


def test_a_large_file_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """200 MB, the most that an upload has: read in a process of its own, whose peak says what it held."""
    path, size = tmp_path / "file", 200 << 20
    rows = [row(i, f"word{i}", ("NOUN", "VERB")[i % 2], "Long=" + "x" * 200) for i in range(1, 26)]
    block = conllu(("a", rows))
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(size // len(block)):
            out.write(block)
    code = (
        "import resource, sys; from pathlib import Path; from backend.corpora.tagged import conllu, tsv, readers\n"
        "from backend.corpora.shared.inputs import InputFile\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "corpus = readers.read([InputFile(sys.argv[2], Path(sys.argv[1]))])\n"
        "print(sum(words for _, words in corpus.sizes.values()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(path), "en_x-ud-train.conllu"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert int(found[0]) == 25 * (size // len(block))
    assert int(found[1]) * 1024 < size  # not even the file itself
