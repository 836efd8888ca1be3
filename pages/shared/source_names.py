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
from isogloss.backend.option import within_sentence
from isogloss.backend.training.language_model.options import PROTOCOLS
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.links import values as link_values
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


def variant_labels(known: pd.DataFrame, key: str | None = None) -> dict[str, str]:
    """Return each variant (`xferbench_queries.variants`) by what it is called, the newest first.

    The digits of all options tell apart those that would share a name. With a `key`, call before that box is drawn: links then
    say the variant, and open what those of before called it.
    """
    rows = known.to_dict("records")
    names = [f"{PRESETS.get(row['preset'], row['preset'])} preset, {_protocol(row['protocol'])}" for row in rows]
    labels = [name if names.count(name) == 1 else f"{name} ({row['digits']})" for name, row in zip(names, rows, strict=True)]
    if key:
        formerly = [f"{PRESETS.get(row['preset'], row['preset'])}, {row['protocol']} ({row['digits']})" for row in rows]
        variants = [str(row["variant"]) for row in rows]
        link_values.announce(key, dict(zip(variants, labels, strict=True)), dict(zip(formerly, labels, strict=True)))
    return {label: str(row["variant"]) for label, row in zip(labels, rows, strict=True)}


def _protocol(name: str) -> str:
    return within_sentence(PROTOCOLS[name]) if name in PROTOCOLS else name


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
