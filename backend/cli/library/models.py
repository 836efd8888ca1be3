"""`isogloss models`: the catalogue, and the workspace's own models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.cli.tables import table
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.models.entry import quoted
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model
    from isogloss.backend.models.files.catalogue import Known

app = typer.Typer(no_args_is_help=True, help="List models, add one, rename or remove it, see the catalogue.")


@app.command("list")
def list_models(
    catalogue: Annotated[bool, typer.Option(help="List the well-known models instead of the workspace's own")] = False,
) -> None:
    """The workspace's models with their checkpoints, or (--catalogue) the well-known ones."""
    from isogloss.backend.models.files.catalogue import CATALOGUE
    from isogloss.backend.models.library import library

    if catalogue:
        rows = [
            (
                *(known.name, known.hub_id, known.kind, known.layers, known.dims, known.pooling or "", shown(known.prefix)),
                *(_checkpoints(known), known.licence, known.checked),
            )
            for known in CATALOGUE
        ]
        typer.echo(
            table(rows, ["name", "Hub id", "kind", "layers", "dims", "pooling", "prefix", "checkpoints", "licence", "checked"])
        )
        return
    models = library.entries(workspaces())
    typer.echo(
        table(
            [
                (m.name, m.architecture, m.layers or "", m.dims or "", " ".join(c.label for c in m.checkpoints) + _here(m))
                for m in models
            ],
            ["name", "architecture", "layers", "dims", "checkpoints"],
        )
    )


def _here(model: Model) -> str:
    """Say where a model can be had whose weights are not here."""
    from isogloss.backend.models.library.absent import is_absent

    return f" (weights not here; published: {model.published})" if model.published and is_absent(model) else ""


def _checkpoints(known: Known) -> str:
    """Return the repository of a series of checkpoints; of one that is several, how many, the first and the last."""
    first, *others = known.repositories or ("",)
    return f"{1 + len(others)} repositories, {first} to {others[-1]}" if others else first


def shown(prefix: str) -> str:
    """Return a prefix between quotes, or nothing where there is none."""
    return quoted(prefix) if prefix else ""


@app.command()
def add(
    locations: Annotated[
        list[str],
        typer.Argument(
            help="A Hub id, a folder, a folder of checkpoints, fairseq .pt files, or several of them; "
            "#decoder after an mBART's means its decoder, #tokeniser after any the tokeniser alone, without weights"
        ),
    ],
    name: Annotated[str, typer.Option(help="What to call it")] = "",
    revision: Annotated[
        list[str] | None,
        typer.Option(help="Hub: a branch or tag (may be repeated), or `steps` for all that name a step or tokens"),
    ] = None,
) -> None:
    """Find a model's checkpoints and keep the list. Weights are downloaded only when something is computed."""
    from isogloss.backend.models.files import fingerprint
    from isogloss.backend.models.library import library
    from isogloss.backend.models.library.discover import discover
    from isogloss.backend.models.recommended import recommended

    now = settings()
    model = discover(
        "\n".join(locations),
        name=name or None,
        revisions="steps" if revision == ["steps"] else revision,
        allow_pickle=now.allow_pickle,
        cache=fingerprint.cache_file(now.workspace),
    )
    library.keep(model, now.workspace)
    if model.tokeniser_alone:
        typer.echo(f"'{model.name}': {model.note}")
    else:
        typer.echo(f"'{model.name}': {model.architecture}, {model.layers} layers of {model.dims}, checkpoints:")
        pooling, why = recommended(model)
        typer.echo(f"Recommended sentence vector: --pooling {pooling}, since {why}.")
    rows = [[c.label, c.stage, *("" if n is None else n for n in (c.step, c.tokens)), c.fingerprint] for c in model.checkpoints]
    typer.echo(table(rows, ["label", "stage", "step", "tokens", "fingerprint"]))


@app.command()
def convert(
    files: Annotated[list[Path], typer.Argument(help="Composer's .pt files of a ModernBERT, such as mmBERT's checkpoints")],
    like: Annotated[str, typer.Option(help="Whose configuration and tokeniser they have: a folder, or a Hub id")],
    into: Annotated[Path, typer.Option(help="Where a folder for each is written")],
) -> None:
    """Write Composer's checkpoints as folders with safetensors, to be added as one model: `models add` with their folder.

    The files are pickles: only with ISOGLOSS_ALLOW_PICKLE=1. The configuration is that of --like for all; phases that differ in
    it, such as in rotary frequencies, need a folder each.
    """
    from isogloss.backend.errors import ModelError
    from isogloss.backend.models.files import hub
    from isogloss.backend.models.loading import composer

    if not settings().allow_pickle:
        raise ModelError(
            "Composer's checkpoints are pickles, which are not read. Set ISOGLOSS_ALLOW_PICKLE=1 if you trust them."
        )
    if absent := [str(file) for file in files if not file.is_file()]:
        raise ModelError(f"There is no file '{absent[0]}'. Check the path.")
    folder = Path(like) if Path(like).is_dir() else hub.download_tokenizer(like)
    for file in files:
        typer.echo(str(composer.convert(file, folder, into)))


@app.command()
def rename(
    name: Annotated[str, typer.Argument(help="What it is called")],
    new: Annotated[str, typer.Argument(help="What to call it")],
) -> None:
    """Give a kept model another name. What was computed of it and links to it stay."""
    from isogloss.backend.models.library import library

    renamed = library.rename(name, new, settings().workspaces)
    typer.echo(f"'{name}' is now '{renamed.name}'.")


@app.command()
def remove(name: Annotated[str, typer.Argument(help="What it is called")]) -> None:
    """Forget a model. Its weights stay where they are, and so do the scores computed from them."""
    from isogloss.backend.models.library import library

    library.remove(name, settings().workspace)
    typer.echo(f"'{name}' is no longer in the workspace.")
