"""What the sources of scores are called here, and what kind each is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from backend.corpora import emergent_library, library
from backend.errors import SpecError
from backend.experiments import xferbench_frames
from backend.experiments.xferbench_frames import Group
from backend.experiments.xferbench_spec import source_of
from pages.widgets.selecting import unique_names
from pages.widgets.workspace import workspaces


def names_of(sources: Iterable[str]) -> dict[str, str]:
    """A name for every source, by its key; names that two would share get the beginning of their keys."""
    known = {entry.id: name for name, entry in unique_names(emergent_library.entries(workspaces())).items()}
    known |= {entry.id: name for name, entry in unique_names(library.entries(workspaces())).items()}
    found = {key: _name(key, known) for key in sources}
    every = list(found.values())
    return {key: name if every.count(name) == 1 else f"{name} [{key[:6]}]" for key, name in found.items()}


def groups_of(sources: Iterable[str]) -> dict[str, Group]:
    """What each source is, by its key."""
    formats = {entry.id: entry.format for entry in emergent_library.entries(workspaces())}
    return {key: xferbench_frames.group_of(key, formats) for key in sources}


def _name(key: str, known: Mapping[str, str]) -> str:
    try:
        return source_of(key, known).label
    except SpecError:  # a file that someone else's version wrote
        return key
