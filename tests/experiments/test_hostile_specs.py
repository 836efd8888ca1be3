"""What others may send as a spec: every one is refused with a sentence, or is a spec."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from backend.errors import SpecError
from backend.experiments import registry
from tests.cli.typed import run

if TYPE_CHECKING:
    from pathlib import Path

HEX = "0123456789abcdef01234567"
CHECKPOINT = {"source": "folder", "location": "/models/m", "label": "m", "fingerprint": HEX}
ABX = {"experiment": "abx", "model": "m", "checkpoints": [CHECKPOINT], "corpus": HEX, "languages": ["de", "fi"]}
TRANSFER = ABX | {"experiment": "transfer", "data": "task", "sources": ["de"]}
PATHS = ["../../etc/passwd", "/etc/passwd", "..", "", HEX + "/..", HEX + "\n", HEX.upper(), HEX[:-1], "\0" * 24, "a" * 10**6]


@pytest.mark.parametrize("value", [[], [ABX], "abx", None, 3, {}, {"experiment": ["abx"]}, {"experiment": "x" * 10**6}])
def test_what_is_no_spec_is_refused(value: Any) -> None:
    with pytest.raises(SpecError) as refused:
        registry.parse(value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("field", ["corpus", "fingerprint", "extra"])
def test_an_id_is_no_path(field: str, path: str) -> None:
    spec = TRANSFER | ({"checkpoints": [CHECKPOINT | {field: path}]} if field == "fingerprint" else {field: path})
    with pytest.raises(SpecError, match=f"{field} is .*24 hexadecimal digits") as refused:
        registry.parse(spec)
    assert len(str(refused.value)) < 300


def test_sound_specs_are_taken() -> None:
    assert registry.parse(ABX).experiment == "abx"
    assert registry.parse(TRANSFER).experiment == "transfer"


def test_a_sweep_of_billions_is_refused_before_it_is_listed() -> None:
    with pytest.raises(SpecError, match=r"10,000,000,000 runs"):
        registry.parse(TRANSFER | {"seeds": list(range(100_000)), "learning_rates": [i / 1e9 for i in range(1, 100_001)]})


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[1, 2]",
        '"abx"',
        "{",
        "",
        "[" * 100_000,
        '{"experiment":' * 50_000,
        "\ufeff{}",
        "nan",
        "1" * 5000,
        "{\0}",
        "\ud800",
    ],
)
def test_a_file_that_is_no_spec_is_one_sentence(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "spec.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(SystemExit):
        run("run", "spec", str(file))
    said = capsys.readouterr().err
    assert said.startswith("Error: ")
    assert said.count("\n") == 1


def test_a_file_of_a_spec_of_paths_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(ABX | {"corpus": "../../../etc"}))
    with pytest.raises(SystemExit):
        run("run", "spec", str(file))
    assert "24 hexadecimal digits" in capsys.readouterr().err
