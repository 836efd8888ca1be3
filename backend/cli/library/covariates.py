"""`isogloss covariates`: import tables of numbers of languages and look into them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.library.keeping import Known, commands, default_name, files_at, importing
from isogloss.backend.cli.tables import table
from isogloss.backend.corpora.covariates.library import KIND
from isogloss.backend.corpora.covariates.reader import Covariates
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.named import covariates_named, workspaces

app = commands(KIND, show=False)


@importing(app, KIND)
def import_covariates(
    files: Annotated[
        list[Path],
        typer.Argument(help="A CSV or TSV with a column of languages, results files of other tools, or a folder of them"),
    ],
    task_language: Annotated[
        list[str],
        typer.Option(help="TASK=LANGUAGE where a task's name does not tell its language; - leaves it out; may be repeated"),
    ] = [],  # noqa: B006
    model: Annotated[str, typer.Option(help="The model whose results these are, in place of what the files say")] = "",
) -> tuple[Covariates, str]:
    """Read a table of covariates, or results of other tools, and keep it. Prints what was recognised, and what was left out.

    Example: covariates import results_2025-03-01.json --name Belebele
    """
    from isogloss.backend.corpora.covariates import reader
    from isogloss.backend.corpora.shared import apart

    tasks = dict(_told(each) for each in task_language)
    return apart.read(reader.read_files, files_at(files), tasks=tasks, model=model), default_name(files)


def _told(said: str) -> tuple[str, str]:
    task, equals, name = said.rpartition("=")
    if not equals:
        raise CorpusError(f"'{said[:80]}' says no language.", remedy="Write --task-language hellaswag=en.")
    return task.strip(), name.strip()


@app.command("show")
def show(name: Known) -> None:
    """The numbers of a kept table, a row a language; a dash where a language has none."""
    from isogloss.backend.experiments.relations.outcomes import interval

    entry = covariates_named(name)
    covariates = KIND.load(entry.id, workspaces())
    typer.echo(f"{entry.name} ({entry.id})")
    for warning in entry.warnings:
        typer.echo(f"Note: {warning}")
    columns = covariates.columns.values()
    rows = [(tag, *(f"{column[tag]:g}" if tag in column else "-" for column in columns)) for tag in covariates.languages]
    typer.echo(table(rows, ["language", *covariates.columns]))
    for column, own in covariates.cells.items():
        typer.echo(f"\n{column} ({covariates.outcomes[column].unit}, {covariates.outcomes[column].better} is better)")
        lines = []
        for tag, cell in own.items():
            low, high, how = interval(covariates.columns[column][tag], cell, covariates.outcomes[column])
            bounds = f"{low:.4g} to {high:.4g}" if how else "-"
            lines.append((tag, bounds, "-" if cell.n is None else str(cell.n), " · ".join(filter(None, (cell.source, how)))))
        typer.echo(table(lines, ["language", "95% interval", "n", "source"]))
