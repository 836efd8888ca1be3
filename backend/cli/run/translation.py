"""`python -m backend run translation`: whether what XferBench prefers also helps to learn to translate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from pydantic import ValidationError

from backend.cli.run.xferbench import names_in, source_named
from backend.cli.shared.naming import corpus_named
from backend.cli.shared.submitting import PrintSpec, Wait, chosen_languages, listed, submit
from backend.errors import SpecError, did_you_mean
from backend.experiments.sources.source import NONE, Preset
from backend.experiments.spec import first_problem
from backend.experiments.translation.spec import TranslationSpec
from backend.training.translation.options import SETTINGS, TranslationOptions


def translation(
    sources: Annotated[
        str,
        typer.Option(help=f"Separated by commas: an emergent corpus, text as CORPUS/LANGUAGE, or '{NONE}' (no pre-training)"),
    ],
    corpus: Annotated[str, typer.Option(help="A kept parallel corpus, by name or id")],
    languages: Annotated[str, typer.Option(help="From which language into which, separated by a comma")] = "en,fr",
    settings: Annotated[str, typer.Option(help="Any of these, separated by commas")] = ",".join(SETTINGS),
    preset: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Preset))}")] = "quick",
    options: Annotated[Path | None, typer.Option(help="For --preset custom: a JSON file of options")] = None,
    seeds: Annotated[int, typer.Option(help="How many, from 0", min=1)] = 1,
    print_spec: PrintSpec = False,
    wait: Wait = False,
) -> None:
    """Pre-train a BART on each source by text infilling, tune it to translate, and score it: chrF and BLEU of held-out pairs.

    Example: run translation --sources "My language,Random, seed 0,none" --corpus News --languages en,fr --wait
    """
    fields: dict[str, Any] = {
        "sources": [source_named(name) for name in names_in(sources)],
        "text": _text(corpus, languages),
        "settings": listed(settings),
        "preset": preset,
        "custom": None if options is None else _read(options),
        "seeds": list(range(seeds)),
    }
    try:
        spec = TranslationSpec.model_validate(fields)
    except ValidationError as error:
        raise first_problem(error) from error
    submit(spec, print_spec, wait)


def _text(corpus: str, languages: str) -> dict[str, str]:
    entry = corpus_named(corpus)
    tags = chosen_languages(entry, languages)
    if len(listed(languages)) != 2:
        raise SpecError(f"Say two languages of '{entry.name}', such as --languages en,fr. {did_you_mean('', entry.tags)}")
    source, target = tags
    return {"corpus": entry.id, "source_language": source, "target_language": target, "name": entry.name}


def _read(path: Path) -> dict[str, Any]:
    """Options from a file; what it leaves out is the paper's."""
    try:
        found = TranslationOptions.model_validate_json(path.read_bytes())
    except OSError as error:
        raise SpecError(f"{path.name} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise first_problem(error) from error
    return found.model_dump(mode="json")
