"""An atlas from a zip: with or without the folder that it lies in, and nothing of a zip that is another."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.atlas import publish, zipped
from isogloss.backend.atlas.zipped import take_zip
from isogloss.backend.errors import StoreError
from isogloss.backend.settings import settings
from tests.atlas.atlas_workspace import fill

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The zip that *Publish* gives."""
    fill(tmp_path / "theirs", plain=True)
    path = tmp_path / "atlas.zip"
    path.write_bytes(publish.zipped(publish.of_models([tmp_path / "theirs"]), [tmp_path / "theirs"], lambda *_: None))
    return path


def again(path: Path, root: str = "", **more: bytes) -> Path:
    """The same zip with everything below a folder, and more files."""
    copy = path.with_name("again.zip")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(root + name, before.read(name))
        for name, content in more.items():
            after.writestr(name, content)
    return copy


@pytest.mark.parametrize("root", ["", "repository-main/site/"])
def test_an_atlas_is_found_in_its_zip(made: Path, workspace: Path, root: str) -> None:
    kept = take_zip(again(made, root), workspace)
    assert (kept.title, kept.files) == ("Scores", 3)
    assert settings().workspaces == [workspace, kept.folder]


def test_what_an_atlas_does_not_have_is_not_unpacked(made: Path, workspace: Path, tmp_path: Path) -> None:
    hostile = {"../../evil.txt": b"x", "/etc/evil": b"x", "workspace/../evil": b"x", "workspace/scores/abx/x.py": b"x"}
    kept = take_zip(again(made, **hostile), workspace)
    assert not list(tmp_path.rglob("*evil*"))
    assert sorted(path.suffix for path in kept.folder.rglob("*") if path.is_file()) == [".json"] * 3 + [".parquet"] * 3


def test_what_unpacks_to_too_much_is_refused(made: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most, why in (("MOST_BYTES", 10_000, "unpacked it is larger than"), ("MOST_FILES", 2, "more than 2 files")):
        with monkeypatch.context() as changed:
            changed.setattr(zipped, name, most)
            with pytest.raises(StoreError, match=why):
                take_zip(made, workspace)
    assert settings().workspaces == [workspace]


def test_what_is_no_zip_of_an_atlas_is_said(tmp_path: Path, workspace: Path, made: Path) -> None:
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("index.html", "x")
    (tmp_path / "cut.zip").write_bytes(made.read_bytes()[:-200])
    for name in ("text", "other", "cut"):
        with pytest.raises(StoreError, match="no zip of an atlas"):
            take_zip(tmp_path / f"{name}.zip", workspace)
