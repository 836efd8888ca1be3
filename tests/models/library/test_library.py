from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from isogloss.backend.errors import ModelError
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library.library import entries, entry_path, keep, load_entry, problems, remove, rename


def model(name: str, location: str = "/models/x", source: str = "folder") -> Model:
    checkpoint = Checkpoint(source=source, location=location, label="x", step=3, fingerprint="0" * 24)
    return Model(name=name, architecture="bert", layers=2, dims=8, checkpoints=(checkpoint,))


def test_kept_models_come_back(tmp_path: Path) -> None:
    first, second = model("b"), model("A", "org/name", "hub")
    for each in (first, second):
        keep(each, tmp_path)
    assert entries([tmp_path]) == [second, first]
    assert load_entry("b", [tmp_path]) == first
    remove("b", tmp_path)
    assert entries([tmp_path]) == [second]
    with pytest.raises(ModelError, match="no model 'b'"):
        remove("b", tmp_path)


def test_a_renamed_model_is_the_same_checkpoints(tmp_path: Path) -> None:
    own, demo = tmp_path / "own", tmp_path / "demo"
    (own / "weights").mkdir(parents=True)
    kept = model("old", str(own / "weights"))
    keep(kept, own)
    keep(model("shipped"), demo)
    renamed = rename("old", "  a/new \n name ", [own, demo])
    assert renamed == kept.model_copy(update={"name": "a/new name", "formerly": ("old",)})
    assert entries([own]) == [renamed]
    assert json.loads(entry_path("a/new name", own).read_text())["checkpoints"][0]["location"] == "weights"
    assert rename("a/new name", "A/new name", [own, demo]).name == "A/new name"
    assert rename("A/new name", "A/new name", [own, demo]) == load_entry("A/new name", [own])
    for new, message in (("Shipped", "Another model is called"), (" ", "1 to 120"), ("x" * 121, "1 to"), ("a\u202eb", "print")):
        with pytest.raises(ModelError, match=message):
            rename("A/new name", new, [own, demo])
    with pytest.raises(ModelError, match="has no model 'shipped'"):
        rename("shipped", "mine", [own, demo])
    assert [each.name for each in entries([own, demo])] == ["A/new name", "shipped"]


def test_names_are_never_paths(tmp_path: Path) -> None:
    for name in ("../../evil", "/etc/passwd", "a/b", "ключ", "", ".", "x" * 5000, "nul\0"):
        path = keep(model(name), tmp_path)
        assert path.parent == tmp_path / "models"
        assert load_entry(name, [tmp_path]).name == name
    assert {p.parent for p in tmp_path.rglob("*.json")} == {tmp_path / "models"}


def test_the_first_workspace_wins(tmp_path: Path) -> None:
    mine, demo = tmp_path / "mine", tmp_path / "demo"
    keep(model("m", "/mine"), mine)
    keep(model("m", "/demo"), demo)
    keep(model("d", "/demo"), demo)
    assert [(m.name, m.checkpoints[0].location) for m in entries([mine, demo])] == [("d", "/demo"), ("m", "/mine")]
    assert load_entry("m", [mine, demo]).checkpoints[0].location == "/mine"
    assert load_entry("d", [mine, demo]).checkpoints[0].location == "/demo"


def test_an_unknown_name_is_told_its_neighbour(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="Add one on the Library page"):
        load_entry("x", [tmp_path])
    keep(model("XLM-R base"), tmp_path)
    with pytest.raises(ModelError, match="Did you mean 'XLM-R base'"):
        load_entry("XLM-R bass", [tmp_path])


def test_a_workspace_can_be_moved(tmp_path: Path) -> None:
    old = tmp_path / "old"
    (old / "models" / "weights").mkdir(parents=True)
    path = keep(model("m", str(old / "models" / "weights")), old)
    assert json.loads(path.read_text())["checkpoints"][0]["location"] == "models/weights"
    new = Path(shutil.move(old, tmp_path / "new"))
    assert load_entry("m", [new]).checkpoints[0].location == str(new / "models" / "weights")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"name": "x"}'])
def test_a_damaged_file_is_named_and_does_not_hide_the_others(tmp_path: Path, content: str) -> None:
    keep(model("good"), tmp_path)
    entry_path("bad", tmp_path).write_text(content)
    (tmp_path / "models" / ".tmp-1.json").write_text("{")
    assert [m.name for m in entries([tmp_path])] == ["good"]
    assert len(problems([tmp_path])) == 1
    with pytest.raises(ModelError, match="cannot be read"):
        load_entry("bad", [tmp_path])


def test_a_relative_location_stays_inside(tmp_path: Path) -> None:
    path = keep(model("m", "../outside"), tmp_path / "w")
    assert path.exists()
    with pytest.raises(ModelError, match="cannot be read"):
        load_entry("m", [tmp_path / "w"])


def test_a_model_with_one_checkpoint_is_called_by_its_own_name_alone() -> None:
    one = model("My e5")
    (only,) = one.checkpoints
    two = one.model_copy(update={"checkpoints": (only, only.model_copy(update={"label": "y"}))})
    assert one.titled(only) == "My e5"
    assert two.titled(two.checkpoints[1]) == "My e5, y"
