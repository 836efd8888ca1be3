"""`isogloss task`, as a person types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments.named import task_named
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, start: int = 0, label: str = "no") -> Path:
    folder.mkdir()
    for tag, word in (("de", "Das Wasser"), ("en", "The water")):
        rows = [f"{word} {i}\t{('yes', label)[i % 2]}\n" for i in range(start, start + 8)]
        (folder / f"{tag}.tsv").write_text("".join(rows) if tag == "en" else "".join(["\n", *rows[1:]]), encoding="utf-8")
    return folder


def test_parts_labels_and_languages_are_asked_for(workspace: Path, tmp_path: Path) -> None:
    train, dev = write(tmp_path / "train"), write(tmp_path / "more", 20)
    options = ["--validation", str(dev), "--name", "Water", "--label", "yes", "--label", "no"]
    with pytest.raises(CorpusError, match=r"de.tsv: 2 of 16 rows \(12%\) would be left out: no text in de; no label in de"):
        output("task", "import", str(train), *options)
    said = output("task", "import", str(train), *options, "--drop-broken")
    assert "Left out: de.tsv, line 1: no text in de; no label in de: left out in every language" in said
    assert "XTREME: 14 sentences, 7 of them for validation, 2 labels, 2 languages, saved as 'Water'" in said
    with pytest.raises(CorpusError, match="The label 'no' is not one of those expected"):
        output("task", "import", str(train), "--label", "yes")
    said = output("task", "import", str(train / "en.tsv"), str(train / "de.tsv"), "--language", "en")
    assert "XTREME: 8 sentences, 2 labels, 1 language, saved as 'train'" in said
    with pytest.raises(SpecError, match=r"no task 'Watr'. Did you mean 'Water'"):
        task_named("Watr")
