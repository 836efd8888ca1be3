"""Pre-trained language models on disk: there whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.store import bases, cache

if TYPE_CHECKING:
    from pathlib import Path

KEY = "a" * 24


def keep(workspace: Path, content: bytes = b"weights") -> Path:
    model = workspace / "model"
    model.mkdir(parents=True)
    (model / "model.safetensors").write_bytes(content)
    (model / "config.json").write_text("{}")
    folder = bases.path(workspace, KEY)
    folder.mkdir(parents=True)
    bases.fill(folder, model, {"source": "none"})
    return folder


def test_the_first_workspace_that_has_it_whole(tmp_path: Path) -> None:
    both = [tmp_path / "mine", tmp_path / "demo"]
    assert bases.load(KEY, both) is None
    demo = keep(both[1])
    assert bases.load(KEY, both) == demo
    mine = keep(both[0])
    assert bases.load(KEY, both) == mine
    assert bases.provenance(mine)["source"] == "none"
    (mine / "model.safetensors").write_bytes(b"Weights")  # as long, and perhaps at the same time
    os.utime(mine / "model.safetensors", ns=(1, 1))
    assert bases.load(KEY, both) == demo


@pytest.mark.parametrize("name", ["about.json", "model.safetensors"])
def test_what_lacks_a_file_is_not_there(tmp_path: Path, name: str) -> None:
    (keep(tmp_path) / name).unlink()
    assert bases.load(KEY, [tmp_path]) is None


def test_counted_and_removed(tmp_path: Path) -> None:
    folder = keep(tmp_path)
    size = sum(path.stat().st_size for path in folder.iterdir())
    (used,) = [each for each in cache.usage(tmp_path) if each.kind == "bases"]
    assert (used.files, used.size) == (3, size)
    assert cache.remove(tmp_path, "bases") == size
    assert bases.load(KEY, [tmp_path]) is None
