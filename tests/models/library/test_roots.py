"""Pages read models from the folders that the operator names; of others they tell nothing, not even that they are there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from isogloss.backend.errors import ModelError
from isogloss.backend.models.library import roots
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from tests.models.tiny import tiny_model


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A root with one model, and a folder outside it with another; the server runs beside both."""
    inside, outside = tmp_path / "models", tmp_path / "secret"
    tiny_model(inside / "own", "bert")
    shutil.copytree(inside / "own", outside / "other")
    shutil.copytree(inside / "own", tmp_path / "owner" / "name")  # which a Hub id names too
    (outside / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return inside, outside


def answer(typed: str, root: Path) -> str:
    try:
        return discover(typed, roots=[root]).checkpoints[0].location
    except ModelError as error:
        return str(error).replace(f"'{typed}'", "'TYPED'")


def test_a_path_inside_is_read_however_it_is_written(places: tuple[Path, Path]) -> None:
    inside, _ = places
    own = str(inside / "own")
    for typed in (own, f"{own}/", f"{own}///", f"{inside}/./own", f"{inside}/x/../own", "models/own", "./models/../models/own"):
        assert answer(typed, inside) == own, typed
    (inside / "link").symlink_to(inside / "own")
    assert answer(f"{inside}/link", inside) == own
    assert "there is no folder" in answer(f"{inside}/missing", inside).lower()


def test_a_path_outside_is_answered_alike_whether_something_is_there_or_not(places: tuple[Path, Path]) -> None:
    inside, outside = places
    (inside / "out").symlink_to(outside / "other")
    (inside / "nowhere").symlink_to(outside / "missing")
    (outside / "way-in").symlink_to(inside)
    (outside.parent / "Models").mkdir(exist_ok=True)
    there = [
        str(outside / "other"),
        f"{outside}/other/",
        f"{outside}/empty",
        f"{outside}/other/config.json",
        f"{inside}/../secret/other",
        f"{inside}/own/../../secret/other",
        f"{outside}/way-in/own",
        f"{inside}/out",
        f"{inside}-beside",
        f"{outside.parent}/Models",
        "../" * 30 + str(outside / "other").lstrip("/"),
        "./secret/other",
        "~root",
        "/proc/self/root" + str(inside / "own"),
        "/proc/self/cwd/secret/other",
        "//" + str(outside / "other").lstrip("/"),
        "/etc",
        "/",
        ".",
    ]
    absent = [
        f"{outside}/missing",
        f"{inside}/nowhere",
        "~nobody-of-this-name",
        "/proc/self/cwd/missing",
        "/missing",
        "../missing",
    ]
    said = {answer(typed, inside) for typed in [*there, *absent]}
    assert len(said) == 1, said
    assert "ISOGLOSS_MODEL_ROOTS" in said.pop()


def test_a_hub_id_is_one_even_where_a_folder_beside_the_server_has_its_name(places: tuple[Path, Path]) -> None:
    inside, _ = places
    assert answer("owner/name", inside) == answer("owner/none", inside)
    assert answer("owner/name", inside.parent) == str(inside.parent / "owner" / "name")


def test_links_within_a_model_do_not_lead_out(places: tuple[Path, Path]) -> None:
    inside, outside = places
    for target in (outside / "other" / "config.json", outside / "missing.json"):
        shutil.rmtree(inside / "own")
        shutil.copytree(outside / "other", inside / "own")
        (inside / "own" / "config.json").unlink()
        (inside / "own" / "config.json").symlink_to(target)
        assert "links out of the folders" in answer(f"{inside}/own", inside)
        assert "links out of the folders" in answer(str(inside), inside), "of the folder of checkpoints too"
    shutil.rmtree(inside / "own")
    (inside / "own").symlink_to(outside / "other")
    assert "links out of the folders" in answer(str(inside), inside)


def test_a_root_may_be_a_link_itself(places: tuple[Path, Path], tmp_path: Path) -> None:
    inside, _ = places
    (tmp_path / "mounted").symlink_to(inside)
    assert answer(f"{tmp_path}/mounted/own", tmp_path / "mounted") == str(inside / "own")


def test_which_folders_pages_may_read(tmp_path: Path) -> None:
    alone = Settings(workspace=tmp_path, demo=None)
    named = Settings(workspace=tmp_path, demo=None, model_roots=(Path("/data"),))
    assert roots.of_pages(alone, shared=False) is None
    assert roots.of_pages(alone, shared=True) == (tmp_path,)
    assert roots.of_pages(named, shared=False) == roots.of_pages(named, shared=True) == (Path("/data"), tmp_path)
    assert roots.of_pages(Settings(workspace=tmp_path, demo=None, model_roots=()), shared=False) == (tmp_path,)
