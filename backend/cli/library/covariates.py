"""`python -m backend covariates`: import tables of numbers of languages, list them, look into them and remove them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.library.keeping import DropBroken, add_rename, said, stop_at_loss
from backend.cli.tables import print_left_out, table
from backend.corpora.covariates.library import SHELF
from backend.errors import CorpusError, SpecError
from backend.experiments.named import covariates_named, workspaces
from backend.settings import settings

app = typer.Typer(
    no_args_is_help=True, help="Import numbers of languages (speakers, words of training text) to set against scores."
)


add_rename(app, covariates_named, SHELF)


@app.command("import")
def import_covariates(
    file: Annotated[Path, typer.Argument(help="CSV or TSV whose first line names its columns: language, and others")],
    name: Annotated[str, typer.Option(help="What to call it")] = "",
    licence: Annotated[str, typer.Option(help="Its licence, such as CC-BY-4.0")] = "",
    drop_broken: DropBroken = False,
) -> None:
    """Read a table of covariates and keep it. Prints what was recognised, and what was left out.

    Example: covariates import speakers.csv --name Speakers
    """
    from backend.corpora.covariates import library, reader
    from backend.corpora.shared import apart
    from backend.corpora.shared.inputs import InputFile

    if not file.is_file():
        raise CorpusError(f"There is no file '{file.name}'.", remedy="Give the path of a CSV of languages and numbers.")
    found = apart.read(reader.read_file, InputFile(file.name, file))
    print_left_out(found.warnings, [], 0)
    stop_at_loss(found.losses, drop_broken=drop_broken)
    entry = library.keep(found, name or file.stem, settings().workspace, licence or None)
    said(f"{len(entry.languages)} languages, columns: {', '.join(entry.columns)}", entry, name or file.stem, "covariates")


@app.command("list")
def list_covariates() -> None:
    """The kept tables of covariates: name, id, languages, columns."""
    from backend.corpora.covariates import library

    rows = [(e.name, e.id, len(e.languages), ", ".join(e.columns)) for e in library.entries(workspaces())]
    typer.echo(table(rows, ["name", "id", "languages", "columns"]))


@app.command("show")
def show(name: Annotated[str, typer.Argument(help="Its name, or the beginning of its id")]) -> None:
    """The numbers of a kept table, a row a language; a dash where a language has none."""
    from backend.corpora.covariates import library

    entry = covariates_named(name)
    found = library.load(entry.id, workspaces())
    typer.echo(f"{entry.name} ({entry.id})")
    for warning in entry.warnings:
        typer.echo(f"Note: {warning}")
    rows = [(tag, *(f"{own[tag]:g}" if tag in own else "-" for own in found.columns.values())) for tag in found.languages]
    typer.echo(table(rows, ["language", *found.columns]))


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="Its name, or the beginning of its id")]) -> None:
    """Delete a kept table of covariates."""
    from backend.corpora.covariates import library

    entry = covariates_named(name)
    if entry.id not in {own.id for own in library.entries([settings().workspace])}:
        raise SpecError(f"'{entry.name}' is part of the demo workspace, which is read-only.")
    library.remove(entry.id, settings().workspace)
    typer.echo(f"'{entry.name}' is no longer in the workspace.")
