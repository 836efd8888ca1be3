"""The public interface is what is recorded: names, signatures and schemas change on purpose, with the record, or not at all."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

import isogloss
from isogloss.backend.experiments import registry
from isogloss.backend.store import scores
from tests.pages.abx.abx_page import DEMO

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("public_names.txt")
SCHEMAS = ROOT / "docs" / "schemas"


def offered() -> list[str]:
    lines = []
    for name in sorted(isogloss.__all__):
        of = getattr(isogloss, name)
        if isinstance(of, type):
            lines.append(f"class {name}({', '.join(base.__name__ for base in of.__bases__)})")
        else:
            lines.append(f"{name}{inspect.signature(of)}")
    return lines


def test_names_and_signatures_are_those_recorded() -> None:
    """Where a change is meant: write what `offered()` gives into public_names.txt, and a line into CHANGELOG.md."""
    assert offered() == RECORD.read_text(encoding="utf-8").splitlines()


def test_every_public_name_says_what_it_takes_and_gives() -> None:
    for name in isogloss.__all__:
        of = getattr(isogloss, name)
        assert inspect.getdoc(of), name
        if not isinstance(of, type) and inspect.signature(of).parameters:
            assert all(f"{part}:\n" in inspect.getdoc(of) for part in ("Args", "Raises")), name
            for parameter in inspect.signature(of).parameters:
                assert f"{parameter}:" in inspect.getdoc(of), (name, parameter)
    assert {name for names in isogloss._PLACES.values() for name in names} == set(isogloss.__all__) <= set(dir(isogloss))
    with pytest.raises(AttributeError, match="no attribute 'abxx'"):
        isogloss.abxx  # noqa: B018


def test_nothing_of_it_but_computing_brings_torch() -> None:
    code = f"""
import sys, isogloss
assert not {{"torch", "transformers", "pandas", "streamlit", "duckdb", "pydantic"}} & set(sys.modules)
for name in isogloss.__all__:
    getattr(isogloss, name)
isogloss.scores("abx_meaning", workspace={str(DEMO)!r}, layers=1)
isogloss.figure("abx/pairs", workspace={str(DEMO)!r})
isogloss.igap([0.1], {{"de": [0.2]}}, at=0.1, epsilon=0.1)
isogloss.schemas(), isogloss.queries()
assert not {{"torch", "transformers"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def built_in() -> dict[str, Any]:
    own = {experiment.name for family in registry.BUILT_IN for experiment in family.experiments}
    return {name: schema for name, schema in isogloss.schemas().items() if name in own or name == "scores"}


def test_schemas_are_those_published() -> None:
    """Where a change is meant: `isogloss schemas -o docs/schemas`."""
    published = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.json")}
    assert published == json.loads(json.dumps(built_in()))
    for schema in published.values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_specs_and_scores_are_what_their_schemas_say() -> None:
    spec = {
        "experiment": "abx",
        "model": "M",
        "corpus": "c" * 24,
        "languages": ["de", "en"],
        "checkpoints": [{"source": "hub", "location": "a/b", "label": "main", "fingerprint": "f" * 24}],
    }
    every = isogloss.schemas()
    jsonschema.validate(spec, every["abx"])
    jsonschema.validate(json.loads(registry.parse(spec).model_dump_json()), every["abx"])
    for wrong in ({"pooling": "middle"}, {"sentences": 1}, {"corpus": "x"}, {"unknown": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(spec | wrong, every["abx"])
        with pytest.raises((ValidationError, isogloss.SpecError)):
            registry.parse(spec | wrong)
    rows = json.loads(
        scores.sql("SELECT * EXCLUDE dictionary FROM scores USING SAMPLE 300", [DEMO]).to_json(
            orient="records", date_format="iso"
        )
    )
    for row in rows:
        jsonschema.validate(row, every["scores"])
