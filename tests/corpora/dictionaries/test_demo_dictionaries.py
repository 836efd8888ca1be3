"""The demo's dictionaries: what is kept is what the files say, and the README counts it rightly."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.dictionaries.readers import read
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.shared.inputs import InputFile

DEMO = Path(__file__).resolve().parents[3] / "cache" / "demo"
FILES = sorted((DEMO / "dictionaries").glob("*.txt"))


def test_nothing_else_is_kept() -> None:
    assert dictionaries.problems([DEMO]) == []
    assert len(dictionaries.entries([DEMO])) == len(FILES) == 7


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_kept_is_what_the_file_says(file: Path) -> None:
    source, target = file.stem.split("-")
    kept = {(entry.source, entry.target): entry for entry in dictionaries.entries([DEMO])}[source, target]
    assert (kept.name, kept.licence) == (f"Demo English–{language(target).name}", "CC0-1.0")
    assert (kept.blank, kept.duplicates, kept.skipped, kept.warnings) == (0, 0, 0, ())
    dictionary = dictionaries.load(kept.id, [DEMO])
    assert dictionary == read(InputFile(file.name, file), source, target)

    corpus = library.load(library.entries([DEMO])[0].id, [DEMO])
    found = word_pairs.extract(corpus, dictionary, source, target).table.num_rows
    row = f"| {language(target).name} | {kept.words:,} | {kept.pairs:,} | {found:,} |"
    assert row in (DEMO / "README.md").read_text(encoding="utf-8")
