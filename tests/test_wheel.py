"""What is installed: one top-level name, the demo with it, and a command that works in any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import isogloss

ROOT = Path(__file__).resolve().parent.parent


def built(kind: str, source: Path, folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder], cwd=source, check=True)
    [path] = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a scratch environment with the wheel in it, and with what it needs."""
    scratch = tmp_path_factory.mktemp("scratch")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", scratch], check=True)
    [folder] = scratch.glob("lib/python*/site-packages")
    (folder / "needed.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", scratch / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", "--ignore-installed", wheel], check=True)
    return scratch / "bin"


def test_one_top_level_name_is_installed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    assert {name.split("/")[0] for name in names} == {"isogloss", f"isogloss-{isogloss.__version__}.dist-info"}
    assert {name.split("/")[1] for name in names if name.startswith("isogloss/")} >= {"backend", "pages", "demo", "app.py"}
    assert [name for name in names if "__pycache__" in name or name.endswith("secrets.toml")] == []
    of_demo = {name.removeprefix("isogloss/demo/") for name in names if name.startswith("isogloss/demo/")}
    demo = ROOT / "cache" / "demo"
    assert of_demo == {path.relative_to(demo).as_posix() for path in demo.rglob("*") if path.is_file()}


def test_a_source_archive_gives_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    """An archive of the links in `isogloss/` would lack what they lead to."""
    with tarfile.open(built("sdist", ROOT, tmp_path / "archive")) as file:
        file.extractall(tmp_path, filter="data")
    with (
        zipfile.ZipFile(built("wheel", next(tmp_path.glob("isogloss-*")), tmp_path / "again")) as again,
        zipfile.ZipFile(wheel) as file,
    ):
        assert sorted(again.namelist()) == sorted(file.namelist())


def test_the_command_works_from_any_folder_with_a_workspace_of_its_user(installed: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" and not name.startswith("ISOGLOSS_")}
    environment = {**kept, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}

    def said(*command: str) -> str:
        return subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True, text=True).stdout

    where = "import isogloss.backend.settings as s; print(s.__file__, s.settings().workspace, s.APP.is_file(), sep='\\n')"
    file, workspace, app = said(str(installed / "python"), "-c", where).splitlines()
    assert Path(file).is_relative_to(installed.parent)
    assert Path(workspace) == home / "data" / "isogloss"
    assert app == "True"
    assert "Demo MLM" in said(str(installed / "isogloss"), "models", "list")
    assert "abx_meaning" in said(str(installed / "isogloss"), "scores", "--demo", "--metric", "abx_meaning")
    drawn = "import isogloss; print(isogloss.figure('abx/pairs', model='Demo MLM', layer=3).layout.title.text)"
    assert "Demo MLM, checkpoint-2000, layer 3" in said(str(installed / "python"), "-c", drawn)


def test_the_version_that_is_cited_and_the_newest_change_are_there() -> None:
    assert f"## {isogloss.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert "cff-version: 1.2.0" in cited
    assert f"version: {isogloss.__version__}" in cited


def test_importing_it_is_quick_and_brings_no_torch() -> None:
    code = "import sys, isogloss; print(*{'torch', 'transformers', 'pandas', 'streamlit', 'duckdb'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).strip() == ""
