"""What is kept in the Library, by the name that people call it: for commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from backend.corpora.covariates import library as covariates
from backend.corpora.covariates.library import CovariatesEntry
from backend.corpora.dictionaries import library as dictionaries
from backend.corpora.dictionaries.library import DictionaryEntry
from backend.corpora.emergent import library as emergent_library
from backend.corpora.emergent.library import EmergentEntry
from backend.corpora.parallel import library as corpora
from backend.corpora.parallel.library import CorpusEntry
from backend.corpora.shared import kept
from backend.corpora.tagged import library as tagged
from backend.corpora.tagged.library import TaggedEntry
from backend.corpora.tasks import library as tasks
from backend.corpora.tasks.library import TaskEntry
from backend.corpora.word_alignments import library as alignments
from backend.corpora.word_alignments.library import AlignmentEntry
from backend.errors import SpecError, did_you_mean
from backend.models.static.library import StaticSet
from backend.settings import settings

Kept = TypeVar("Kept", bound=kept.Entry | StaticSet)
"""What people keep under a name."""


def workspaces() -> list[Path]:
    """Return the user's workspace first, then the demo's."""
    return settings().workspaces


def one_named(entries: Sequence[Kept], name: str, *, several: str, none: str, add: str) -> Kept:
    """Return the entry that people call `name`: its name, else the beginning of its id.

    Raises `SpecError`: `several` and their ids, or `none` and the likeliest name, or `add` where nothing is kept.
    """
    found = [entry for entry in entries if entry.name == name] or [
        entry for entry in entries if name and _id(entry).startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise SpecError(f"{several}: {', '.join(map(_id, found))}.")
    raise SpecError(f"{none}. {did_you_mean(name, [entry.name for entry in entries]) if entries else add}")


def _id(entry: kept.Entry | StaticSet) -> str:
    return entry.fingerprint if isinstance(entry, StaticSet) else entry.id


def _imported(entries: Sequence[Kept], name: str, one: str, several: str, command: str) -> Kept:
    return one_named(
        entries,
        name,
        several=f"Several {several} are called '{name}'. Use the beginning of an id",
        none=f"There is no {one} '{name}'",
        add=f"Import one with `{command}`.",
    )


def corpus_named(name: str) -> CorpusEntry:
    """Return a saved corpus by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return _imported(corpora.entries(workspaces()), name, "corpus", "corpora", "corpus import")


def task_named(name: str) -> TaskEntry:
    """Return a saved labelled task by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return _imported(tasks.entries(workspaces()), name, "task", "tasks", "task import")


def tagged_named(name: str) -> TaggedEntry:
    """Return a saved tagged corpus by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return _imported(tagged.entries(workspaces()), name, "tagged corpus", "tagged corpora", "tagged import")


def emergent_named(name: str) -> EmergentEntry:
    """Return a saved emergent corpus by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return _imported(emergent_library.entries(workspaces()), name, "emergent corpus", "emergent corpora", "emergent import")


def dictionary_named(name: str) -> DictionaryEntry:
    """Return a saved dictionary by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return _imported(dictionaries.entries(workspaces()), name, "dictionary", "dictionaries", "dictionary import")


def alignment_named(name: str) -> AlignmentEntry:
    """Return a kept word alignment by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return _imported(alignments.entries(workspaces()), name, "word alignment", "word alignments", "alignment import")


def covariates_named(name: str) -> CovariatesEntry:
    """Return a kept table of covariates by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    one, several = "table of covariates", "tables of covariates"
    return _imported(covariates.entries(workspaces()), name, one, several, "covariates import")


def corpus_names() -> dict[str, str]:
    """Return content id → name of every corpus, tagged or not, and labelled task of the workspaces."""
    places = workspaces()
    saved = [*corpora.entries(places), *tagged.entries(places), *tasks.entries(places)]
    return {entry.id: entry.name for entry in saved}
