"""Every format that is read, from files written here in the layout that its publisher uses."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

TEXTS = {
    "eng": ["The dog sleeps.", "It is raining today.", "She reads a book.", "We are going home."],
    "deu": ["Der Hund schläft.", "Heute regnet es.", "Sie liest ein Buch.", "Wir gehen nach Hause."],
    "rus": ["Собака спит.", "Сегодня идёт дождь.", "Она читает книгу.", "Мы идём домой."],
    "arb": ["ينام الكلب.", "إنها تمطر اليوم.", "تقرأ كتابًا.", "نحن ذاهبون إلى البيت."],
}
TAGS = {"eng": "en", "deu": "de", "rus": "ru", "arb": "ar"}


def put(folder: Path, **files: bytes | str) -> list[InputFile]:
    """Files with the given names and contents, stored under other names: only the user's names may matter."""
    made = []
    for place, (name, content) in enumerate(files.items()):
        path = folder / f"upload{place}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        made.append(InputFile(name, path))
    return made


def texts_of(corpus: ParallelCorpus) -> dict[str, list[str]]:
    table = corpus.table.to_pylist()
    return {tag: [row["text"] for row in table if row["language"] == tag] for tag in corpus.languages}


def ids_of(corpus: ParallelCorpus, tag: str) -> list[str]:
    return [row["sentence_id"] for row in corpus.table.to_pylist() if row["language"] == tag]


def lines(name: str) -> str:
    return "".join(f"{text}\n" for text in TEXTS[name])


EXPECTED = {TAGS[name]: texts for name, texts in TEXTS.items()}


def test_ntrex(tmp_path: Path) -> None:
    files = {f"newstest2019-ref.{n}.txt": lines(n) for n in ("deu", "rus", "arb")} | {"newstest2019-src.eng.txt": lines("eng")}
    corpus = read(
        put(tmp_path, **files, **{"DOCUMENT_IDS.tsv": "a\na\nb\nb\n", "LANGUAGES.tsv": "deu\tGerman\n", "LICENSE.md": "x"})
    )
    assert corpus.report.format == "NTREX-128"
    assert texts_of(corpus) == EXPECTED
    assert ids_of(corpus, "de") == ["1", "2", "3", "4"]
    assert corpus.table["document_id"].to_pylist()[:4] == ["a", "a", "b", "b"]
    assert corpus.report.source_names == {"en": "eng", "de": "deu", "ru": "rus", "ar": "arb"}
    assert corpus.report.warnings == ("Not read, since not part of the corpus: LANGUAGES.tsv, LICENSE.md.",)


@pytest.mark.parametrize("pattern", ["flores200_dataset/{split}/{code}.{split}", "{split}/{split}.{code}"])
def test_flores_text(tmp_path: Path, pattern: str) -> None:
    codes = {"eng": "eng_Latn", "rus": "rus_Cyrl", "arb": "arb_Arab"}
    files = {pattern.format(split=s, code=c): lines(n) for n, c in codes.items() for s in ("dev", "devtest")}
    files["metadata_dev.tsv"] = "URL\tdomain\n" + "".join(f"https://a.example/{i}\tnews\n" for i in (1, 1, 2, 2))
    corpus = read(put(tmp_path, **files))
    assert corpus.report.format == "FLORES"
    assert ids_of(corpus, "ru") == [f"{s}.{i}" for s in ("dev", "devtest") for i in (1, 2, 3, 4)]
    assert texts_of(corpus)["ar"] == EXPECTED["ar"] * 2
    assert corpus.report.source_names["ar"] == "arb_Arab"
    assert corpus.table["document_id"][0].as_py() == "https://a.example/1"
    assert corpus.table["document_id"][4].as_py() is None


def test_tatoeba_pairs_have_ids_of_their_own(tmp_path: Path) -> None:
    other = "I am here.\nYou know.\n"
    corpus = read(
        put(
            tmp_path,
            **{
                "tatoeba.deu-eng.deu": lines("deu"),
                "tatoeba.deu-eng.eng": lines("eng"),
                "tatoeba.rus-eng.rus": "Я здесь.\nТы знаешь.\n",
                "tatoeba.rus-eng.eng": other,
            },
        )
    )
    assert corpus.report.format == "Tatoeba"
    assert len(corpus.align(["de", "en"])[0]) == 4
    assert corpus.align(["ru", "en"])[1]["en"] == ["I am here.", "You know."]
    with pytest.raises(CorpusError, match="No sentence exists in all of"):
        corpus.align(["ru", "de"])


def test_moses_pairs_that_share_their_english_are_one_set(tmp_path: Path) -> None:
    corpus = read(
        put(
            tmp_path,
            **{
                "Books.de-en.de": lines("deu"),
                "Books.de-en.en": lines("eng"),
                "Books.en-ru.en": lines("eng"),
                "Books.en-ru.ru": lines("rus"),
            },
        )
    )
    assert corpus.report.format == "Moses pairs"
    assert corpus.table.num_rows == 12
    assert corpus.align(["de", "ru"])[1] == {"de": EXPECTED["de"], "ru": EXPECTED["ru"]}


def test_one_moses_pair_has_plain_ids(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, **{"corpus.de-en.de": lines("deu"), "corpus.de-en.en": lines("eng")}))
    assert ids_of(corpus, "de") == ["1", "2", "3", "4"]


@pytest.mark.parametrize("pattern", ["news.{}", "{}.txt", "news.{}.txt", "news_{}.txt", "news-{}.txt"])
def test_one_text_file_per_language(tmp_path: Path, pattern: str) -> None:
    corpus = read(put(tmp_path, **{pattern.format(n): lines(n) for n in TEXTS}, **{"README.md": "About", "notes": "x"}))
    assert corpus.report.format == "plain text, one file per language"
    assert texts_of(corpus) == EXPECTED
    assert "Not read, since not part of the corpus: README.md, notes." in corpus.report.warnings


TMX = """<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
<tu tuid="one"><tuv xml:lang="en-US"><seg>The <bpt i="1">&lt;b&gt;</bpt>dog<ept i="1">&lt;/b&gt;</ept> sleeps.</seg></tuv>
  <tuv xml:lang="ru"><note>not text</note><seg>Собака <hi>спит</hi>.</seg></tuv></tu>
<tu tuid="two"><tuv lang="en-US"><seg>A &amp; B</seg></tuv><tuv lang="ru"><seg>А и Б</seg></tuv>
  <tuv lang="ru"><seg>Б и А</seg></tuv></tu>
<tu tuid="three"><tuv xml:lang="ru"><seg>Только</seg></tuv><tuv xml:lang="en-US"><seg> </seg></tuv></tu>
</body></tmx>"""


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
def test_tmx(tmp_path: Path, encoding: str) -> None:
    corpus = read(put(tmp_path, **{"memory.tmx": TMX.format(encoding=encoding).encode(encoding)}))
    assert texts_of(corpus) == {"en": ["The dog sleeps.", "A & B"], "ru": ["Собака спит.", "А и Б", "Только"]}
    assert ids_of(corpus, "ru") == ["one", "two", "three"]
    assert sorted((s.line, s.reason) for s in corpus.report.skipped) == [
        (7, "a second ru in the same unit"),
        (8, "no text in en-US"),
    ]


def written(rows: list[dict[str, Any]], suffix: str) -> bytes:
    match suffix:
        case "csv" | "tsv":
            out = io.StringIO()
            writer = csv.DictWriter(out, list(rows[0]), delimiter="," if suffix == "csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
            return out.getvalue().encode()
        case "jsonl":
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        case _:
            sink = io.BytesIO()
            pq.write_table(pa.Table.from_pylist(rows), sink)
            return sink.getvalue()


WIDE = [{"sentence_id": f"s{i}", "doc": "d1", "score": 0.5, **{n: TEXTS[n][i] for n in TEXTS}} for i in range(4)]
LONG = [{"id": f"s{i}", "language": n, "text": TEXTS[n][i], "document_id": "d1"} for i in range(4) for n in TEXTS]


@pytest.mark.parametrize("gzipped", [False, True])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("rows", [WIDE, LONG], ids=["wide", "long"])
def test_tables(tmp_path: Path, rows: list[dict[str, Any]], suffix: str, gzipped: bool) -> None:
    content = written(rows, suffix)
    name = f"corpus.{suffix}.gz" if gzipped else f"corpus.{suffix}"
    corpus = read(put(tmp_path, **{name: gzip.compress(content) if gzipped else content}))
    assert texts_of(corpus) == EXPECTED
    assert ids_of(corpus, "de") == ["s0", "s1", "s2", "s3"]
    assert set(corpus.table["document_id"].to_pylist()) == {"d1"}
    left_out = [w for w in corpus.report.warnings if "'score'" in w]
    assert len(left_out) == (rows is WIDE)


def test_several_tables_with_ids_are_joined(tmp_path: Path) -> None:
    files = {f"{n}.csv": written([{"id": i, n: TEXTS[n][i]} for i in range(4)], "csv") for n in TEXTS}
    assert texts_of(read(put(tmp_path, **files))) == EXPECTED


def test_id_is_a_language_where_it_holds_sentences(tmp_path: Path) -> None:
    rows = [{"id": f"Kalimat nomor {i} ini.", "en": f"This sentence is {i}."} for i in range(5)]
    assert read(put(tmp_path, **{"a.csv": written(rows, "csv")})).languages == ["en", "id"]


def test_csv_with_quotes_newlines_and_semicolons(tmp_path: Path) -> None:
    content = 'en;de\r\n"He said ""yes"";\nthen left";Er ging\r\nTwo;Zwei\r\n'
    corpus = read(put(tmp_path, **{"a.csv": content}))
    assert texts_of(corpus)["en"] == ['He said "yes";\nthen left', "Two"]


def test_tsv_quotes_are_text_unless_a_writer_put_them(tmp_path: Path) -> None:
    literal = read(put(tmp_path, **{"a.tsv": 'en\tde\n"Yes," he said\t"Ja", sagte er\n"No"\t"Nein"\n'}))
    assert texts_of(literal)["en"] == ['"Yes," he said', '"No"']
    quoted = read(put(tmp_path, **{"a.tsv": 'en\tde\n"He said ""yes"""\tEr ging\nTwo\tZwei\n'}))
    assert texts_of(quoted)["en"] == ['He said "yes"', "Two"]


def test_separators_other_than_newline_are_text(tmp_path: Path) -> None:
    strange = "a\u2028b\x85c\x0bd\x0ce\x1cf"
    corpus = read(put(tmp_path, **{"x.en": f"{strange}\r\nTwo\r\n", "x.de": "\ufeffEins\nZwei"}))
    assert texts_of(corpus) == {"en": [strange, "Two"], "de": ["Eins", "Zwei"]}


def packed(kind: str, files: dict[str, str]) -> bytes:
    sink = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(fileobj=sink, mode="w:gz" if kind != "tar" else "w") as tar:
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content.encode())
                tar.addfile(info, io.BytesIO(content.encode()))
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tgz", "tar"])
def test_archives_even_with_hostile_names(tmp_path: Path, kind: str) -> None:
    names = {"eng": "../../eng_Latn.dev", "deu": "/etc/deu_Latn.dev", "rus": "a\\..\\rus_Cyrl.dev", "arb": "ok/arb_Arab.dev"}
    files = {path: lines(name) for name, path in names.items()} | {"__MACOSX/._x": "", ".hidden": "", "inner.zip": "PK"}
    (tmp_path / "in").mkdir()
    corpus = read(put(tmp_path / "in", **{f"corpus.{kind}": packed(kind, files)}))
    assert texts_of(corpus) == EXPECTED
    assert any("inner.zip is an archive inside" in w for w in corpus.report.warnings)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["in", "upload0"]


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    files = put(tmp_path, **{f"news.{n}": lines(n) for n in TEXTS})
    assert read(files).table.equals(read(files[::-1]).table)


def test_empty_lines_are_missing_sentences_and_counted(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, **{"x.en": "One\n\nThree\nFour\n", "x.de": "Eins\nZwei\n \nVier\n"}))
    assert [(s.file, s.line, s.reason) for s in corpus.report.skipped] == [
        ("x.de", 3, "no text in de"),
        ("x.en", 2, "no text in en"),
    ]
    assert corpus.align(["de", "en"]) == (["1", "4"], {"de": ["Eins", "Vier"], "en": ["One", "Four"]})


def test_skipped_rows_beyond_a_thousand_are_counted(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, **{"x.en": "One\n" * 3 + "\n" * 1500, "x.de": "Eins\n" * 1503}))
    assert (len(corpus.report.skipped), corpus.report.more_skipped, corpus.report.skipped_count) == (1000, 500, 1500)


@pytest.mark.parametrize(
    ("files", "warning"),
    [
        ({"x.en": "One\nTwo\nOne\n", "x.de": "A\nB\nC\n"}, "1 in en. The first: x.en, line 3 repeats line 1."),
        ({"x.sr": "Pas spava\nKiša pada\nOna čita\n", "x.en": "A b\nC d\nE f\n"}, "call the language 'sr-Latn'"),
        ({"x.ru": "Raz\nDva\nTri\n", "x.en": "A b\nC d\nE f\n"}, "call the language 'ru-Latn'"),
        ({"x.bej": "Раз\nДва\nТри\n", "x.en": "A b\nC d\nE f\n"}, "not in the script of Beja (Arab) but in Cyrl"),
        ({"x.en": "One\nTwo\nThree\n", "x.de": "One\nTwo\nThree\n"}, "have the same text in about 100% of the rows"),
        ({"x.en": "One\nTwo\nThree\n", "x.de": "Eins\nZwei\nT\ufffd\n"}, "x.de, line 3: the replacement character"),
        ({"x.en": "One\nTwo\nThree\n", "x.de": "Eins\nZwei\nschÃ¶n\n"}, "UTF-8 read as Latin-1"),
        ({"x.en": "One\nTwo\nThree\n", "x.de": "Eins\n\n\n"}, "de has only 1 of the 3 sentences."),
    ],
)
def test_what_is_odd_is_kept_with_a_warning(tmp_path: Path, files: dict[str, str], warning: str) -> None:
    assert warning in " ".join(read(put(tmp_path, **files)).report.warnings)
