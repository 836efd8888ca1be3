"""`isogloss run translation`: whether what XferBench prefers also helps to learn to translate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import chosen_languages, declares, split_commas
from isogloss.backend.experiments.named import corpus_named
from isogloss.backend.experiments.sources.command import Sources, options_of, source_named
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.translation.spec import TranslationSpec
from isogloss.backend.training.translation.options import TranslationOptions


@declares(TranslationSpec)
def translation(
    sources: Sources,
    corpus: Annotated[str, typer.Option(help="A saved parallel corpus, by name or id")],
    languages: Annotated[str, typer.Option(help="From which language into which, separated by a comma")] = "en,fr",
    custom: Annotated[Path | None, typer.Option("--options", help="For --preset custom: a JSON file of options")] = None,
    seeds: Annotated[int, typer.Option(help="How many, from 0", min=1)] = 1,
    *,
    options: dict[str, Any],
) -> TranslationSpec:
    """Pre-train a BART on each source by text infilling, tune it to translate, and score it: chrF and BLEU of held-out pairs.

    Example: run translation --source "My language" --source none --corpus News --languages en,fr --wait
    """
    fields: dict[str, Any] = {
        "sources": [source_named(name) for name in sources],
        "text": _text(corpus, languages),
        "custom": None if custom is None else options_of(custom, TranslationOptions),
        "seeds": list(range(seeds)),
    }
    return validate(TranslationSpec, fields | options)


def _text(corpus: str, languages: str) -> dict[str, str]:
    entry = corpus_named(corpus)
    tags = chosen_languages(entry, languages)
    if len(split_commas(languages)) != 2:
        raise SpecError(f"Say two languages of '{entry.name}', such as --languages en,fr. {did_you_mean('', entry.tags)}")
    source, target = tags
    return {"corpus": entry.id, "source_language": source, "target_language": target, "name": entry.name}
