"""Real emergent languages: those of Boldt and Mortensen's kind, as they were published."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.backend.settings import ROOT

DATA = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data")) / "emergent"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real emergent languages in {DATA.name} of the test data")
FILES = sorted(DATA.glob("*.*"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_languages_come_back_symbol_for_symbol(path: Path, tmp_path: Path) -> None:
    corpus = read([InputFile("a corpus", path)])
    rows = path.read_text().splitlines()
    expected = [json.loads(row) if path.suffix == ".jsonl" else list(map(int, row.split())) for row in rows]
    assert corpus.report.skipped_count == 0
    entry = emergent_library.keep(corpus, "real", tmp_path)
    again = emergent_library.load(entry.id, [tmp_path])
    assert [list(map(int, again.utterance(place))) for place in range(again.utterances)] == expected
    assert entry.vocabulary_size == len({symbol for row in expected for symbol in row})
    assert set(again.ids.tolist()) == set(range(entry.vocabulary_size))


def test_both_formats_of_one_language_are_one_corpus() -> None:
    pairs = [
        (path, path.with_suffix(".txt")) for path in FILES if path.suffix == ".jsonl" and path.with_suffix(".txt") in FILES
    ]
    assert pairs
    for one, other in pairs:
        first, second = (read([InputFile("a corpus", path)]) for path in (one, other))
        assert emergent_library.content_id(first) == emergent_library.content_id(second)
