"""`isogloss run latent`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.library import DictionaryEntry
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.command import Checkpoints, Model, chosen_checkpoints, declares, split_commas
from isogloss.backend.experiments.latent.spec import LatentSpec
from isogloss.backend.experiments.named import named
from isogloss.backend.experiments.spec import validate
from isogloss.backend.models.files.heads import check_head

Dictionaries = Annotated[
    list[str],
    typer.Option(help="A saved dictionary, by name or id; again for each language. All share one language, the pivot"),
]
Pivot = Annotated[str, typer.Option(help="The language that all dictionaries share; found where it is the only one")]
Source = Annotated[str, typer.Option(help="The language translated from; the first other than pivot and targets by default")]
Targets = Annotated[str, typer.Option(help="Languages of the answers, separated by commas; all but the source by default")]


@declares(LatentSpec)
def latent(
    model: Model,
    dictionary: Dictionaries,
    source: Source = "",
    targets: Targets = "",
    pivot: Pivot = "",
    checkpoints: Checkpoints = "",
    *,
    options: dict[str, Any],
) -> LatentSpec:
    """Which language's words each layer tells, read by the model's own head (logit lens), where a prompt asks for a word.

    Example: run latent --model "Demo MLM" --dictionary "Demo English–German" --wait
    """
    chosen = list(chosen_checkpoints(model, checkpoints))
    for checkpoint in chosen:
        check_head(checkpoint)
    entries = [named(dictionaries.KIND, name) for name in dictionary]
    middle = pivot or shared(entries)
    of = [{"language": other_end(entry, middle), "dictionary": entry.id} for entry in entries]
    languages = [middle, *(each["language"] for each in of)]
    wanted = split_commas(targets)
    fields: dict[str, Any] = {"model": model, "checkpoints": chosen, "pivot": middle, "dictionaries": of} | options
    if options["task"] == "repetition":
        return validate(LatentSpec, fields | {"source": source or None, "targets": wanted or languages})
    asked = source or next((tag for tag in [*languages[1:], middle] if tag not in wanted), "")
    return validate(LatentSpec, fields | {"source": asked, "targets": wanted or [tag for tag in languages if tag != asked]})


def shared(entries: list[DictionaryEntry]) -> str:
    """Return the language that all dictionaries have: of a single one, its first. Raises `SpecError` where there is none."""
    common = set.intersection(*({each.source, each.target} for each in entries))
    found = [tag for tag in (entries[0].source, entries[0].target) if tag in common]
    if not found:
        raise SpecError("The dictionaries share no language, through which words of all are the same: choose those of one.")
    return found[0]


def other_end(entry: DictionaryEntry, pivot: str) -> str:
    """Return a dictionary's language beside the pivot. Raises `SpecError` where it has no pivot."""
    ends = [entry.source, entry.target]
    if pivot not in ends:
        raise SpecError(f"'{entry.name}' is of {entry.source} and {entry.target}, not of the pivot {pivot}.")
    ends.remove(pivot)
    return ends[0]
