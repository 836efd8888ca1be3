"""Kept tagged corpora: one folder for each content, nothing half kept; hostile archives and large files."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import CorpusError
from isogloss.backend.settings import ROOT
from tests.corpora.tagged.tagged_reading import Drop, columns, conllu, row

if TYPE_CHECKING:
    from pathlib import Path

TRAIN = columns(*[[(f"word{i}", "NOUN"), (".", "PUNCT")] for i in range(12)], [("\u200b", "X"), ("so", "ADV")])


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
    monkeypatch.setenv("ISOGLOSS_IMPORT_MB", "1")
    with pytest.raises(CorpusError, match="more than one import may hold"):
        drop({"all.zip": zipped({"train-en.tsv": "a\tX\n" * 600_000})})
    with pytest.raises(CorpusError, match="The archive is damaged"):
        drop({"all.zip": zipped({"train-en.tsv": TRAIN})[:-40]})


def test_a_large_file_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """Read in a process of its own, whose peak says what it held."""
    path, size = tmp_path / "file", 64 << 20
    rows = [row(i, f"word{i}", ("NOUN", "VERB")[i % 2], "Long=" + "x" * 200) for i in range(1, 26)]
    block = conllu(("a", rows))
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(size // len(block)):
            out.write(block)
    code = (
        "import resource, sys; from pathlib import Path; from isogloss.backend.corpora.tagged import conllu, tsv, readers\n"
        "from isogloss.backend.corpora.shared.inputs import InputFile\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "corpus = readers.read([InputFile(sys.argv[2], Path(sys.argv[1]))])\n"
        "print(sum(words for _, words in corpus.sizes.values()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(path), "en_x-ud-train.conllu"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert int(found[0]) == 25 * (size // len(block))
    assert int(found[1]) * 1024 < size  # not even the file itself
