"""Families of measurements that other packages bring: every entry point of the group `isogloss.families` names one.

    [project.entry-points."isogloss.families"]
    length = "isogloss_length.family:LENGTH"

A package is installed by who runs the server, and its code runs like the product's. One that is broken or takes a name that is
taken is left out, with a sentence that the command line and the jobs page show; the families beside it go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from isogloss.backend.experiments.family import Family
from isogloss.backend.experiments.spec import Spec

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Command

GROUP = "isogloss.families"
NAME = re.compile("[a-z][a-z0-9_]*")
"""Of a family: a page's URL and a folder of scores are called so."""
RESERVED = ("home", "library", "boards", "jobs", "shared", "widgets")
"""Pages that are no family's, and folders beside them."""


class EntryPoint(Protocol):
    """What is asked of `importlib.metadata.EntryPoint`."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> str: ...  # noqa: D102
    def load(self) -> object: ...  # noqa: D102


def with_plug_ins(
    built_in: Sequence[Family], entries: Iterable[EntryPoint] | None = None
) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """Return the built-in families and those that are installed beside them, and a sentence for each that is left out."""
    families, left_out = list(built_in), []
    found = entry_points(group=GROUP) if entries is None else entries
    for entry in sorted(found, key=lambda one: (one.name, one.value)):
        try:
            families.append(_checked(entry.load(), families))
        except Exception as error:  # noqa: BLE001 — whatever another package raises, the product goes on
            why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            left_out.append(f"The family '{entry.name}' ({entry.value}) is left out: {why.rstrip('.')}.")
    return tuple(families), tuple(left_out)


def commands_of(families: Iterable[Family], built_in: Sequence[Family]) -> tuple[dict[str, Command], list[str]]:
    """Import the commands of families by their names; and a sentence for each of a plug-in that cannot be had."""
    commands: dict[str, Command] = {}
    left_out = []
    for family in families:
        for name, place in family.commands.items():
            module, _, function = place.partition(":")
            try:
                commands[name] = getattr(import_module(module), function)
            except Exception as error:
                if family in built_in:
                    raise
                left_out.append(f"The command '{name}' ({place}) is left out: {type(error).__name__}: {error}.")
    return commands, left_out


def _checked(family: object, others: Sequence[Family]) -> Family:
    """Return a family that others bring. Raises ValueError for what is none, and for a name that is taken."""
    if not isinstance(family, Family):
        raise ValueError(f"it names {type(family).__name__}, not a Family of isogloss.backend.experiments.family")
    if not NAME.fullmatch(family.name) or family.name in RESERVED:
        raise ValueError(
            f"its name is '{family.name[:40]}': use small letters, digits and _, and none of {', '.join(RESERVED)}"
        )
    if family.menu and family.menu.page is None:
        raise ValueError("its menu has no page: give the file, such as Path(__file__).with_name('page.py')")
    if family.menu and family.menu.page and not Path(family.menu.page).is_file():
        raise ValueError(f"its page {family.menu.page} is not there")
    if wrong := [each.spec for each in family.experiments if not issubclass(each.spec, Spec)]:
        raise ValueError(f"{wrong[0].__name__} is no Spec of isogloss.backend.experiments.spec")
    taken = [(kind, name) for other in others for kind, name in _names(other)]
    if twice := [name for name in _names(family) if name in taken]:
        kind, name = twice[0]
        raise ValueError(f"the {kind} '{name}' is there already")
    return family


def _names(family: Family) -> list[tuple[str, str]]:
    """List what a family takes of the names that all families share, with the kind of each."""
    names = {
        "family": [family.name],
        "experiment": [each.name for each in family.experiments],
        "measure": list(family.measures),
        "command": list(family.commands),
    }
    return [(kind, name) for kind, every in names.items() for name in every]
