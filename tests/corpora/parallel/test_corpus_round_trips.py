"""Whatever the sentences are, they come back as they went in, from every format that can hold them."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.parallel.corpus import SCHEMA
from isogloss.backend.corpora.parallel.library import content_id
from isogloss.backend.corpora.parallel.readers import InputFile, read

ANY = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\ufeff"), max_size=30)
ONE_LINE = ANY.map(lambda t: t.replace("\n", "").replace("\r", ""))
XML = ANY.map(lambda t: "".join(c for c in t if c >= " " and c not in "\ufffe\uffff"))


def corpora(texts: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, list[str]]]:
    """Two Latin languages with text in at least one row (marked so, lest scripts and emptiness decide)."""
    row = st.tuples(texts, texts)
    return st.lists(row, min_size=1, max_size=8).map(
        lambda rows: {
            "en": [f"a{i} {a}" if i % 3 == 0 else a for i, (a, _) in enumerate(rows)],
            "fi": [f"b{i} {b}" if i % 3 == 0 else b for i, (_, b) in enumerate(rows)],
        }
    )


def expected(corpus: dict[str, list[str]]) -> list[tuple[str, str, str]]:
    """(language, id, text) of rows that hold more than white space (by Unicode's definition)."""
    return [(tag, str(i), text) for tag in sorted(corpus) for i, text in enumerate(corpus[tag], start=1) if text.strip(WHITE)]


WHITE = "".join(chr(c) for c in range(0x11000) if chr(c).isspace())


def rows_of(**files: bytes) -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        dropped = []
        for place, (name, content) in enumerate(files.items()):
            path = Path(folder, str(place))
            path.write_bytes(content)
            dropped.append(InputFile(name, path))
        table = read(dropped).table
    return [(row["language"], row["sentence_id"], row["text"]) for row in table.to_pylist()]


def as_rows(corpus: dict[str, list[str]]) -> list[dict[str, Any]]:
    count = len(corpus["en"])
    return [{"key": str(i + 1), **{tag: corpus[tag][i] for tag in corpus}} for i in range(count)]


def unscripted(corpus: dict[str, list[str]]) -> dict[str, list[str]]:
    """Latin letters before every text, so that no column seems to be in another script than its language's."""
    return {tag: [t and f"{'abcdefghij' * 4}{t}" for t in texts] for tag, texts in corpus.items()}


@given(corpora(ONE_LINE))
def test_plain_text(corpus: dict[str, list[str]]) -> None:
    corpus = unscripted(corpus)
    files = {f"x.{tag}": "".join(f"{t}\n" for t in texts).encode() for tag, texts in corpus.items()}
    assert rows_of(**files) == expected(corpus)


@given(corpora(ANY.map(lambda t: t.replace("\r", ""))))
def test_csv(corpus: dict[str, list[str]]) -> None:
    corpus, out = unscripted(corpus), io.StringIO()
    writer = csv.DictWriter(out, ["key", *corpus], lineterminator="\n")
    writer.writeheader()
    writer.writerows(as_rows(corpus))
    assert rows_of(**{"x.csv": out.getvalue().encode()}) == expected(corpus)


@given(corpora(ANY), st.booleans())
def test_json_lines(corpus: dict[str, list[str]], ascii_only: bool) -> None:
    corpus = unscripted(corpus)
    content = "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in as_rows(corpus))
    assert rows_of(**{"x.jsonl": content.encode()}) == expected(corpus)


@given(corpora(ANY))
def test_parquet(corpus: dict[str, list[str]]) -> None:
    corpus, sink = unscripted(corpus), io.BytesIO()
    pq.write_table(pa.Table.from_pylist(as_rows(corpus)), sink)
    assert rows_of(**{"x.parquet": sink.getvalue()}) == expected(corpus)


@given(corpora(XML))
def test_tmx(corpus: dict[str, list[str]]) -> None:
    corpus = unscripted(corpus)
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{escape(en)}</seg></tuv><tuv xml:lang="fi"><seg>{escape(fi)}</seg></tuv></tu>'
        for en, fi in zip(corpus["en"], corpus["fi"], strict=True)
    )
    assert rows_of(**{"x.tmx": f"<tmx><body>{units}</body></tmx>".encode()}) == expected(corpus)


ROW = st.fixed_dictionaries(
    {"sentence_id": ANY, "language": st.sampled_from(["de", "fi"]), "text": ANY, "document_id": st.none() | ANY}
)


@given(st.lists(ROW, min_size=1, max_size=12), st.integers(1, 12))
def test_the_content_id_is_of_rows_not_of_chunks(rows: list[dict[str, Any]], cut: int) -> None:
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pieces = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    assert content_id(table) == content_id(pieces) == content_id(pieces.combine_chunks())


@given(st.lists(ROW, min_size=1, max_size=6), st.lists(ROW, min_size=1, max_size=6))
def test_the_content_id_tells_contents_apart(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    first, second = (pa.Table.from_pylist(rows, schema=SCHEMA) for rows in (a, b))
    assert (content_id(first) == content_id(second)) == (a == b)
