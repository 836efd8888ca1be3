"""Kept models as a kind of what takes space: counted, removable, whole or not there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from isogloss.backend.store import cache, weights
from isogloss.pages.jobs import storage

if TYPE_CHECKING:
    from pathlib import Path


def keep(workspace: Path, name: str = "a" * 24) -> Path:
    folder = weights.path(workspace, name)
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"x" * 100)
    (folder / weights.ABOUT).write_text(json.dumps({"files": ["model.safetensors"], "step": 3}), encoding="utf-8")
    return folder


def test_the_first_workspace_that_has_it(tmp_path: Path) -> None:
    keep(tmp_path / "two")
    found = weights.load("a" * 24, [tmp_path / "one", tmp_path / "two"])
    assert found is not None
    assert (found.folder.parts[-3:], found.provenance["step"]) == (("two", "weights", "a" * 24), 3)
    keep(tmp_path / "one")
    found = weights.load("a" * 24, [tmp_path / "one", tmp_path / "two"])
    assert found is not None
    assert found.folder.parts[-3] == "one"
    assert weights.load("b" * 24, [tmp_path / "one", tmp_path / "two"]) is None


def test_what_is_not_whole_is_not_there(tmp_path: Path) -> None:
    for number, damage in enumerate(("model.safetensors", weights.ABOUT)):
        name = str(number) * 24
        (keep(tmp_path, name) / damage).unlink()
        assert weights.load(name, [tmp_path]) is None
    for content in ("{", "[]", "\xff"):
        name = f"{ord(content[0]):024d}"
        (keep(tmp_path, name) / weights.ABOUT).write_text(content, encoding="latin-1")
        assert weights.load(name, [tmp_path]) is None


def test_counted_and_removed(tmp_path: Path) -> None:
    folder = keep(tmp_path)
    size = sum(path.stat().st_size for path in folder.iterdir())
    (used,) = [each for each in cache.usage(tmp_path) if each.kind == "weights"]
    assert (used.files, used.size) == (2, size)
    assert cache.remove(tmp_path, "weights") == size
    assert not folder.exists()


def test_every_kind_has_words() -> None:
    assert set(storage.MEANING) == set(get_args(cache.Kind))
    assert set(storage.REMOVABLE) <= set(storage.MEANING)
    assert "weights" in storage.REMOVABLE
