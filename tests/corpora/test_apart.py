"""Files are read in a process of its own: what it gives is what a reader gives, and whatever ends it is one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.corpora.covariates import reader as covariates
from isogloss.backend.corpora.dictionaries import readers as dictionaries
from isogloss.backend.corpora.emergent import layouts
from isogloss.backend.corpora.emergent import readers as emergent
from isogloss.backend.corpora.parallel import readers as parallel
from isogloss.backend.corpora.shared import apart, plain_data
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.shared.limits import TooLargeError
from isogloss.backend.corpora.tagged import readers as tagged
from isogloss.backend.corpora.tasks import readers as tasks
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.settings import ROOT
from tests.corpora import breaking

FILES = [InputFile("x.tsv", Path("x")), InputFile("y.tsv", Path("y"))]


def written(folder: Path, name: str, text: str) -> InputFile:
    (folder / name).write_text(text, encoding="utf-8")
    return InputFile(name, folder / name)


def plain(value: Any) -> Any:
    """Return all that a reader gives, so that two can be compared: arrays are equal to nothing."""
    tables: list[pa.Table] = []
    return plain_data._written(value, tables), [table.to_pydict() for table in tables]


def asked(folder: Path, kind: str) -> tuple[Any, ...]:
    pairs = written(folder, "x.tsv", "id\tde\tfi\n" + "".join(f"{i}\tSatz {i}\tlause {i}\n" for i in range(9)) + "\n9\t\ta\n")
    match kind:
        case "corpus":
            return parallel.read, [pairs]
        case "dictionary":
            return dictionaries.read, written(folder, "de-fi.txt", "Haus talo\nBaum puu\nHaus koti\n" * 9), "de", "fi"
        case "task":
            rows = "".join(f"Satz {i}\t{'ab'[i % 2]}\n" for i in range(30))
            return tasks.read, [written(folder, "train-de.tsv", rows)], [written(folder, "dev-de.tsv", rows)]
        case "tagged":
            return tagged.read, [written(folder, "train-de.tsv", "Haus\tNOUN\nsteht\tVERB\n\n" * 9)]
        case "integers":
            return emergent.read, [written(folder, "x.jsonl", "[1, 2]\n[3]\n[]\n")]
        case "words":
            return emergent.read, [written(folder, "x.txt", "wa tok\ntok\n")]
        case "layout":
            return layouts.look, written(folder, "x.csv", "a,b\nx y,z\n"), layouts.Options()
        case "covariates":
            return covariates.read_file, written(folder, "x.csv", "language,size\nde,3\nfi,NA\nxx,2\nsv,1e300\n")
    links_file = written(folder, "x.pharaoh", "0-0 1-1\n" * 8 + "0-0 1p1\n")
    return links.read, links_file, parallel.read([pairs]), "de", "fi"


@pytest.mark.parametrize(
    "kind", ["corpus", "dictionary", "task", "tagged", "integers", "words", "layout", "covariates", "alignment"]
)
def test_it_gives_what_the_reader_gives(tmp_path: Path, kind: str) -> None:
    reader, *arguments = asked(tmp_path, kind)
    found, here = apart.read(reader, *arguments), reader(*arguments)
    assert type(found) is type(here)
    assert plain(found) == plain(here)


def test_it_is_another_process_with_the_settings_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    for number in ("77", "78"):
        monkeypatch.setenv("ISOGLOSS_IMPORT_MB", number)
        found = apart.read(breaking.tell, FILES, progress=told.append)
        assert found["pid"] != os.getpid()
        assert found["settings"] == {"ISOGLOSS_IMPORT_MB": number}
        assert found["threads"] == 1
    assert told[-1] == 1.0


def test_a_refusal_comes_as_it_is() -> None:
    with pytest.raises(CorpusError) as refused:
        apart.read(breaking.fail, FILES, "corpus")
    error = refused.value
    assert (error.problem, error.remedy, error.file, error.line) == ("It is odd.", "Mend it.", "x.tsv", 7)
    with pytest.raises(StoreError, match=r"^There is no room\.$"):
        apart.read(breaking.fail, FILES, "store")


@pytest.mark.parametrize("how", ["python", "numpy", "arrow", "small"])
def test_too_much_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv("ISOGLOSS_IMPORT_MB", "1")
    monkeypatch.setattr(apart, "BESIDE", 60)
    with pytest.raises(TooLargeError, match=r"^x\.tsv and 1 more: Reading it takes more than 62 MB .* ISOGLOSS_IMPORT_MB\.$"):
        apart.read(breaking.fill, FILES, how)


@pytest.mark.parametrize("how", ["kill", "abort"])
def test_a_process_that_the_system_ends_took_too_much(how: str) -> None:
    with pytest.raises(TooLargeError, match=r"more than 1,290 MB of memory"):
        apart.read(breaking.end, FILES, how)


def test_too_long_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISOGLOSS_IMPORT_SECONDS", "0.2")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(CorpusError, match=r"^x\.tsv and 1 more: Reading it takes more than 0.2 seconds\..*_SECONDS\.$"):
        apart.read(breaking.last, FILES, 1000.0)
    monkeypatch.setenv("ISOGLOSS_IMPORT_SECONDS", "1000")
    with pytest.raises(CorpusError, match="more than 1000 seconds"):
        apart.read(breaking.end, FILES, "processor")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("how", "said"), [("crash", "SIGSEGV"), ("exit", "status 3")])
def test_a_process_that_breaks_down_is_a_sentence(how: str, said: str) -> None:
    with pytest.raises(CorpusError, match=rf"^x\.tsv and 1 more: It made its reader break down \({said}\)\."):
        apart.read(breaking.end, FILES, how)


def test_a_mistake_of_ours_is_a_sentence_that_says_where() -> None:
    with pytest.raises(CorpusError, match=r"break down \(IndexError in breaking\.py, line \d+\)"):
        apart.read(breaking.fail, FILES, "index")
    with pytest.raises(CorpusError, match=r"break down \(TypeError in plain_data\.py"):
        apart.read(breaking.strange, FILES)
    with pytest.raises(TooLargeError):
        apart.read(breaking.fail, FILES, "thread")


def test_another_server_is_started_where_it_is_gone() -> None:
    assert apart.read(breaking.last, FILES, 0) == "done"
    process = apart._server.process
    assert process is not None
    process.kill()
    assert apart.read(breaking.last, FILES, 0) == "done"


def gone(pid: int) -> bool:
    try:
        return " Z " in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_goes_on_where_whoever_asked_was_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = (
        "from pathlib import Path\nfrom isogloss.backend.corpora.shared import apart\nfrom tests.corpora import breaking\n"
        f"apart.read(breaking.last, [], 1000.0, Path({str(note)!r}))\n"
    )
    asking = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    )
    while not (note.exists() and note.read_text()):
        assert asking.poll() is None
        time.sleep(0.01)
    reader = int(note.read_text())
    asking.send_signal(signal.SIGKILL)
    asking.wait()
    while not gone(reader):
        time.sleep(0.01)


class StoppedError(Exception):
    """What a page does where somebody turns to another."""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_goes_on_where_whoever_asked_went_on(tmp_path: Path) -> None:
    def stop(share: float) -> None:
        raise StoppedError

    note = tmp_path / "pid"
    with pytest.raises(StoppedError) as stopped:
        apart.read(breaking.last_telling, FILES, 1000.0, note, progress=stop)
    while not gone(int(note.read_text())):
        time.sleep(0.01)
    assert stopped.value  # which holds all that was open when it was raised


@dataclass
class Elsewhere:
    """A dataclass of no reader."""

    one: int = 1


@pytest.mark.parametrize(
    "value",
    [
        {"is": ["tests.corpora.test_apart", "Elsewhere", {}]},
        {"is": ["os", "system", {"command": "false"}]},
        {"is": ["isogloss.backend.corpora.shared.inputs", "printable", {"name": "a"}]},
        {"is": ["isogloss.backend.corpora.shared.inputs", "InputFile.base", {}]},
        {"is": ["isogloss.backend.corpora.shared.inputs", "InputFile", {"name": "a"}]},
        {"is": ["isogloss.backend.corpora.none", "None", {}]},
        {"what": 1},
        {"list": [], "dict": []},
        {"table": "../x"},
        {"list": 3},
        {"dict": [[{"list": []}, 1]]},
    ],
)
def test_what_is_no_plain_data_is_not_built(tmp_path: Path, value: Any) -> None:
    (tmp_path / "value.json").write_text(json.dumps(value))
    with pytest.raises(ValueError, match="is no plain data"):
        plain_data.read(tmp_path)


def test_a_table_with_offsets_that_lead_out_is_not_taken(tmp_path: Path) -> None:
    plain_data.write(tmp_path / "x", pa.table({"a": ["abc", "de"]}))
    path = tmp_path / "x" / "0.arrow"
    offsets = np.array([0, 3, 5], np.int32).tobytes()
    whole = path.read_bytes()
    assert offsets in whole
    path.write_bytes(whole.replace(offsets, np.array([0, 3, 1 << 30], np.int32).tobytes()))
    with pytest.raises(ValueError, match="ffset"):
        plain_data.read(tmp_path / "x")


def test_plain_data_comes_back_as_it_was(tmp_path: Path) -> None:
    value = {
        "a": [1, 2.5, None, True, "\ud800\0ü", float("inf"), -(10**30)],
        ("b", 1): ((), [], {}, ((1,),)),
        "c": InputFile("x", tmp_path),
    }
    plain_data.write(tmp_path / "x", value)
    assert plain_data.read(tmp_path / "x") == value
