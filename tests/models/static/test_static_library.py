"""Kept sets of static vectors: their files stay where they are, and count only while they hold what they held."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.errors import ModelError, StoreError
from isogloss.backend.models.files import fingerprint
from isogloss.backend.models.static import library as static_library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {tag: tmp_path / f"wiki.{tag}.vec" for tag in ("en", "de", "zh")}
    for number, path in enumerate(found.values()):
        path.write_text(f"2 3\na {number} 0 1\nb 1 1 1\n", encoding="utf-8")
    return found


def test_add_and_list(workspace: Path, files: dict[str, Path]) -> None:
    files["en"].write_text("5 3\na 0 0 1\n\n", encoding="utf-8")
    told: list[str] = []
    kept = static_library.add("  My /../ vectors ", files, workspace, progress=lambda tag, share: told.append(tag))
    assert (kept.name, kept.dims, kept.languages) == ("My /../ vectors", 3, ("de", "en", "zh"))
    assert told == ["de", "en", "zh"]
    assert [kept.files[tag].words for tag in kept.languages] == [2, 1, 2]
    assert kept.files["en"].note is not None
    assert "promises 5 words, the file has 2. Lines left out: 1; the first is line 3" in kept.files["en"].note
    assert kept.files["de"].note is None
    assert kept.files["de"].shown == "wiki.de.vec"
    assert static_library.entries([workspace]) == [kept]
    assert static_library.load_entry(kept.fingerprint, [workspace]) == kept
    assert static_library.find_set("my /../ VECTORS", [workspace]) == kept
    assert [p.relative_to(workspace).as_posix() for p in (workspace / "static_vectors").rglob("*.json")] == [
        f"static_vectors/{kept.fingerprint}/entry.json"
    ]


def test_the_fingerprint_is_of_what_is_in_the_files_of_each_language(
    workspace: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    first = static_library.add("one", files, workspace)
    swapped = static_library.add("two", {**files, "en": files["de"], "de": files["en"]}, workspace)
    fewer = static_library.add("three", {tag: files[tag] for tag in ("en", "de")}, workspace)
    assert len({first.fingerprint, swapped.fingerprint, fewer.fingerprint}) == 3
    moved = {tag: tmp_path / f"moved-{tag}" for tag in files}
    for tag, path in files.items():
        shutil.move(path, moved[tag])
    with pytest.raises(ModelError, match=r"wiki\.en\.vec of 'one' cannot be read \(No such file"):
        static_library.checked_file(first, "en", workspace)
    assert "'one': wiki.de.vec, wiki.en.vec, wiki.zh.vec is no longer where it was. Add the vectors again." in (
        static_library.problems([workspace])
    )
    again = static_library.add("renamed", moved, workspace)
    assert again.fingerprint == first.fingerprint
    assert {kept.name for kept in static_library.entries([workspace])} == {"renamed", "two", "three"}
    assert static_library.checked_file(again, "en", workspace) == moved["en"]


def test_a_file_that_changed_is_refused_and_an_unchanged_one_not_read_again(
    workspace: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = static_library.add("mine", files, workspace)
    monkeypatch.setattr(fingerprint, "_seen", {})  # as another process
    with monkeypatch.context() as patched:
        patched.setattr(fingerprint, "file_digest", lambda path: pytest.fail("read again"))
        assert static_library.checked_file(kept, "en", workspace) == files["en"]
    before = files["en"].stat()
    files["en"].write_text("2 3\na 9 0 1\nb 1 1 1\n", encoding="utf-8")
    assert files["en"].stat().st_size == before.st_size
    os.utime(files["en"], ns=(before.st_atime_ns, before.st_mtime_ns))  # as a tool that copies times would
    with pytest.raises(ModelError, match=r"wiki\.en\.vec of 'mine' has changed"):
        static_library.checked_file(kept, "en", workspace)


def test_files_in_the_workspace_move_with_it(workspace: Path, files: dict[str, Path], tmp_path: Path) -> None:
    (workspace / "own").mkdir()
    inside = {tag: workspace / "own" / path.name for tag, path in files.items()}
    for tag, path in files.items():
        shutil.copy(path, inside[tag])
    kept = static_library.add("mine", inside, workspace)
    shutil.move(workspace, tmp_path / "elsewhere")
    [moved] = static_library.entries([tmp_path / "elsewhere"])
    assert static_library.checked_file(moved, "de", tmp_path / "elsewhere") == tmp_path / "elsewhere/own/wiki.de.vec"
    entry = tmp_path / "elsewhere/static_vectors" / kept.fingerprint / "entry.json"
    entry.write_text(entry.read_text(encoding="utf-8").replace("own/wiki.de.vec", "../wiki.de.vec"), encoding="utf-8")
    assert static_library.entries([tmp_path / "elsewhere"]) == []
    assert "damaged" in static_library.problems([tmp_path / "elsewhere"])[0]


def test_what_cannot_be_added(workspace: Path, files: dict[str, Path], tmp_path: Path) -> None:
    static_library.add("Mine", files, workspace)
    longer = tmp_path / "longer.vec"
    longer.write_text("a 1 2 3 4\n", encoding="utf-8")
    for name, given, message in (
        (" \t", files, "need a name"),
        ("x" * 121, files, "need a name"),
        ("none", {}, "No file was given"),
        ("mine", {"en": files["en"]}, "Other vectors are called 'mine'"),
        ("sizes", {"en": files["en"], "de": longer}, "several sizes: de 4, en 3"),
        ("gone", {"en": tmp_path / "gone.vec"}, r"gone\.vec cannot be read"),
        ("folder", {"en": tmp_path}, r"cannot be read \(Is a directory"),
    ):
        with pytest.raises(ModelError, match=message):
            static_library.add(name, given, workspace)
    assert [kept.name for kept in static_library.entries([workspace])] == ["Mine"]


def test_a_language_is_found_by_its_primary_language_where_that_is_clear(workspace: Path, files: dict[str, Path]) -> None:
    kept = static_library.add("mine", files | {"pt-BR": files["en"], "pt-PT": files["en"]}, workspace)
    asked = ("de", "de-AT", "zh-Hant", "pt-BR", "pt", "fr")
    assert [kept.language(tag) for tag in asked] == ["de", "de", "zh", "pt-BR", None, None]


def test_renamed_vectors_are_the_same_set(workspace: Path, files: dict[str, Path]) -> None:
    kept, other = static_library.add("mine", files, workspace), static_library.add("other", {"en": files["en"]}, workspace)
    renamed = static_library.rename(kept.fingerprint, "  My own  ", workspace)
    assert renamed == kept.model_copy(update={"name": "My own"})
    assert static_library.entries([workspace]) == [renamed, other]
    for known, name, message in (
        (kept.fingerprint, "OTHER", "Other vectors are called"),
        (kept.fingerprint, "", "need a name"),
        ("0" * 24, "new", "not in the library"),
    ):
        with pytest.raises(ModelError, match=message):
            static_library.rename(known, name, workspace)
    assert static_library.entries([workspace]) == [renamed, other]


def test_remove(workspace: Path, files: dict[str, Path]) -> None:
    kept = static_library.add("mine", files, workspace)
    static_library.remove(kept.fingerprint, workspace)
    static_library.remove(kept.fingerprint, workspace)
    assert static_library.entries([workspace]) == []
    assert list((workspace / "static_vectors").iterdir()) == []
    assert all(path.is_file() for path in files.values())
    for missing in (kept.fingerprint, "../../etc"):
        with pytest.raises(ModelError, match="not in the library"):
            static_library.load_entry(missing, [workspace])
    with pytest.raises(ModelError, match="names no vectors"):
        static_library.remove("../../etc", workspace)
    with pytest.raises(ModelError, match="no vectors 'mine'"):
        static_library.find_set("mine", [workspace])


def test_a_workspace_that_cannot_be_written(workspace: Path, files: dict[str, Path]) -> None:
    (workspace / "static_vectors").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(StoreError, match="Could not write"):
        static_library.add("mine", files, workspace)
