"""What the sources of scores are called here, and what kind each is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import library
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.sources.groups import Group, group_of
from isogloss.backend.experiments.sources.source import PRESETS, source_of
from isogloss.backend.experiments.xferbench.folding import Folding
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces


def names_of(sources: Iterable[str]) -> dict[str, str]:
    """Name every source, by its key; names that two would share get the beginning of their keys."""
    known = {entry.id: name for name, entry in unique_names(emergent_library.entries(workspaces())).items()}
    known |= {entry.id: name for name, entry in unique_names(library.entries(workspaces())).items()}
    return distinct({key: _name(key, known) for key in sources})


def distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key; those that two share get the beginning of their keys."""
    every = list(names.values())
    return {key: name if every.count(name) == 1 else f"{name} [{key[:6]}]" for key, name in names.items()}


def variant_labels(known: pd.DataFrame) -> dict[str, str]:
    """Return each variant (`xferbench_queries.variants`) by what the select box and the link call it, the newest first."""
    rows = known.to_dict("records")
    return {
        f"{PRESETS.get(row['preset'], row['preset'])}, {row['protocol']} ({row['digits']})": str(row["variant"]) for row in rows
    }


def groups_of(sources: Iterable[str]) -> dict[str, Group]:
    """Find the group of each source, by its key."""
    origins = {entry.id: entry.origin for entry in emergent_library.entries(workspaces())}
    return {key: group_of(key, origins) for key in sources}


def folding_note(names: Mapping[str, str], foldings: Mapping[str, Folding]) -> str:
    """Write a sentence on those of the sources that were folded, after a blank; empty where none was."""
    known = {key: foldings[key] for key in names if key in foldings}
    if not known:
        return ""
    listed = ", ".join(f"{verbatim(names[key])} ({each.symbols:,})" for key, each in known.items())
    embeddings = next(iter(known.values())).embeddings
    return f" Folded, for the model has {embeddings:,} embeddings and these have more symbols: {listed}."


def _name(key: str, known: Mapping[str, str]) -> str:
    try:
        return source_of(key, known).label
    except SpecError:  # a file that another version wrote
        return key
