"""`isogloss covariates`: import tables of numbers of languages and look into them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.library.keeping import Known, commands, default_name, file_at, importing
from isogloss.backend.cli.tables import table
from isogloss.backend.corpora.covariates.library import KIND
from isogloss.backend.corpora.covariates.reader import Covariates
from isogloss.backend.experiments.named import covariates_named, workspaces

app = commands(KIND, show=False)


@importing(app, KIND)
def import_covariates(
    file: Annotated[Path, typer.Argument(help="CSV or TSV whose first line names its columns: language, and others")],
) -> tuple[Covariates, str]:
    """Read a table of covariates and keep it. Prints what was recognised, and what was left out.

    Example: covariates import speakers.csv --name Speakers
    """
    from isogloss.backend.corpora.covariates import reader
    from isogloss.backend.corpora.shared import apart

    return apart.read(reader.read_file, file_at(file)), default_name([file])


@app.command("show")
def show(name: Known) -> None:
    """The numbers of a kept table, a row a language; a dash where a language has none."""
    entry = covariates_named(name)
    covariates = KIND.load(entry.id, workspaces())
    typer.echo(f"{entry.name} ({entry.id})")
    for warning in entry.warnings:
        typer.echo(f"Note: {warning}")
    columns = covariates.columns.values()
    rows = [(tag, *(f"{column[tag]:g}" if tag in column else "-" for column in columns)) for tag in covariates.languages]
    typer.echo(table(rows, ["language", *covariates.columns]))
