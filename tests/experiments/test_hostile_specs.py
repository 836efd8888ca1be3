"""What others may send as a spec: every one is refused with a sentence, or is a spec."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.registry import EXPERIMENTS
from isogloss.backend.experiments.spec import Spec, validate
from isogloss.backend.files import ContentId
from tests.cli.typed import run
from tests.experiments.test_keys_are_stable import SPECS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEX = "0123456789abcdef01234567"
CHECKPOINT = {"source": "folder", "location": "/models/m", "label": "m", "fingerprint": HEX}
ABX = {"experiment": "abx", "model": "m", "checkpoints": [CHECKPOINT], "corpus": HEX, "languages": ["de", "fi"]}
TRANSFER = ABX | {"experiment": "transfer", "data": "task", "sources": ["de"]}
NEVER_PATHS = {
    "model": "what people call it",
    "name": "what people call it",
    "label": "what people call it",
    "stage": "shown, and read from the name of a checkpoint",
    "location": "that of the user's own weights; what is kept is found by the fingerprint",
    "revision": "asked of the Hub",
    "commit": "asked of the Hub",
    "dump": "asked of the Hub",
    "prefix": "set before every text",
    "language": "a tag",
    "languages": "tags",
    "source": "a tag",
    "sources": "tags",
    "target": "a tag",
    "pivot": "a tag",
    "targets": "tags",
    "source_language": "a tag",
    "target_language": "a tag",
    "pairs": "tags",
    "listed": "tags",
    "corpus_test": "compared with that of the task which is kept",
    "tested_test": "compared with that of the task which is kept",
}
"""Fields of specs that hold text and no id, and why no folder or file is found by them."""
PATHS = ["../../etc/passwd", "/etc/passwd", "..", "", HEX + "/..", HEX + "\n", HEX.upper(), HEX[:-1], "\0" * 24, "a" * 10**6]


@pytest.mark.parametrize("value", [[], [ABX], "abx", None, 3, {}, {"experiment": ["abx"]}, {"experiment": "x" * 10**6}])
def test_what_is_no_spec_is_refused(value: Any) -> None:
    with pytest.raises(SpecError) as refused:
        registry.parse(value)
    assert len(str(refused.value)) < 600


def id_fields(schema: dict[str, Any]) -> dict[str, bool]:
    """Every field that holds text, of a spec and of what is in it: whether it is an id."""
    found: dict[str, bool] = {}
    for model in (schema, *schema.get("$defs", {}).values()):
        for name, field in model.get("properties", {}).items():
            for text in texts(field):
                found[name] = found.get(name, True) and text.get("pattern") == "^[0-9a-f]{24}$"
    return found


def texts(field: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a field's schema that any text may stand in."""
    if field.get("type") == "string" and not {"enum", "const"} & field.keys():
        yield field
    several, one = ("anyOf", "prefixItems"), ("items", "additionalProperties")
    for inner in (*(each for key in several for each in field.get(key, ())), *(field[key] for key in one if key in field)):
        if isinstance(inner, dict):
            yield from texts(inner)


FIELDS = {name: id_fields(experiment.spec.model_json_schema()) for name, experiment in EXPERIMENTS.items()}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_text_of_a_spec_is_an_id_or_names_nothing_that_is_kept(experiment: str) -> None:
    assert {name for name, is_id in FIELDS[experiment].items() if not is_id} <= NEVER_PATHS.keys()


def with_path(value: Any, name: str, path: str) -> Any:
    """A spec's fields with `path` in those called `name`, at any depth."""
    match value:
        case dict():
            return {key: path_for(each, path) if key == name else with_path(each, name, path) for key, each in value.items()}
        case list():
            return [with_path(each, name, path) for each in value]
    return value


def path_for(value: Any, path: str) -> Any:
    return [*value[1:], path] if isinstance(value, list) else path


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_id_is_no_path(experiment: str) -> None:
    ids = {name for name, is_id in FIELDS[experiment].items() if is_id}
    specs = [registry.parse(fields).model_dump(mode="json") for fields in SPECS.values() if fields["experiment"] == experiment]
    refused = set()
    for fields, name in product(specs, ids):
        if with_path(fields, name, "") != fields:
            for path in PATHS:
                with pytest.raises(SpecError, match=f"{name} is .*24 hexadecimal digits") as told:
                    registry.parse(with_path(fields, name, path))
                assert len(str(told.value)) < 300
            refused.add(name)
    assert refused == ids


def test_an_id_is_checked_whatever_its_field_is_called() -> None:
    class OnTask(Spec):
        experiment: Literal["on task"] = "on task"
        tasks: dict[str, tuple[ContentId, ...]]

    assert validate(OnTask, {"tasks": {"de": [HEX]}}).tasks == {"de": (HEX,)}
    with pytest.raises(SpecError, match=r"tasks\.de is '\.\./x'; it must be an id of 24 hexadecimal digits\."):
        validate(OnTask, {"tasks": {"de": [HEX, "../x"]}})


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
