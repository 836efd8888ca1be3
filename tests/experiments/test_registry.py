"""The one list of families, and that nothing beside it knows a family by name."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from isogloss.backend.cli.run import COMMANDS, submitting
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.registry import EXPERIMENTS, FAMILIES
from tests.test_import_direction import imports

ROOT = Path(__file__).resolve().parents[2]


def test_every_folder_with_a_family_is_in_the_list() -> None:
    folders = {path.parent.name for path in (ROOT / "backend" / "experiments").glob("*/family.py")}
    assert folders == {family.name for family in FAMILIES}


def test_every_experiment_has_a_name_of_its_own() -> None:
    assert len(EXPERIMENTS) == sum(len(family.experiments) for family in FAMILIES)
    assert all(name and name == each.spec.model_fields["experiment"].default for name, each in EXPERIMENTS.items())


def test_every_page_of_the_menu_is_there() -> None:
    titles = [family.menu.title for family in FAMILIES if family.menu]
    assert len(set(titles)) == len(titles)
    assert all((ROOT / "pages" / family.name / "page.py").is_file() for family in FAMILIES if family.menu)


def test_commands_have_names_of_their_own_and_leave_queueing_to_the_command_line() -> None:
    assert len(COMMANDS) == sum(len(family.commands) for family in FAMILIES)
    for command in COMMANDS.values():
        assert not {"print_spec", "wait"} & set(inspect.signature(command).parameters)
        assert list(inspect.signature(submitting(command)).parameters)[-2:] == ["print_spec", "wait"]
        assert "Example: run " in str(command.__doc__)


def test_an_unknown_experiment_is_named_with_what_it_may_have_meant() -> None:
    with pytest.raises(SpecError, match=r"There is no experiment 'abc'\. Did you mean 'abx'"):
        registry.parse({"experiment": "abc"})
    assert (registry.title({"experiment": "abc"}), registry.details({"experiment": "abc"}, {})) == ("abc", "")


@pytest.mark.parametrize("room", ["backend/jobs", "pages/jobs", "pages/home", "pages/widgets"])
def test_neither_the_queue_nor_a_shared_page_names_a_family(room: str) -> None:
    named = {f"{half}.{family.name}" for family in FAMILIES for half in ("backend.experiments", "pages")}
    for path in sorted((ROOT / room).rglob("*.py")):
        # The Library is a page for what people bring, and there would be one without the jobs that fetch text for it.
        found = {module for module in imports(path) if any(module == each or module.startswith(f"{each}.") for each in named)}
        assert {module for module in found if ".library" not in module} == set(), path


@pytest.mark.parametrize("family", [family.name for family in FAMILIES])
def test_families_do_not_import_one_another(family: str) -> None:
    others = {f"backend.experiments.{each.name}" for each in FAMILIES if each.name != family}
    for path in sorted((ROOT / "backend" / "experiments" / family).rglob("*.py")):
        found = {module for module in imports(path) if any(module == each or module.startswith(f"{each}.") for each in others)}
        assert not found, f"{path.name} imports {found}"
