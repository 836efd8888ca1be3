"""A folder of broken corpora: each is one error that names the file, the line where there is one, and what to do."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.corpora.shared import inputs
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

EN, DE, RU = "One\nTwo\nThree\n", "Eins\nZwei\nDrei\n", "Один\nДва\nТри\n"
LAUGHS = '<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><tmx><body/></tmx>'
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/hostname">]><tmx><body/></tmx>'
UNIT = '<tmx><body><tu>\n<tuv xml:lang="en"><seg>{}</seg></tuv></tu></body></tmx>'


def parquet(**columns: list[object]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def zipped(**files: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def link() -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as tar:
        info = tarfile.TarInfo("x.en")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    return sink.getvalue()


# name: (files, the file that the message names, the line, what it says)
BROKEN: dict[str, tuple[dict[str, bytes | str], str | None, int | None, str]] = {
    "fewer lines": ({"x.en": EN, "x.ru": RU, "x.de": "Eins\nZwei\n"}, "x.de", 2, "has 2 lines, but x.en has 3"),
    "more lines": ({"x.en": EN, "x.ru": RU, "x.de": f"{DE}Vier\n"}, "x.de", 4, "has 4 lines, but x.en has 3"),
    "documents misaligned": (
        {"newstest2019-src.eng.txt": EN, "newstest2019-ref.deu.txt": DE, "DOCUMENT_IDS.tsv": "a\nb\n"},
        "DOCUMENT_IDS.tsv",
        2,
        "not parallel",
    ),
    "empty file": ({"x.en": EN, "x.de": ""}, "x.de", None, "The file is empty"),
    "blank file": ({"x.en": EN, "x.de": "\n \n\n"}, "x.de", None, "The file is empty"),
    "latin-1": ({"x.en": EN, "x.de": "Eins\nschön\nDrei\n".encode("latin-1")}, "x.de", 2, "looks like Latin-1"),
    "shift-jis": ({"x.en": EN, "x.ja": "一\n二\n三\n".encode("shift-jis")}, "x.ja", 1, "is not UTF-8 (byte 0x88)"),
    "utf-16": ({"x.en": EN, "x.de": DE.encode("utf-16")}, "x.de", 1, "The file is UTF-16"),
    "utf-16 without a mark": ({"x.en": EN, "x.de": DE.encode("utf-16-le")}, "x.de", 1, "The file is UTF-16"),
    "utf-16 csv": ({"x.csv": "en,de\nOne,Eins\n".encode("utf-16")}, "x.csv", 1, "The file is UTF-16"),
    "nul": ({"x.en": EN, "x.de": "Eins\nZw\0ei\nDrei\n"}, "x.de", 2, "There is a NUL character"),
    "nul in json": ({"x.jsonl": '{"en": "a", "de": "b"}\n{"en": "a", "de": "\\u0000"}\n'}, "x.jsonl", 2, "NUL"),
    "half a character": ({"x.jsonl": '{"en": "a", "de": "b"}\n{"en": "a", "de": "\\ud800"}\n'}, "x.jsonl", 2, "lone surrogate"),
    "old mac lines": ({"x.en": EN, "x.de": DE.replace("\n", "\r")}, "x.de", 1, "CR alone"),
    "one language": ({"x.en": EN}, "x.en", None, "at least two languages; found: en"),
    "no text in one of two": ({"x.csv": "en,de\nOne,\nTwo,\n"}, "x.csv", None, "at least two languages; found: en"),
    "unknown language": ({"x.csv": "id,en,xx\n1,One,Eins\n"}, "x.csv", 1, "'xx' is not a language"),
    "unknown language, long": ({"x.csv": "id,language,text\n1,en,One\n1,zzq,Eins\n"}, "x.csv", 3, "'zzq' is not a language"),
    "unknown language, file": ({"tatoeba.zzq-eng.zzq": DE, "tatoeba.zzq-eng.eng": EN}, "tatoeba.zzq-eng.zzq", 1, "'zzq'"),
    "one language twice": ({"x.de": DE, "x.deu": DE, "x.en": EN}, "x.deu", None, "are both German"),
    "swapped columns": ({"x.en": RU, "x.ru": EN}, "x.en", 1, "en and ru seem to be swapped"),
    "another script": (
        {"x.en": EN, "x.de": "一\n二\n三\n"},
        "x.de",
        1,
        "is not in the script of German (Latn) but in",
    ),
    "another script than named": ({"x.en": EN, "x.sr-Latn": RU}, "x.sr-Latn", 1, "call the language 'sr-Cyrl'"),
    "another language's text": ({"x.de": DE, "x.ru": DE}, "x.ru", 1, "Most of ru is not in the script of Russian"),
    "missing half": ({"c.de-en.de": DE, "c.fi-en.fi": EN, "c.fi-en.en": EN}, "c.de-en.de", None, "c.de-en.en, is missing"),
    "no header": ({"x.tsv": "Hello there\tHallo\nYes\tJa\n"}, "x.tsv", 1, "No column is named after a language"),
    "src and tgt": ({"x.csv": "src,tgt\nOne,Eins\n"}, "x.csv", 1, "No column is named after a language"),
    "uneven row": ({"x.csv": "en,de\nOne,Eins\nTwo, or so,Zwei\n"}, "x.csv", 3, "The row has 3 fields, but the header 2"),
    "uneven row, tsv": ({"x.tsv": "en\tde\nOne\tEins\nTwo\n"}, "x.tsv", 3, "The row has 1 field, but the header 2"),
    "unclosed quote": ({"x.csv": 'en,de\nOne,Eins\n"Two,Zwei\nThree,Drei\n'}, "x.csv", 3, "Close every quote"),
    "one name, two columns": ({"x.csv": "en,de,de\nOne,Eins,Ein\n"}, "x.csv", 1, "Two columns are called 'de'"),
    "no rows": ({"x.csv": "en,de\n"}, "x.csv", None, "There are no rows"),
    "empty csv": ({"x.csv": ""}, "x.csv", None, "There are no rows"),
    "repeated id": ({"x.csv": "id,en,de\n1,One,Eins\n1,Two,Zwei\n"}, "x.csv", 3, "The id '1' is there a second time in en"),
    "repeated id, long": (
        {"x.csv": "id,language,text\n1,en,One\n1,de,Eins\n1,en,Two\n"},
        "x.csv",
        4,
        "in en (first in x.csv, line 2)",
    ),
    "no id, long": ({"x.csv": "language,text\nen,One\nde,Eins\n"}, "x.csv", 1, "Add a column 'id'"),
    "empty id": ({"x.csv": "id,en,de\n1,One,Eins\n,Two,Zwei\n"}, "x.csv", 3, "The row has no id"),
    "empty language": ({"x.csv": "id,language,text\n1,en,One\n1,,Eins\n"}, "x.csv", 3, "does not say its language"),
    "tables without ids": ({"a.csv": "en,de\nOne,Eins\n", "b.csv": "en,de\nTwo,Zwei\n"}, "a.csv", None, "no id column"),
    "two layouts": ({"a.csv": "id,en,de\n1,One,Eins\n", "b.csv": "id,language,text\n1,en,One\n"}, "b.csv", None, "in layout"),
    "broken json": ({"x.jsonl": '{"en": "a", "de": "b"}\n{"en": "a"\n'}, "x.jsonl", 2, "not a JSON object"),
    "json list": ({"x.jsonl": '["a", "b"]\n'}, "x.jsonl", 1, "not a JSON object"),
    "deep json": ({"x.jsonl": "[" * 100_000 + "\n"}, "x.jsonl", 1, "not a JSON object"),
    "number for text": ({"x.jsonl": '{"en": "a", "de": "b"}\n{"en": "a", "de": 3}\n'}, "x.jsonl", 2, "There is 3 where"),
    "a .json file": ({"x.json": json.dumps([{"en": "a"}])}, "x.json", None, "JSON is read as JSON Lines"),
    "parquet of numbers": ({"x.parquet": parquet(en=[1, 2], de=[3, 4])}, "x.parquet", 1, "holds no words (such as 1)"),
    "damaged parquet": ({"x.parquet": parquet(en=["One"], de=["Eins"])[:-20]}, "x.parquet", None, "damaged, or not Parquet"),
    "text called parquet": ({"x.parquet": "One"}, "x.parquet", None, "damaged, or not Parquet"),
    "billion laughs": ({"x.tmx": LAUGHS}, "x.tmx", 1, "declares an XML entity"),
    "external entity": ({"x.tmx": OUTSIDE}, "x.tmx", 1, "declares an XML entity"),
    "undefined entity": ({"x.tmx": f'<!DOCTYPE tmx SYSTEM "a.dtd">{UNIT.format("&nbsp;")}'}, "x.tmx", 2, "'&nbsp;' is"),
    "broken tmx": ({"x.tmx": UNIT.format("a < b")}, "x.tmx", 2, "The XML is broken"),
    "deep tmx": ({"x.tmx": "<tmx>" + "<a>" * 1000}, "x.tmx", 1, "The XML is broken"),
    "another xml": ({"x.tmx": "<html/>"}, "x.tmx", 1, "its root is <html>"),
    "tmx without translations": ({"x.tmx": "<tmx><body/></tmx>"}, "x.tmx", None, "There is no <tu>"),
    "tmx without languages": ({"x.tmx": "<tmx><tu>\n<tuv><seg>a</seg></tuv></tu></tmx>"}, "x.tmx", 2, "not say its language"),
    "damaged zip": ({"x.zip": zipped(en=b"One")[:-5]}, "x.zip", None, "damaged, or not what its name says"),
    "damaged gzip": ({"x.en.gz": gzip.compress(EN.encode())[:-9], "x.de": DE}, "x.en.gz", None, "damaged"),
    "text called gz": ({"x.en.gz": EN, "x.de": DE}, "x.en.gz", None, "not gzip, though its name ends in .gz"),
    "damaged tar.gz": ({"x.tar.gz": b"\x1f\x8b123"}, "x.tar.gz", None, "damaged"),
    "empty zip": ({"x.zip": zipped()}, None, None, "The archive holds no files"),
    "a link": ({"x.tar.gz": link()}, None, None, "holds no files"),
    "zip bomb": ({"x.zip": zipped(**{"x.en": b"\0" * (100 << 20)})}, "x.zip", None, "more than one import may hold (50 MB)"),
    "gzip bomb": ({"x.en.gz": gzip.compress(b"\0" * (100 << 20))}, "x.en.gz", None, "more than one import may hold (50 MB)"),
    "office": ({"x.xlsx": b"PK"}, "x.xlsx", None, "Save the sheet as CSV"),
    "a picture": ({"x.png": b"\x89PNG"}, "x.png", None, "does not say which format"),
    "several formats": ({"x.tmx": UNIT.format("a"), "y.csv": "en,de\nOne,Eins\n"}, None, None, "These are several formats"),
    "hostile name": ({"x\n\x1b[31m" + "y" * 300 + ".png": b""}, None, 0, "does not say which format"),
    "nothing": ({}, None, None, "No file was dropped"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_each_is_one_error_that_can_be_acted_on(tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_IMPORT_MB", "50")
    files, file, line, says = BROKEN[case]
    dropped = []
    for place, (name, content) in enumerate(files.items()):
        (tmp_path / str(place)).write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        dropped.append(InputFile(name, tmp_path / str(place)))
    with pytest.raises(CorpusError) as caught:
        read(dropped)
    error, message = caught.value, str(caught.value)
    assert says in message
    assert str(tmp_path) not in message
    assert error.remedy.endswith((".", ")"))
    assert "\n" not in message
    assert "\x1b" not in message
    if line != 0:
        assert (error.file, error.line) == (file, line)


def test_a_name_dropped_twice(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(EN)
    with pytest.raises(CorpusError, match="Two files have this name"):
        read([InputFile("x.en", tmp_path / "a"), InputFile("x.en", tmp_path / "a")])


def test_an_encrypted_zip(tmp_path: Path) -> None:
    content = bytearray(zipped(**{"x.en": b"One"}))
    content[6] |= 1  # the flag for encryption, in the local header and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(CorpusError, match="The archive is encrypted"):
        read([InputFile("x.zip", tmp_path / "a")])


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs.Budget.__init__, "__defaults__", (3, *inputs.Budget.__init__.__defaults__[1:]))
    (tmp_path / "a").write_bytes(zipped(**{f"{i}.en": b"x" for i in range(9)}))
    with pytest.raises(CorpusError, match="more than"):
        read([InputFile("x.zip", tmp_path / "a")])
