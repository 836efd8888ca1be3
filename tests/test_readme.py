"""The README's tree and its dependencies agree with the files, its commands with the command line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
from packaging.requirements import Requirement
from typer.core import TyperGroup

from isogloss.backend.cli import app
from isogloss.backend.corpora.kinds import KINDS

if TYPE_CHECKING:
    from isogloss.backend.corpora.shared.kind import Kind

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app)


def test_every_path_of_the_tree_exists() -> None:
    block = README.split("## Where things are")[1].split("```")[1]
    paths = [line.split()[0] for line in block.strip().splitlines()]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_package_of_the_backend_is_in_the_tree() -> None:
    packages = {path.name for path in (ROOT / "backend").iterdir() if (path / "__init__.py").exists()}
    assert {name for name in packages if f"backend/{name}/" not in README} == set()


def test_every_dependency_has_its_reason_and_an_exact_version() -> None:
    lines = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in lines)
    reasons = README.split("## Why each dependency")[1].split("##")[0]
    assert {name for name in (line.split("==")[0] for line in lines) if not re.search(rf"\b{name}\b", reasons)} == set()


def test_what_is_pinned_is_what_the_wheel_asks_for_within_its_ranges() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [Requirement(each) for each in (*project["dependencies"], *project["optional-dependencies"]["compute"])]
    pinned = dict(re.findall(r"^([\w-]+)==(.+)$", (ROOT / "requirements.txt").read_text(), flags=re.MULTILINE))
    assert {each.name for each in asked} == set(pinned)
    assert [str(each) for each in asked if pinned[each.name] not in each.specifier] == []


def test_every_figure_is_there_and_small() -> None:
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert len(figures) >= 4
    assert all((ROOT / name).stat().st_size <= 150_000 for name in figures)


def test_the_demo_stays_small() -> None:
    # Links take no room: every checkpoint has one to its model's tokeniser.
    size = sum(path.lstat().st_size for path in (ROOT / "cache" / "demo").rglob("*") if path.is_file())
    assert size <= 32_000_000


def _commands(command: object, *names: str) -> list[str]:
    """Every command from here on, by its words; a group that does something by itself is one, too."""
    if not isinstance(command, TyperGroup):
        return [" ".join(names)]
    own = [" ".join(names) or "isogloss"] if command.invoke_without_command else []
    return own + [found for name, each in command.commands.items() for found in _commands(each, *names, name)]


def test_every_command_is_named() -> None:
    table = README.split("| command | what it does |")[1].split("\n\n")[0]
    made = [name for name in _commands(COMMANDS) if name.startswith("emergent make ")]
    assert {name for name in made if f"`{name.rsplit()[-1]}`" not in table} == set()
    assert {name for name in _commands(COMMANDS) if f"`{name}`" not in table} == set(made)


OF_A_KIND = ("import", "hub", "list", "show", "rename", "remove")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.group)
def test_every_kind_has_its_row_of_commands_and_formats(kind: Kind[Any, Any]) -> None:
    assert isinstance(COMMANDS, TyperGroup)
    group = COMMANDS.commands[kind.group]
    assert isinstance(group, TyperGroup)
    commands = ", ".join(f"`{kind.group} {name}`" for name in OF_A_KIND if name in group.commands)
    assert f"| {commands} | {kind.what}: {'; '.join(each.name for each in kind.formats)} |" in README.splitlines()


def test_no_command_is_named_that_is_not_there() -> None:
    table = README.split("| command | what it does |")[1].split("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines()[2:]]
    named = {name for cell in first for name in re.findall(r"`([^`]+)`", cell)}
    assert named - set(_commands(COMMANDS)) == {"emergent make"}


def test_every_variable_of_the_page_on_sharing_is_a_setting() -> None:
    known = set(re.findall(r"ISOGLOSS_[A-Z_]+", (ROOT / "backend" / "settings.py").read_text(encoding="utf-8")))
    for name in ("docs/sharing.md", "compose.yaml", "Dockerfile"):
        named = set(re.findall(r"ISOGLOSS_[A-Z_]+", (ROOT / name).read_text(encoding="utf-8")))
        assert named
        assert named - known == set(), name


def test_the_image_takes_what_is_there_and_nothing_that_it_is_not_sent() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    taken = [source for line in lines if line.startswith("COPY ") for source in line.split()[1:-1]]
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    assert sent == set(taken)
    assert [source for source in taken if not (ROOT / source).exists()] == []
