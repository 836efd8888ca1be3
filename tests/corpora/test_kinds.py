"""What holds of every kind of data: one folder for each content, whatever happens to names, files and workspaces."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora import kinds
from isogloss.backend.errors import CorpusError, StoreError
from tests.corpora.samples import SAMPLES, Sample, every_kind

if TYPE_CHECKING:
    from pathlib import Path


@every_kind
def test_what_is_kept_comes_back_and_its_content_is_its_identity(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    kind, content = sample.kind, sample.content(tmp_path)
    entry = kind.keep(content, "  Näyte / ../x ", workspace, licence="CC0")
    assert (entry.name, entry.licence) == ("Näyte / ../x", "CC0")
    assert kind.entries([workspace]) == [entry]
    assert sorted(path.name for path in (workspace / kind.folder / entry.id).iterdir()) == sorted(["entry.json", kind.table])
    assert kinds.check(workspace) == (1, [])
    again = kind.load(entry.id, [workspace])
    assert kind.described(again, entry.name, "CC0").model_copy(update={"created_at": entry.created_at}) == entry
    assert kind.keep(again, "second", workspace) == entry
    assert kind.keep(sample.content(tmp_path, sample.other), "third", workspace).id != entry.id
    assert len(kind.entries([workspace])) == 2


@every_kind
def test_an_entry_says_what_its_content_is_and_what_was_left_out(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    kind, content = sample.kind, sample.content(tmp_path, sample.odd)
    if hasattr(kind.report(content), "source"):
        content = replace(content, report=replace(content.report, source="here"))
    entry = kind.keep(content, "Odd", workspace)
    assert entry.model_dump(include=set(sample.entry)) == sample.entry
    again, before = kind.load(entry.id, [workspace]), kind.report(content)
    assert replace(kind.report(again), losses=()) == replace(before, losses=())  # type: ignore[type-var]
    assert (entry.skipped, entry.warnings) == (before.skipped_count, before.warnings)
    assert entry.skipped or entry.warnings
    assert getattr(again, "name", "Odd") == "Odd"


def test_languages_and_who_made_them_are_part_of_the_content(workspace: Path, tmp_path: Path) -> None:
    pairs, aligned = (next(each for each in SAMPLES if each.kind.name == name) for name in ("dictionary", "alignment"))
    dictionary, found = pairs.content(tmp_path), aligned.content(tmp_path)
    for kind, contents in (
        (pairs.kind, [dictionary, replace(dictionary, target="nl"), replace(dictionary, source="da")]),
        (aligned.kind, [found, replace(found, gold=True), replace(found, corpus="0" * 24), replace(found, target="nl")]),
    ):
        assert len({kind.described(each, "x").id for each in contents}) == len(contents)


@every_kind
def test_names_are_unique_and_can_be_shown(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    kind, other = sample.kind, sample.content(tmp_path, sample.other)
    entry = kind.keep(sample.content(tmp_path), "Mine", workspace)
    for name in ("", " \t", "x" * 121, "a\0b", "a\x1bb"):
        with pytest.raises(CorpusError, match=f"An? {kind.name} needs a name"):
            kind.keep(other, name, workspace)
    with pytest.raises(CorpusError, match=f"Another {kind.name} is called 'mine'"):
        kind.keep(other, "mine", workspace)
    second = kind.keep(other, "other", workspace)
    with pytest.raises(CorpusError, match=f"Another {kind.name} is called 'MINE'"):
        kind.rename(second.id, "MINE", workspace)
    assert kind.rename(entry.id, "MINE", workspace).name == "MINE"
    assert [each.name for each in kind.entries([workspace])] == ["MINE", "other"]


@every_kind
def test_what_is_removed_is_gone_and_ids_are_never_paths(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    kind = sample.kind
    entry = kind.keep(sample.content(tmp_path), "Mine", workspace)
    kind.remove(entry.id, workspace)
    kind.remove(entry.id, workspace)
    assert list((workspace / kind.folder).iterdir()) == []
    calls = (lambda i: kind.load(i, [workspace]), lambda i: kind.rename(i, "x", workspace), lambda i: kind.remove(i, workspace))
    for call in calls[:2]:
        with pytest.raises(CorpusError, match=f"There is no {kind.name} {entry.id}"):
            call(entry.id)
    for value in ("", "..", "../../etc", "a" * 24 + "/", "G" * 24, "0" * 23, "0" * 25):
        for call in calls:
            with pytest.raises(CorpusError, match=f"is not the id of an? {kind.name}"):
                call(value)


@every_kind
def test_damage_is_noticed_named_and_mended_by_keeping_again(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    kind, content = sample.kind, sample.content(tmp_path)
    entry = kind.keep(content, "Mine", workspace)
    path = workspace / kind.folder / entry.id / kind.table
    whole = path.read_bytes()
    kind.write(sample.content(tmp_path, sample.other), path)
    other = path.read_bytes()  # whole, but not what the entry was made from
    for damaged in (whole[:-9], whole[:100] + bytes([whole[100] ^ 1]) + whole[101:], b"", other, None):
        path.unlink() if damaged is None else path.write_bytes(damaged)
        assert kinds.check(workspace)[1] == [
            f"The {kind.name} 'Mine' is damaged or missing on disk. Remove it and import it again."
        ]
        with pytest.raises(StoreError, match=f"The {kind.name} 'Mine' is damaged on disk"):
            kind.load(entry.id, [workspace])
        kind.keep(content, "Mine", workspace)
        assert kinds.check(workspace) == (1, [])


@every_kind
@pytest.mark.parametrize("content", ["", "{}", "[1]", "not json", json.dumps({"id": "0" * 24})])
def test_a_damaged_entry_is_left_out_and_named(sample: Sample, workspace: Path, tmp_path: Path, content: str) -> None:
    kind = sample.kind
    entry = kind.keep(sample.content(tmp_path), "Mine", workspace)
    (workspace / kind.folder / entry.id / "entry.json").write_text(content)
    assert kind.entries([workspace]) == []
    assert kind.problems([workspace]) == [f"The entry of {kind.name} {entry.id} is damaged. Import the {kind.name} again."]
    assert kind.keep(sample.content(tmp_path), "again", workspace).name == "again"


@every_kind
def test_names_without_content_are_no_damage(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    """Of data that may not be given away a workspace has the names alone; whoever imports the same data has their content."""
    kind, content, mine = sample.kind, sample.content(tmp_path), tmp_path / "mine"
    entry = kind.keep(content, "Named", workspace)
    folder = workspace / kind.folder / entry.id
    (folder / kind.table).unlink()
    named = entry.model_copy(update={"names_only": True})
    (folder / "entry.json").write_text(named.model_dump_json())
    assert kind.entries([workspace]) == [named]
    assert kinds.check(workspace) == (1, [])
    with pytest.raises(CorpusError, match=r"The texts of 'Named' are not part of the demo.* Import the same data"):
        kind.load(entry.id, [mine, workspace])
    kept = kind.keep(content, "Named", mine)
    assert (kept.id, kept.names_only) == (entry.id, False)
    for order in ([mine, workspace], [workspace, mine]):
        assert kind.described(kind.load(entry.id, order), "x").id == entry.id
    assert kind.entries([mine, workspace]) == [kept]


@every_kind
def test_a_workspace_that_cannot_be_written(sample: Sample, workspace: Path, tmp_path: Path) -> None:
    workspace.mkdir(exist_ok=True)
    (workspace / sample.kind.folder).write_text("a file where the folder should be")
    with pytest.raises(StoreError, match=f"Could not write {sample.kind.table}"):
        sample.kind.keep(sample.content(tmp_path), "mine", workspace)
