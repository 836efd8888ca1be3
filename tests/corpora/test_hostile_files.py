"""Files that somebody made to do harm, and those that only look so: a sentence each, and nothing half stored."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.typed import run

if TYPE_CHECKING:
    from pathlib import Path

DEEP = "[" * 100_000
UTF7 = '<?xml version="1.0" encoding="utf-7"?><tmx version="1.4"><body/></tmx>'
LONE = "".join(json.dumps({"message": "a b", "\ud800": "x y", "lp": "en-de"}) + "\n" for _ in range(9))
SEGMENT = "".join(
    f'en-de,d,"a\nb",False,{text},Ein Satz.\n'.replace("\n", "\r\n", 0) for text in ("One sentence.", "Another sentence.")
)
CASES = {
    "nested objects": (["corpus"], {"x.jsonl": '{"de":' * 50_000}, "not a JSON object"),
    "nested utterance": (["emergent"], {"x.jsonl": f"[1]\n{DEEP}\n"}, "nested too deeply"),
    "utf-7": (["corpus"], {"x.tmx": UTF7}, "encoding that the XML declares is not read"),
    "no such encoding": (["corpus"], {"x.tmx": UTF7.replace("utf-7", "klingon")}, "encoding that the XML declares is not read"),
    "an endless attribute": (["corpus"], {"x.tmx": f'<tmx a="{"x" * (10 << 20)}'}, "An element is longer than 8 MiB"),
    "sentences of no width": (["corpus"], {"de.txt": "\u200b\n\u2060\ufeff\n", "fi.txt": "a\nb\n"}, "found: fi"),
    "rows of no width": (["task"], {"dev-de.tsv": "\u200b\ta\n" * 9}, "text in only 0 of 9 rows"),
    "numbers": (["corpus"], {"x.csv": "de,fi\n1,2\n"}, "named after a language, but holds no words (such as '1')"),
    "a long field": (["corpus"], {"x.csv": f'de,fi\n"{"a" * 300_000}",b\n'}, "A field is longer than 131,072 characters"),
    "a long line": (["corpus"], {"x.tsv": f"de\tfi\n{'a' * (9 << 20)}\tb\n"}, "The line is longer than 8 MiB"),
    "a label a row": (["task"], {"dev-de.tsv": "".join(f"Satz {i}\tklasse {i}\n" for i in range(3000))}, "different labels in"),
    "a long label": (["task"], {"dev-de.tsv": f"Satz\ta\nBild\t{'b' * 9000}\n" * 20}, "A label has 9,000 characters"),
    "an id of two lines": (
        ["corpus"],
        {"x.csv": f"lp,document_id,segment_id,is_bad_source,source,target\n{SEGMENT}"},
        "has another English text",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_ends_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    command, files, says = CASES[case]
    workspace = tmp_path / "workspace"
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(workspace))
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    with pytest.raises(SystemExit):
        run(*command, "import", *(str(tmp_path / name) for name in files))
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert says in error
    assert error.count("\n") == 1
    assert len(error) < 900
    assert not [path for path in workspace.rglob("*") if path.is_file()]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit):
        run(*arguments)
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    return error


def test_a_file_without_a_name_in_a_zip_is_no_end(tmp_path: Path, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("QQ", "a")
    packed = (tmp_path / "x.zip").read_bytes()
    (tmp_path / "x.zip").write_bytes(packed.replace(b"QQ", b"\0Q"))  # names end at a NUL: this one before it begins
    assert "does not say which format" in refused(capsys, "corpus", "import", str(tmp_path / "x.zip"))


@pytest.mark.parametrize("kind", ["corpus", "emergent"])
def test_parquet_whose_rows_point_beyond_the_dictionary_is_damaged(
    tmp_path: Path, workspace: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    columns = {name: pa.DictionaryArray.from_arrays(pa.array([0, 1] * 100, pa.int32()), ["ab", "cd"]) for name in ("de", "fi")}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet", compression="none")
    whole = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(whole.replace(b"\x4c\x15\x04", b"\x4c\x15\x02"))  # dictionaries of one value, not two
    assert "damaged" in refused(capsys, kind, "import", str(tmp_path / "x.parquet"))


@pytest.mark.parametrize(
    "times",
    [
        pa.array([0, 1], pa.timestamp("ns", "Mars/Base")),
        pa.array([2**60, 1], pa.timestamp("ms")),
        pa.array([2**62, 1], pa.duration("s")),
        pa.array([[2**30], []], pa.list_(pa.date32())),
    ],
    ids=lambda times: str(times.type),
)
def test_times_that_are_none_are_damage(
    tmp_path: Path, workspace: Path, capsys: pytest.CaptureFixture[str], times: pa.Array
) -> None:
    pq.write_table(pa.table({"de": times, "fi": ["a", "b"]}), tmp_path / "x.parquet")
    assert "damaged" in refused(capsys, "corpus", "import", str(tmp_path / "x.parquet"))


def test_a_column_that_is_not_used_is_not_unpacked(tmp_path: Path, workspace: Path) -> None:
    table = pa.table({"message": [[1, 2], [3]], "other": pa.array([1.5, 2.5])})
    for name, open_ in (("x.arrows", pa.ipc.new_stream), ("x.arrow", pa.ipc.new_file)):
        path = tmp_path / name
        with open_(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as sink:
            sink.write_table(table)
        whole = path.read_bytes()
        at = whole.rindex(b"\x28\xb5\x2f\xfd")  # zstd's mark: the buffer of the last column
        path.write_bytes(whole[:at] + b"\0\0\0\0" + whole[at + 4 :])
        run("emergent", "import", str(path), "--name", name)
    assert len(list(workspace.rglob("entry.json"))) == 1


def test_half_a_character_in_a_name_is_kept_as_a_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))
    (tmp_path / "x.jsonl").write_text(LONE.replace("message", "\\ud800x").replace('"\\ud800"', '"n"'), encoding="utf-8")
    run("emergent", "import", str(tmp_path / "x.jsonl"), "--field", "\ud800x")
    assert len(list((tmp_path / "workspace").rglob("entry.json"))) == 1
