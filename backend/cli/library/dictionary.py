"""`python -m backend dictionary`: import bilingual dictionaries and list them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.tables import print_left_out, table
from backend.errors import CorpusError
from backend.experiments.named import workspaces
from backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="Import bilingual dictionaries and list them.")


@app.command("import")
def import_dictionary(
    file: Annotated[Path, typer.Argument(help="MUSE format (a pair a line, tab or space), CSV or TSV")],
    source: Annotated[str, typer.Option(help="The language of the first column, or of the column with its name")],
    target: Annotated[str, typer.Option(help="The language of the translations")],
    name: Annotated[str, typer.Option(help="What to call it")] = "",
    licence: Annotated[str, typer.Option(help="Its licence, such as CC0-1.0")] = "",
) -> None:
    """Read a file as a dictionary and keep it. Prints what was recognised, and every line left out.

    Example: dictionary import en-de.txt --source en --target de --name "MUSE en-de"
    """
    from backend.corpora.dictionaries import library as dictionaries
    from backend.corpora.dictionaries.readers import read
    from backend.corpora.shared.inputs import InputFile

    if not file.is_file():
        raise CorpusError(f"There is no file '{file.name}'.", remedy="Give the path of a dictionary's file.")
    dictionary = read(InputFile(file.name, file), source, target)
    report = dictionary.report
    print_left_out(report.warnings, report.skipped, report.more_skipped)
    entry = dictionaries.keep(dictionary, name or file.stem, settings().workspace, licence=licence or None)
    typer.echo(
        f"{entry.format}: {entry.words} words, {entry.pairs} pairs {entry.source} to {entry.target} "
        f"({report.blank} blank lines, {report.duplicates} repeated pairs), kept as '{entry.name}' ({entry.id})."
    )


@app.command("list")
def list_dictionaries() -> None:
    """The kept dictionaries: name, id, languages, words, pairs."""
    from backend.corpora.dictionaries import library as dictionaries

    rows = [(e.name, e.id, e.source, e.target, e.words, e.pairs) for e in dictionaries.entries(workspaces())]
    typer.echo(table(rows, ["name", "id", "source", "target", "words", "pairs"]))
