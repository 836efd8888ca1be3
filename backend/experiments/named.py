"""What is kept in the Library, by the name that people call it: for commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.emergent import library as emergent
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.errors import ModelError, SpecError, did_you_mean
from isogloss.backend.models.library import absent
from isogloss.backend.models.static.library import StaticSet
from isogloss.backend.settings import settings
from isogloss.backend.store import scores

Kept = TypeVar("Kept", bound=kept.Entry | StaticSet)
"""What people keep under a name."""
E = TypeVar("E", bound=kept.Entry)


def workspaces() -> list[Path]:
    """Return the user's workspace first, then the demo's."""
    return settings().workspaces


def one_named(entries: Sequence[Kept], name: str, *, several: str, none: str, add: str) -> Kept:
    """Return the entry that people call `name`: its name, else the beginning of its id.

    Raises `SpecError`: `several` and their ids, or `none` and the likeliest name, or `add` where nothing is kept.
    """
    matching = [entry for entry in entries if entry.name == name] or [
        entry for entry in entries if name and _id(entry).startswith(name)
    ]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise SpecError(f"{several}: {', '.join(map(_id, matching))}.")
    raise SpecError(f"{none}. {did_you_mean(name, [entry.name for entry in entries]) if entries else add}")


def _id(entry: kept.Entry | StaticSet) -> str:
    return entry.fingerprint if isinstance(entry, StaticSet) else entry.id


def named(kind: Kind[E, Any], name: str) -> E:
    """Return what is kept of a kind by its name or by the beginning of its id. Raises `SpecError` for none or several."""
    return one_named(
        kind.entries(workspaces()),
        name,
        several=f"Several {kind.several} are called '{name}'. Use the beginning of an id",
        none=f"There is no {kind.full_name or kind.name} '{name}'",
        add=f"Import one with `{kind.group} import`.",
    )


corpus_named = partial(named, corpora.KIND)
task_named = partial(named, tasks.KIND)
tagged_named = partial(named, tagged.KIND)
emergent_named = partial(named, emergent.KIND)
covariates_named = partial(named, covariates.KIND)


def check_here(request: BaseModel, places: Sequence[Path]) -> None:
    """Raise `ModelError` or `SpecError` where weights or texts that a spec asks for are not here, only what was measured."""
    if (model := absent.of_request(request, places)) is not None:
        raise ModelError(absent.sentence(model))
    asked = set(_texts(request.model_dump(mode="json")))
    for kind in (corpora.KIND, tagged.KIND, tasks.KIND, emergent.KIND):
        for entry in kind.entries(places):
            if entry.names_only and entry.id in asked:
                raise SpecError(
                    f"The texts of {entry.name} are not here, only what was measured on them: "
                    f"to measure more, import them with `{kind.group} import`."
                )


def _texts(value: object) -> Iterator[str]:
    """Give every text of a JSON value."""
    match value:
        case str():
            yield value
        case dict():
            yield from _texts(list(value.values()))
        case list():
            for each in value:
                yield from _texts(each)


def corpus_names() -> dict[str, str]:
    """Return content id → name of every corpus, tagged or not, and labelled task of the workspaces.

    The words that scores are of where they are those of several dictionaries are called by these.
    """
    places = workspaces()
    saved = [*corpora.entries(places), *tagged.entries(places), *tasks.entries(places)]
    return _names_of_words(places) | {entry.id: entry.name for entry in saved}


def _names_of_words(places: Sequence[Path]) -> dict[str, str]:
    known = {entry.id: entry.name for entry in dictionaries.entries(places)}
    found: dict[str, str] = {}
    for file in scores.shards(places):
        of = file.provenance.get("dictionaries")
        if isinstance(of, dict):
            names = ", ".join(known.get(str(each), "a removed dictionary") for each in of.values())
            found[str(file.provenance.get("corpus"))] = f"words of {names}"
    return found
