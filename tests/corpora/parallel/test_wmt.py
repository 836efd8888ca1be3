"""WMT19 as it is published: test sets in SGML, training text in tables without a header, and its data set on the Hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.parallel import hub
from isogloss.backend.corpora.parallel.readers import read
from isogloss.backend.errors import CorpusError
from isogloss.backend.models.files.catalogue import find_entry
from tests.corpora.parallel.test_corpus_hub import OPUS, SETS, local_hub  # noqa: F401 — a fixture
from tests.corpora.parallel.test_corpus_readers import ids_of, put, texts_of

if TYPE_CHECKING:
    from pathlib import Path

SRC = """<srcset setid="newstest2019" srclang="any">
<doc sysid="ref" docid="abc.1" genre="news" origlang="de">
<p>
<seg id="1">Der Hund &amp; die Katze schlafen.</seg>
<seg id="2">Heute regnet es, AT&T &quot;sagt&quot; es &#8211; nicht.</seg>
</p>
</doc>
<doc sysid="ref" docid="abc.2" genre="news" origlang="de">
<seg id="1">Sie liest
  ein Buch.</seg>
</doc>
</srcset>
"""
REF = """<REFSET setid="newstest2019" srclang="any" trglang="en">
<DOC sysid="ref" docid="abc.1" genre="news" origlang="de">
<SEG id='1'>The dog &amp; the cat sleep.</SEG>
<seg id=2> It is raining today, AT&amp;T does not "say" so. </seg>
</DOC>
<doc sysid="ref" docid="abc.2"><seg id="1">She reads a book.</seg></doc>
</REFSET>
"""
NAMES = "newstest2019-deen-src.de.sgm", "newstest2019-deen-ref.en.sgm"


def test_a_pair_of_sgm_files(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, **{NAMES[0]: SRC, NAMES[1]: REF}))
    assert corpus.report.format == "WMT test sets (.sgm)"
    assert ids_of(corpus, "de") == ids_of(corpus, "en") == ["abc.1/1", "abc.1/2", "abc.2/1"]
    assert texts_of(corpus) == {
        "de": [
            "Der Hund & die Katze schlafen.",
            'Heute regnet es, AT&T "sagt" es – nicht.',
            "Sie liest ein Buch.",
        ],
        "en": ["The dog & the cat sleep.", 'It is raining today, AT&T does not "say" so.', "She reads a book."],
    }
    assert corpus.table["document_id"].to_pylist()[:3] == ["abc.1", "abc.1", "abc.2"]


def test_two_test_sets_are_told_apart(tmp_path: Path) -> None:
    other = {name.replace("2019", "2018"): text for name, text in zip(NAMES, (SRC, REF), strict=True)}
    corpus = read(put(tmp_path, **{NAMES[0]: SRC, NAMES[1]: REF}, **other))
    assert len(set(ids_of(corpus, "en"))) == 6
    assert ids_of(corpus, "en")[0] == "newstest2018-deen/abc.1/1"


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({NAMES[0]: SRC}, "Its other half, newstest2019-deen-ref, is missing"),
        (
            {NAMES[0]: SRC, NAMES[1]: REF.replace("id=2", "id=3")},
            r"line 5: The segment abc.1/2 is not in newstest2019-deen-ref",
        ),
        ({NAMES[0]: "Only text", NAMES[1]: REF}, "no test set as WMT publishes them"),
        ({NAMES[0]: SRC.replace("</seg>", "", 1), NAMES[1]: REF}, r"src\.de\.sgm, line 5: This is no test set"),
        ({NAMES[0]: SRC.replace('<seg id="1">', "<seg>", 1), NAMES[1]: REF}, "line 4: This is no test set"),
    ],
)
def test_broken_test_sets_are_refused(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    with pytest.raises(CorpusError, match=problem):
        read(put(tmp_path, **files))


TABLE = 'Der Hund schläft.\tThe dog sleeps.\n\n"Es" regnet.\tIt is "raining.\n\t\nSie liest.\tShe reads.\n'


def test_a_table_of_two_columns_without_a_header(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, **{"news-commentary-v14.de-en.tsv": TABLE}))
    assert corpus.report.format == "TSV pairs without a header"
    assert texts_of(corpus) == {
        "de": ["Der Hund schläft.", '"Es" regnet.', "Sie liest."],
        "en": ["The dog sleeps.", 'It is "raining.', "She reads."],
    }
    assert ids_of(corpus, "de") == ["1", "3", "5"]
    assert corpus.report.skipped_count == 2


def test_two_such_tables_are_told_apart(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, **{"europarl-v9.de-en.tsv": TABLE, "wiki.de-en.tsv": TABLE}))
    assert sorted(ids_of(corpus, "de"))[:2] == ["europarl-v9.de-en.1", "europarl-v9.de-en.3"]
    assert len(ids_of(corpus, "de")) == 6


@pytest.mark.parametrize("header", ["de\ten", "German\tEnglish", "DE\tEN"])
def test_a_table_with_a_header_is_read_by_its_header(tmp_path: Path, header: str) -> None:
    text = f"{header}\nDer Hund schläft.\tThe dog sleeps.\nEs regnet heute.\tIt is raining today.\n"
    corpus = read(put(tmp_path, **{"mine.de-en.tsv": text}))
    assert texts_of(corpus)["en"] == ["The dog sleeps.", "It is raining today."]


def test_a_row_of_three_columns_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"line 6: The row has 3 fields, not 2"):
        read(put(tmp_path, **{"x.de-en.tsv": f"{TABLE}a\tb\tc\n"}))


def test_wmt19_of_the_hub(local_hub: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setitem(SETS, "wmt/wmt19", OPUS)
    with pytest.raises(CorpusError, match="no split 'test'"):
        hub.load("wmt/wmt19", ["de", "en"], split="test")
    assert hub.ABOUT["wmt/wmt19"].split == "validation"
    rows = hub.table("wmt/wmt19 de-en", OPUS["de-en"])
    corpus = hub.corpus_of("wmt/wmt19", [rows], ["de", "en"], split="validation")
    assert corpus.report.format == "WMT19"
    assert texts_of(corpus)["de"] == [f"Wort {i}" for i in range(4)]
    assert hub.choose("wmt/wmt19", ["fr", "de"], ["de-en", "fr-de"]) == ["fr-de"]
    assert hub.choose("wmt/wmt19", ["ru", "en"], ["de-en", "ru-en"]) == ["ru-en"]


def test_wmt14_of_the_hub_is_the_translation_checks(local_hub: list[dict[str, object]]) -> None:  # noqa: F811
    """Its configuration is `fr-en`, its training part has 40 million rows: only the first are read."""
    corpus = hub.load("wmt/wmt14", ["en", "fr"], split="train", limit=4, revision="a" * 40)
    assert corpus.report.format == "WMT14"
    assert corpus.report.source == f"wmt/wmt14@{'a' * 40}, train"
    assert texts_of(corpus) == {"en": [f"word {i}" for i in range(4)], "fr": [f"mot {i}" for i in range(4)]}
    (call,) = local_hub
    assert (call["name"], call["streaming"]) == ("fr-en", True)


@pytest.mark.parametrize("hub_id", ["aneuraz/awesome-align-with-co", "facebook/mbart-large-cc25", "facebook/mbart-large-50"])
def test_the_papers_models_are_in_the_catalogue(hub_id: str) -> None:
    found = find_entry(hub_id)
    assert found is not None
    assert found.layers == 12
