"""`isogloss run xferbench`: how good a language to learn from a corpus is (Boldt & Mortensen 2024)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.command import declares
from isogloss.backend.experiments.named import corpus_named, workspaces
from isogloss.backend.experiments.sources.command import Sources, options_of, source_named, text_of
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.xferbench import amounts
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.backend.training.language_model.options import LanguageModelOptions


@declares(XferBenchSpec)
def xferbench(
    sources: Sources,
    targets: Annotated[
        list[str],
        typer.Option("--target", help="Text as CORPUS/LANGUAGE; CORPUS alone is every language; may be repeated"),
    ],
    custom: Annotated[Path | None, typer.Option("--options", help="For --preset custom: a JSON file of options")] = None,
    seeds: Annotated[int, typer.Option(help="How many, from 0", min=1)] = 1,
    *,
    options: dict[str, Any],
) -> XferBenchSpec:
    """XferBench: pre-train a language model on each source, tune it on each target, and score it on held-out text.

    Example: run xferbench --source "My language" --source News/en --source none --target News/fi --target News/da --wait
    """
    model = None if custom is None else options_of(custom, LanguageModelOptions) | {"protocol": options["protocol"]}
    fields: dict[str, Any] = {
        "sources": [source_named(name) for name in sources],
        "targets": [target for name in targets for target in _targets(name)],
        "custom": model,
        "seeds": list(range(seeds)),
    }
    spec = validate(XferBenchSpec, fields | options)
    for caution in amounts.cautions(spec, workspaces()):
        typer.echo(f"Note: {caution}", err=True)
    return spec


def _targets(name: str) -> list[dict[str, str]]:
    if name in {entry.name for entry in library.entries(workspaces())}:
        entry = corpus_named(name)
        return [text_of(entry, tag) for tag in entry.tags]
    corpus, _, tag = name.rpartition("/")
    entry = corpus_named(corpus or tag)
    return [text_of(entry, each) for each in ([tag] if corpus else entry.tags)]
