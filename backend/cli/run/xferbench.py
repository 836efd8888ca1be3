"""`python -m backend run xferbench`: how good a language to learn from a corpus is (Boldt & Mortensen 2024)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from pydantic import ValidationError

from backend.cli.shared.naming import corpus_named, emergent_named
from backend.cli.shared.submitting import PrintSpec, Wait, chosen_languages, submit
from backend.corpora.emergent import library as emergent_library
from backend.corpora.parallel import library
from backend.corpora.parallel.library import CorpusEntry
from backend.errors import SpecError, did_you_mean
from backend.experiments.sources.source import NONE, Preset
from backend.experiments.spec import first_problem
from backend.experiments.xferbench.spec import XferBenchSpec
from backend.settings import settings
from backend.training.language_model.options import LanguageModelOptions, Protocol


def xferbench(
    sources: Annotated[
        str,
        typer.Option(
            help="Separated by commas, which a kept name may have too: an emergent corpus, text as CORPUS/LANGUAGE, or "
            f"'{NONE}' (no pre-training)"
        ),
    ],
    targets: Annotated[str, typer.Option(help="Text as CORPUS/LANGUAGE, separated by commas; CORPUS alone is every language")],
    preset: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Preset))}")] = "quick",
    protocol: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Protocol))}")] = "correct",
    options: Annotated[Path | None, typer.Option(help="For --preset custom: a JSON file of options")] = None,
    seeds: Annotated[int, typer.Option(help="How many, from 0", min=1)] = 1,
    print_spec: PrintSpec = False,
    wait: Wait = False,
) -> None:
    """XferBench: pre-train a language model on each source, tune it on each target, and score it on held-out text.

    Example: run xferbench --sources "My language,Random, seed 0,News/en,none" --targets News/fi,News/da --wait
    """
    fields: dict[str, Any] = {
        "sources": [source_named(name) for name in names_in(sources)],
        "targets": [target for name in names_in(targets) for target in _targets(name)],
        "preset": preset,
        "protocol": protocol,
        "custom": None if options is None else _read(options, protocol),
        "seeds": list(range(seeds)),
    }
    try:
        spec = XferBenchSpec.model_validate(fields)
    except ValidationError as error:
        raise first_problem(error) from error
    submit(spec, print_spec, wait)


def names_in(text: str) -> list[str]:
    """What stands between the commas; a name that is kept may have commas itself (`Random, seed 0`).

    Of several ways to read a list, the one with the longest name from the left is taken, and of names that differ in the
    blanks around their commas the one that is written so. What is not kept ends at the next comma.
    """
    known = {entry.name for entry in emergent_library.entries(settings().workspaces)}
    known |= {entry.name for entry in library.entries(settings().workspaces)}
    loosely = {_loosely(name): name for name in sorted(known)}
    found: list[str] = []
    parts = text.split(",")
    while parts:
        name, taken = _first(parts, known, loosely)
        found += [name] if name else []
        parts = parts[taken:]
    return found


def _first(parts: list[str], known: set[str], loosely: dict[str, str]) -> tuple[str, int]:
    """The first name in `parts`, and how many of these it takes."""
    for end in range(len(parts), 0, -1):
        if _is_name(joined := ",".join(parts[:end]).strip(), known):
            return joined, end
    for end in range(len(parts), 1, -1):
        corpus, slash, tag = ",".join(parts[:end]).strip().rpartition("/")
        if _loosely(corpus + slash + tag) in loosely:
            return loosely[_loosely(corpus + slash + tag)], end
        if slash and "," not in tag and _loosely(corpus) in loosely:
            return f"{loosely[_loosely(corpus)]}/{tag}", end
    return parts[0].strip(), 1


def _is_name(text: str, known: set[str]) -> bool:
    corpus, _, tag = text.rpartition("/")
    return text in known or (corpus in known and "," not in tag)


def _loosely(name: str) -> str:
    """A name without the blanks around its commas."""
    return ",".join(part.strip() for part in name.split(","))


def source_named(name: str) -> dict[str, str]:
    """A source as specs have it. Raises `IsoglossError` where nothing is called so."""
    if name == NONE:
        return {"kind": "none"}
    corpus, _, tag = name.rpartition("/")
    if corpus and name not in {entry.name for entry in emergent_library.entries(settings().workspaces)}:
        return {"kind": "text", **_text(corpus_named(corpus), tag)}
    entry = emergent_named(name)
    return {"kind": "emergent", "corpus": entry.id, "name": entry.name}


def _targets(name: str) -> list[dict[str, str]]:
    if name in {entry.name for entry in library.entries(settings().workspaces)}:
        entry = corpus_named(name)
        return [_text(entry, tag) for tag in entry.tags]
    corpus, _, tag = name.rpartition("/")
    entry = corpus_named(corpus or tag)
    return [_text(entry, each) for each in ([tag] if corpus else entry.tags)]


def _text(entry: CorpusEntry, tag: str) -> dict[str, str]:
    (language,) = chosen_languages(entry, tag) if tag else [""]
    if not language:
        raise SpecError(f"Say a language of '{entry.name}'. {did_you_mean('', entry.tags)}")
    return {"corpus": entry.id, "language": language, "name": entry.name}


def _read(path: Path, protocol: str) -> dict[str, Any]:
    """Options from a file; what it leaves out is the paper's, and its protocol that of the command."""
    try:
        found = LanguageModelOptions.model_validate_json(path.read_bytes())
    except OSError as error:
        raise SpecError(f"{path.name} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise first_problem(error) from error
    return found.model_dump(mode="json") | {"protocol": protocol}
