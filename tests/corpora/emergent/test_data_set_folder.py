"""A data set folder is the corpus of its rows as JSON Lines, in the order of `datasets`, and no name leads out of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import datasets
import pyarrow as pa
import pytest

from isogloss.backend.corpora.emergent import data_set
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.readers import InputFile, read
from isogloss.backend.errors import CorpusError
from tests.cli.typed import output

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [[place % 7, place % 3, *range(place % 4)] for place in range(40)]


def saved(folder: Path, rows: list[list[int]] = ROWS, **how: Any) -> Path:
    """What the authors' code reads by `load_from_disk`, with a column beside the utterances."""
    made = datasets.Dataset.from_dict({"input_ids": rows, "score": [0.5] * len(rows)})
    made.save_to_disk(str(folder), **how)
    return folder


def changed(folder: Path, **state: Any) -> None:
    path = folder / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | state))


def id_of(rows: list[list[int]], folder: Path) -> str:
    path = folder / "same.jsonl"
    path.write_text("".join(f"{row}\n" for row in rows))
    return emergent_library.content_id(read([InputFile(path.name, path)]))


@pytest.mark.parametrize("shards", [1, 3])
def test_a_folder_is_the_corpus_of_its_rows(tmp_path: Path, shards: int) -> None:
    folder = saved(tmp_path / "made", num_shards=shards)
    (folder / "cache-1.arrow").write_bytes((folder / f"data-00000-of-{shards:05d}.arrow").read_bytes())  # as `map` leaves it
    assert datasets.load_from_disk(str(folder))["input_ids"][:] == ROWS
    found = data_set.of_path(folder)
    assert [file.name for file in found] == [f"made/data-{n:05d}-of-{shards:05d}.arrow" for n in range(shards)]
    assert emergent_library.content_id(read(found)) == id_of(ROWS, tmp_path)


def test_the_order_is_that_of_the_state_and_empty_shards_are_passed_over(tmp_path: Path) -> None:
    folder = saved(tmp_path / "made", ROWS[:2], num_shards=2)
    names = [file.path.name for file in data_set.of_path(folder)]
    schema = datasets.load_from_disk(str(folder)).data.schema
    with pa.OSFile(str(folder / "none.arrow"), "wb") as raw, pa.ipc.new_stream(raw, schema):
        pass
    changed(folder, _data_files=[{"filename": name} for name in ("none.arrow", *reversed(names))])
    loaded = datasets.load_from_disk(str(folder))["input_ids"][:]
    assert loaded == ROWS[1::-1]
    assert emergent_library.content_id(read(data_set.of_path(folder))) == id_of(loaded, tmp_path)


@pytest.mark.parametrize("name", ["../secret.arrow", "/etc/passwd", "..", "a\\b.arrow", "sub/x.arrow", 7, None, "link.arrow"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: Any) -> None:
    folder = saved(tmp_path / "made")
    (tmp_path / "secret.arrow").write_bytes((folder / "data-00000-of-00001.arrow").read_bytes())
    (folder / "link.arrow").symlink_to(tmp_path / "secret.arrow")
    changed(folder, _data_files=[{"filename": name}])
    expected = "'link.arrow' is not there" if name == "link.arrow" else r"made/state\.json: It names a file outside its folder"
    with pytest.raises(CorpusError, match=expected):
        data_set.of_path(folder)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("[]", "It is no state.json of a data set"),
        ("{", "It is no state.json"),
        ("[" * 100_000, "It is no state.json"),
        ('{"_data_files": []}', "The data set is empty"),
        ('{"_data_files": [{"filename": "a"}, {"filename": "a"}]}', "It is no state.json"),
        ('{"_data_files": [{"filename": "a"}, {"filename": "b"}]}', "It names 2 Arrow files, but 'a' is not there"),
        ('{"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_indices_data_files": [1]}', "an order of rows apart"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path, state: str, said: str) -> None:
    folder = saved(tmp_path / "made")
    (folder / "state.json").write_text(state)
    with pytest.raises(CorpusError, match=said):
        data_set.of_path(folder)


def test_folders_that_are_no_data_set_or_several(tmp_path: Path) -> None:
    datasets.DatasetDict({"train": datasets.Dataset.from_dict({"a": ROWS})}).save_to_disk(str(tmp_path / "both"))
    with pytest.raises(CorpusError, match=r"both: It is a folder of several data sets\..* such as both/train"):
        data_set.of_path(tmp_path / "both")
    assert len(data_set.of_path(tmp_path / "both" / "train")) == 1
    with pytest.raises(CorpusError, match=r"The folder is no data set: it has no state\.json"):
        data_set.of_path(tmp_path)


def test_the_command_keeps_a_folder_under_its_name(workspace: Path, tmp_path: Path) -> None:
    folder = saved(tmp_path / "French wiki", num_shards=2)
    assert "Arrow, column 'input_ids'" in output("emergent", "import", str(folder))
    (entry,) = emergent_library.entries([workspace])
    assert (entry.name, entry.id) == ("French wiki", id_of(ROWS, tmp_path))


def test_two_dropped_folders_are_told_apart_by_their_paths_or_refused(tmp_path: Path) -> None:
    folders = [saved(tmp_path / name, ROWS[at:], num_shards=1) for at, name in enumerate(("one", "two"))]
    files = [InputFile(f"{folder.name}/{path.name}", path) for folder in folders for path in sorted(folder.iterdir())]
    assert [len(read(group.files).starts) - 1 for group in data_set.groups(files)] == [40, 39]
    with pytest.raises(CorpusError, match="Two of the files have the same name"):
        data_set.groups([InputFile(file.path.name, file.path) for file in files])
