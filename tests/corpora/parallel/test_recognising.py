"""Which format files have is shown by the files alone: in whatever order the formats are tried, it is the same."""

from __future__ import annotations

import random
import zipfile
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.parallel import readers
from isogloss.backend.corpora.parallel.readers import FORMATS, InputFile
from isogloss.backend.corpora.shared.formats import Evidence, Format, choose, table_of
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

DE, FI, EN = "Ein Hund.\nEin Haus.\n", "Koira on.\nTalo on.\n", "A dog.\nA house.\n"
PAIRS, NAMED_PAIRS = "Ein Hund.\tA dog.\n", "de\ten\nEin Hund.\tA dog.\n"
SEED = random.randrange(1 << 32)

# name: (files, the format's name or what is said, files that are read)
SETS: dict[str, tuple[dict[str, str], str, set[str]]] = {
    "plain": ({"news.de": DE, "news.fi": FI, "info.json": "{}"}, "plain text, one file per language", {"news.de", "news.fi"}),
    "plain with a list": (
        {"news.de": DE, "news.fi": FI, "LANGUAGES.tsv": "de\tGerman\n", "README.md": "x"},
        "plain text, one file per language",
        {"news.de", "news.fi"},
    ),
    "a list alone": ({"LANGUAGES.tsv": NAMED_PAIRS}, "CSV, TSV, JSON Lines, Parquet", {"LANGUAGES.tsv"}),
    "ntrex": (
        {"newstest2019-src.eng.txt": EN, "newstest2019-ref.deu.txt": DE, "DOCUMENT_IDS.tsv": "a\na\n", "LANGUAGES.tsv": "x"},
        "NTREX-128",
        {"newstest2019-src.eng.txt", "newstest2019-ref.deu.txt", "DOCUMENT_IDS.tsv"},
    ),
    "flores": (
        {"eng_Latn.dev": EN, "deu.dev": DE, "metadata_dev.tsv": "URL\na\na\n", "metadata_x.tsv": "a"},
        "FLORES",
        {"eng_Latn.dev", "deu.dev", "metadata_dev.tsv"},
    ),
    "tatoeba": (
        {"tatoeba.deu-eng.deu": DE, "tatoeba.deu-eng.eng": EN, "notes.de": "x"},
        "Tatoeba",
        {"tatoeba.deu-eng.deu", "tatoeba.deu-eng.eng"},
    ),
    "moses": ({"c.de-en.de": DE, "c.de-en.en": EN, "news.fi": FI}, "Moses pairs", {"c.de-en.de", "c.de-en.en"}),
    "tatoeba and moses": (
        {"tatoeba.deu-eng.deu": DE, "tatoeba.deu-eng.eng": EN, "c.de-en.de": DE, "c.de-en.en": EN},
        "These are several formats: Moses pairs (c.de-en.de) and Tatoeba (tatoeba.deu-eng.deu).",
        set(),
    ),
    "wmt": (
        {
            "t-deen-src.de.sgm": "<doc docid=a><seg id=1>a</seg></doc>",
            "t-deen-ref.en.sgm": "<doc docid=a><seg id=1>a</seg></doc>",
        },
        "WMT test sets (.sgm)",
        {"t-deen-src.de.sgm", "t-deen-ref.en.sgm"},
    ),
    "two columns": ({"news.de-en.tsv": PAIRS, "info.json": "x"}, "TSV pairs without a header", {"news.de-en.tsv"}),
    "two named columns": ({"news.de-en.tsv": NAMED_PAIRS}, "CSV, TSV, JSON Lines, Parquet", {"news.de-en.tsv"}),
    "both": (
        {"a.de-en.tsv": PAIRS, "b.de-en.tsv": NAMED_PAIRS},
        "These are several formats: CSV, TSV, JSON Lines, Parquet (b.de-en.tsv) and TSV pairs without a header (a.de-en.tsv).",
        set(),
    ),
    "tmx": ({"x.tmx": "<tmx/>", "y.de": DE}, "TMX", {"x.tmx"}),
    "tmx called as a half of a pair": (
        {"x.de-tmx.tmx": "a\n", "x.de-tmx.de": DE},
        "Moses pairs",
        {"x.de-tmx.tmx", "x.de-tmx.de"},
    ),
    "tables and text": ({"x.csv": "de,en\na,b\n", "news.de": DE}, "CSV, TSV, JSON Lines, Parquet", {"x.csv"}),
    "tables and tmx": ({"x.csv": "a", "y.tmx": "a"}, "These are several formats: CSV, TSV, JSON Lines, Parquet (x.csv)", set()),
    "nothing": ({"x.png": "", "README.md": ""}, "", set()),
}


def put(folder: Path, files: dict[str, str]) -> list[InputFile]:
    for name, text in files.items():
        (folder / name).write_text(text)
    return [InputFile(name, folder / name) for name in sorted(files)]


@pytest.mark.parametrize("case", SETS)
def test_every_order_of_formats_gives_the_same(tmp_path: Path, case: str) -> None:
    files, expected, read = SETS[case]
    put_files, draw = put(tmp_path, files), random.Random(SEED)
    for number in range(200):
        order = list(FORMATS) if not number else draw.sample(FORMATS, len(FORMATS))
        if expected.startswith("These are several"):
            with pytest.raises(CorpusError) as refused:
                choose(order, put_files, readers.ALONGSIDE)
            assert str(refused.value).startswith(expected), SEED
            continue
        found, chosen, others = choose(order, put_files, readers.ALONGSIDE)
        assert (found.name if found else "", {file.name for file in chosen}) == (expected, read), SEED
        assert {file.name for file in others} == set(files) - read


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", ["plain", "plain with a list", "ntrex", "moses", "two columns", "both", "nothing"])
def test_what_is_read_and_said_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, packed: bool) -> None:
    files, draw = put(tmp_path, SETS[case][0]), random.Random(SEED)
    if packed:
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
            for file in files:
                archive.write(file.path, file.name)
        files = [InputFile("x.zip", tmp_path / "x.zip")]

    def outcome() -> object:
        try:
            corpus = readers.read(files)
        except CorpusError as error:
            return str(error)
        return corpus.table.to_pydict(), corpus.report

    first = outcome()
    for _ in range(8):
        monkeypatch.setattr(readers, "FORMATS", tuple(draw.sample(FORMATS, len(FORMATS))))
        assert outcome() == first, SEED


def test_as_much_evidence_for_two_formats_is_said(tmp_path: Path) -> None:
    files = put(tmp_path, {"x.aa": "", "y.de": ""})
    one, other = (Format(name, "`*.aa`", lambda files: {files[0]: Evidence.ENDING}, None) for name in ("One", "Another"))
    for order in ([one, other], [other, one]):
        with pytest.raises(CorpusError, match=r"^x\.aa: It may be Another or One: nothing shows which\."):
            choose(order, files)


def test_the_table_of_formats_has_them_all() -> None:
    assert all(f"| {each.name} | {each.example} |" in table_of(FORMATS) for each in FORMATS)
