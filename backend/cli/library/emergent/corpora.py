"""`isogloss emergent`: import emergent-language corpora, list them and look into them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from isogloss.backend.cli.library.emergent import make
from isogloss.backend.cli.library.emergent.statistics import statistics
from isogloss.backend.cli.library.keeping import (
    REMEDY,
    DropBroken,
    Known,
    Licence,
    commands,
    default_name,
    reads,
    report_kept,
    stop_at_loss,
    tell_elsewhere,
)
from isogloss.backend.cli.tables import print_left_out
from isogloss.backend.corpora.emergent.library import KIND, meanings_of
from isogloss.backend.corpora.emergent.rows import NEGATIVE
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.named import emergent_named, workspaces
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.corpora.emergent.library import EmergentEntry
    from isogloss.backend.corpora.shared.inputs import InputFile

app = commands(KIND, show=False)
app.add_typer(make.app, name="make")
app.command("statistics")(statistics)

Symbols = Literal["integers", "words", "characters"]
Kind = Literal["arrays", "strings", "objects", "table", "lines"]
Field = Annotated[str, typer.Option(help="The field of JSON objects, or the column of a table, with the utterances")]
SymbolsOf = Annotated[Symbols | None, typer.Option("--symbols", help="What a symbol is in text")]
Form = Annotated[Kind | None, typer.Option("--format", help="Override the detected format")]
Meaning = Annotated[
    list[str],
    typer.Option(help="The fields or columns that say what an utterance means, such as color,shape; of --meanings, if given"),
]
Renumber = Annotated[
    bool, typer.Option("--renumber", help="Take negative integers too: those that occur count from 0, in their order")
]
RENUMBERED = "Give --renumber to number all integers from 0 in their order, or --drop-broken to go on without these rows."


@dataclass(frozen=True)
class ImportOptions:
    """How files are to be read, as the command line's options say it."""

    field: str = ""
    symbols: Symbols | None = None
    form: Kind | None = None
    renumber: bool = False
    meaning: tuple[str, ...] = ()


@app.command("import", epilog=reads(KIND))
def import_emergent(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="JSON Lines, CSV, integers or words an utterance a line, or gzip of these; Parquet, Arrow; a data set folder"
        ),
    ],
    name: Annotated[str, typer.Option(help="What to call it; for one corpus")] = "",
    together: Annotated[bool, typer.Option("--together", help="All files are one corpus; else each is one")] = False,
    field: Field = "",
    symbols: SymbolsOf = None,
    form: Form = None,
    licence: Licence = "",
    renumber: Renumber = False,
    drop_broken: DropBroken = False,
    meaning: Meaning = [],  # noqa: B006 — typer copies it
    meanings: Annotated[Path | None, typer.Option(help="A file with a meaning for each row of the others")] = None,
) -> None:
    """Read files as emergent corpora and keep them. Prints what was recognised, and the rows left out.

    Example: emergent import messages.jsonl --field message --meaning color,shape --name "My language"
    """
    from isogloss.backend.corpora.emergent import data_set

    if name and len(files) > 1 and not together:
        raise CorpusError("Several corpora cannot have one name.", remedy="Say --together, or import them one by one.")
    for path in files:
        data_set.of_path(path)
    columns = tuple(each for named in meaning for each in named.split(",") if each)
    options = ImportOptions(field, symbols, form, renumber, columns)
    groups = [files] if together else [[each] for each in files]
    if meanings is not None and len(groups) > 1:
        raise CorpusError("One file of meanings is of one corpus.", remedy="Say --together, or import them one by one.")
    for group in groups if len(groups) > 1 else []:
        read_files(group, options, drop_broken=drop_broken)  # nothing is kept where one of them cannot be
    tell_elsewhere(KIND.name, [files])
    for group in groups:
        keep_files(group, name, options, licence=licence, drop_broken=drop_broken, meanings=meanings)


def keep_files(
    files: Sequence[Path],
    name: str,
    asked: ImportOptions,
    *,
    licence: str = "",
    drop_broken: bool = False,
    meanings: Path | None = None,
) -> EmergentEntry:
    """Read files, or data set folders, as one emergent corpus and keep it; print what was left out.

    Where it has no name it is called by its files. Raises `CorpusError` for a file that is not there or cannot be read, and for
    one that loses too many rows, unless `drop_broken`.
    """
    from isogloss.backend.corpora.shared import kept

    corpus = read_files(files, asked, drop_broken=drop_broken, meanings=meanings)
    report = corpus.report
    listed = report.skipped[: kept.LISTED]
    print_left_out(report.warnings, listed, report.skipped_count - kept.LISTED, "rows")
    for reason, count in report.reasons:
        typer.echo(f"{count:,} left out: {reason}")
    if report.blank:
        typer.echo(f"{report.blank:,} blank lines passed over.")
    called = name or default_name(files)
    entry = KIND.keep(corpus, called, settings().workspace, licence=licence or None)
    report_kept(KIND.summary(KIND.described(corpus, called)), entry, called, KIND.group)
    return entry


def read_files(
    files: Sequence[Path], asked: ImportOptions, *, drop_broken: bool = False, meanings: Path | None = None
) -> EmergentCorpus:
    """Read files, or data set folders, as one emergent corpus. Raises as `keep_files` does."""
    from isogloss.backend.corpora.emergent import data_set
    from isogloss.backend.corpora.emergent.readers import Options, read
    from isogloss.backend.corpora.shared import apart

    options = Options(asked.form, asked.field or None, asked.symbols, asked.renumber, asked.meaning)
    told = None if meanings is None else _the_file(apart.read(data_set.of_path, meanings))
    corpus = apart.read(read, [file for path in files for file in apart.read(data_set.of_path, path)], options, meanings=told)
    negative = any(reason == NEGATIVE for reason, _ in corpus.report.reasons)
    stop_at_loss(corpus.report.losses, drop_broken=drop_broken, remedy=RENUMBERED if negative else REMEDY)
    return corpus


def _the_file(found: Sequence[InputFile]) -> InputFile:
    """Return the one file of meanings. Raises `CorpusError` for a data set folder of several."""
    if len(found) > 1:
        raise CorpusError(f"The meanings are {len(found):,} files.", remedy="Save them as one.", file=found[0].name)
    return found[0]


@app.command("show")
def show(
    name: Known,
    utterances: Annotated[int, typer.Option(min=0, help="How many utterances to print, evenly spaced")] = 10,
) -> None:
    """What is known of a saved emergent corpus, and a sample of its utterances."""
    entry = emergent_named(name)
    corpus = KIND.load(entry.id, workspaces())
    why = ", ".join(f"{reason} ({number:,})" for reason, number in entry.reasons)
    rows = [
        ("name", entry.name),
        ("id", entry.id),
        ("format", entry.format),
        ("tokens", f"{entry.tokens:,}"),
        (
            "utterances",
            f"{entry.utterances:,}, {entry.tokens / entry.utterances:.1f} tokens on average, {entry.longest:,} at most",
        ),
        ("vocabulary", f"{entry.vocabulary_size:,} {entry.symbols}"),
        *([("meanings", meanings_of(entry).removeprefix("meanings of "))] if entry.attributes else []),
        ("left out", f"{entry.skipped:,} rows{why and f': {why}'}"),
        *([("source", entry.source)] if entry.source else []),
        *([("licence", entry.licence)] if entry.licence else []),
    ]
    typer.echo("\n".join(f"{what:<11} {value}" for what, value in rows))
    shown = min(utterances, entry.utterances)
    for place in (i * entry.utterances // shown for i in range(shown)):
        told = corpus.meanings.row(place) if corpus.meanings else ()
        typer.echo(f"{place + 1:>11,} {' '.join(corpus.utterance(place))}{' ← ' if told else ''}{', '.join(told)}")
