"""`python -m backend corpus`: import parallel corpora and list them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.shared import table, workspaces
from backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="Import parallel corpora and list them.")


@app.command("import")
def import_corpus(
    files: Annotated[list[Path], typer.Argument(help="Files of one corpus, in any format the Library page takes, or a folder")],
    name: Annotated[str, typer.Option(help="What to call it")] = "",
) -> None:
    """Read files as one parallel corpus and keep it. Prints what was recognised, and every row left out."""
    from backend.corpora import library
    from backend.corpora.detect import InputFile, read

    paths = [path for file in files for path in (sorted(file.iterdir()) if file.is_dir() else [file])]
    corpus = read([InputFile(path.name, path) for path in paths if path.is_file()])
    for warning in corpus.report.warnings:
        typer.echo(f"Note: {warning}")
    for skipped in corpus.report.skipped:
        typer.echo(f"Left out: {skipped.file}, line {skipped.line}: {skipped.reason}")
    entry = library.keep(corpus, name or files[0].stem, settings().workspace)
    typer.echo(
        f"{corpus.report.format}: {entry.sentences} sentences, {len(entry.tags)} languages, "
        f"kept as '{entry.name}' ({entry.id})."
    )


@app.command("list")
def list_corpora() -> None:
    """The kept corpora: name, id, sentences, languages."""
    from backend.corpora import library

    rows = [(entry.name, entry.id, entry.sentences, " ".join(entry.tags)) for entry in library.entries(workspaces())]
    typer.echo(table(rows, ["name", "id", "sentences", "languages"]))
