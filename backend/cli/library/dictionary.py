"""`python -m backend dictionary`: import bilingual dictionaries and list them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.library.keeping import DropBroken, add_remove, add_rename, said, tell
from backend.cli.tables import table
from backend.corpora.dictionaries.library import SHELF
from backend.errors import CorpusError
from backend.experiments.named import dictionary_named, workspaces
from backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="Import bilingual dictionaries and list them.")


add_rename(app, dictionary_named, SHELF)
add_remove(app, dictionary_named, SHELF)


@app.command("import")
def import_dictionary(
    file: Annotated[Path, typer.Argument(help="MUSE format (a pair a line, tab or space), CSV or TSV")],
    source: Annotated[str, typer.Option(help="The language of the first column, or of the column with its name")],
    target: Annotated[str, typer.Option(help="The language of the translations")],
    name: Annotated[str, typer.Option(help="What to call it")] = "",
    licence: Annotated[str, typer.Option(help="Its licence, such as CC0-1.0")] = "",
    drop_broken: DropBroken = False,
) -> None:
    """Read a file as a dictionary and keep it. Prints what was recognised, and every line left out.

    Example: dictionary import en-de.txt --source en --target de --name "MUSE en-de"
    """
    from backend.corpora.dictionaries import library as dictionaries
    from backend.corpora.dictionaries.readers import read
    from backend.corpora.shared import apart
    from backend.corpora.shared.inputs import InputFile

    if not file.is_file():
        raise CorpusError(f"There is no file '{file.name}'.", remedy="Give the path of a dictionary's file.")
    dictionary = apart.read(read, InputFile(file.name, file), source, target)
    report = dictionary.report
    tell(report, drop_broken=drop_broken, what="lines")
    entry = dictionaries.keep(dictionary, name or file.stem, settings().workspace, licence=licence or None)
    facts = (
        f"{report.format}: {entry.words} words, {entry.pairs} pairs {entry.source} to {entry.target} "
        f"({report.blank} blank lines, {report.duplicates} repeated pairs)"
    )
    said(facts, entry, name or file.stem, "dictionary")


@app.command("list")
def list_dictionaries() -> None:
    """The kept dictionaries: name, id, languages, words, pairs."""
    from backend.corpora.dictionaries import library as dictionaries

    rows = [(e.name, e.id, e.source, e.target, e.words, e.pairs) for e in dictionaries.entries(workspaces())]
    typer.echo(table(rows, ["name", "id", "source", "target", "words", "pairs"]))
