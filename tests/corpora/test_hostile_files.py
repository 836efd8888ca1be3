"""Files that somebody made to do harm, and those that only look so: a sentence each, and nothing half stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

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
    "nested line": (["corpus"], {"x.jsonl": DEEP}, "not a JSON object"),
    "nested objects": (["corpus"], {"x.jsonl": '{"de":' * 50_000}, "not a JSON object"),
    "nested utterance": (["emergent"], {"x.jsonl": f"[1]\n{DEEP}\n"}, "nested too deeply"),
    "utf-7": (["corpus"], {"x.tmx": UTF7}, "encoding that the XML declares is not read"),
    "no such encoding": (["corpus"], {"x.tmx": UTF7.replace("utf-7", "klingon")}, "encoding that the XML declares is not read"),
    "an endless attribute": (["corpus"], {"x.tmx": f'<tmx a="{"x" * (10 << 20)}'}, "An element is longer than 8 MiB"),
    "text called gzip": (["corpus"], {"x.jsonl.gz": '{"de": "a", "fi": "b"}\n'}, "not gzip, though its name"),
    "sentences of no width": (["corpus"], {"de.txt": "\u200b\n\u2060\ufeff\n", "fi.txt": "a\nb\n"}, "found: fi"),
    "rows of no width": (["task"], {"dev-de.tsv": "\u200b\ta\n" * 9}, "text in only 0 of 9 rows"),
    "numbers": (["corpus"], {"x.csv": "de,fi\n1,2\n"}, "named after a language, but holds no words (such as '1')"),
    "an unknown tag": (["corpus"], {"x.csv": "id,language,text\n1,de,a\n1,xx-unknown,b\n"}, "'xx-unknown' is not a language"),
    "a long field": (["corpus"], {"x.csv": f'de,fi\n"{"a" * 300_000}",b\n'}, "A field is longer than 131,072 characters"),
    "a long line": (["corpus"], {"x.tsv": f"de\tfi\n{'a' * (9 << 20)}\tb\n"}, "The line is longer than 8 MiB"),
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


def test_half_a_character_in_a_name_is_kept_as_a_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "workspace"))
    (tmp_path / "x.jsonl").write_text(LONE.replace("message", "\\ud800x").replace('"\\ud800"', '"n"'), encoding="utf-8")
    run("emergent", "import", str(tmp_path / "x.jsonl"), "--field", "\ud800x")
    assert len(list((tmp_path / "workspace").rglob("entry.json"))) == 1
