"""`isogloss dictionary`: import bilingual dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.library.keeping import commands, default_name, file_at, importing
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.dictionaries.library import KIND

app = commands(KIND)


@importing(app, KIND)
def import_dictionary(
    file: Annotated[Path, typer.Argument(help="MUSE format (a pair a line, tab or space), CSV or TSV")],
    source: Annotated[str, typer.Option(help="The language of the first column, or of the column with its name")],
    target: Annotated[str, typer.Option(help="The language of the translations")],
) -> tuple[Dictionary, str]:
    """Read a file as a dictionary and keep it. Prints what was recognised, and every line left out.

    Example: dictionary import en-de.txt --source en --target de --name "MUSE en-de"
    """
    from isogloss.backend.corpora.dictionaries.readers import read
    from isogloss.backend.corpora.shared import apart

    return apart.read(read, file_at(file), source, target), default_name([file])
