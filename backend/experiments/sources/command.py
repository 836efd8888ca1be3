"""Sources as people type them in commands: what XferBench and the machine-translation check pre-train on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import chosen_languages
from isogloss.backend.experiments.named import corpus_named, emergent_named, workspaces
from isogloss.backend.experiments.sources.source import NONE
from isogloss.backend.experiments.spec import first_problem

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

    from isogloss.backend.corpora.parallel.library import CorpusEntry

Sources = Annotated[
    list[str],
    typer.Option(
        "--source",
        help=f"An emergent corpus by name, text as CORPUS/LANGUAGE, or '{NONE}' (no pre-training); may be repeated",
    ),
]


def source_named(name: str) -> dict[str, str]:
    """A source as specs have it. Raises `IsoglossError` where nothing is called so."""
    if name == NONE:
        return {"kind": "none"}
    corpus, _, tag = name.rpartition("/")
    if corpus and name not in {entry.name for entry in emergent_library.entries(workspaces())}:
        return {"kind": "text", **text_of(corpus_named(corpus), tag)}
    entry = emergent_named(name)
    return {"kind": "emergent", "corpus": entry.id, "name": entry.name}


def text_of(entry: CorpusEntry, tag: str) -> dict[str, str]:
    """The text of one language of a saved corpus, as specs have it. Raises `SpecError` for a language that it lacks."""
    (language,) = chosen_languages(entry, tag) if tag else [""]
    if not language:
        raise SpecError(f"Say a language of '{entry.name}'. {did_you_mean('', entry.tags)}")
    return {"corpus": entry.id, "language": language, "name": entry.name}


def options_of(path: Path, kind: type[BaseModel]) -> dict[str, Any]:
    """Options from a JSON file; what it leaves out is the paper's. Raises `SpecError` for a file that does not hold options."""
    try:
        return kind.model_validate_json(path.read_bytes()).model_dump(mode="json")
    except OSError as error:
        raise SpecError(f"{path.name} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise first_problem(error) from error
