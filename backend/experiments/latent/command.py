"""`isogloss run latent`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.experiments.command import Checkpoints, Model, chosen_checkpoints, declares, split_commas
from isogloss.backend.experiments.latent.pivot import other_end, shared
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
    if options["task"] != "translation":
        answers = languages[options["task"] == "cloze" :]  # the pivot has no sentences
        return validate(LatentSpec, fields | {"source": source or None, "targets": wanted or answers})
    asked = source or next((tag for tag in [*languages[1:], middle] if tag not in wanted), "")
    return validate(LatentSpec, fields | {"source": asked, "targets": wanted or [tag for tag in languages if tag != asked]})
