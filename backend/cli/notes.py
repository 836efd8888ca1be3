"""`isogloss notes`: notes and tags on sentences, task rows and word pairs, as the pages list them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from isogloss.backend.cli.tables import write_frame
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.shared.kept import Entry
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments import sentence_notes
from isogloss.backend.experiments.named import one_named, workspaces
from isogloss.backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="List and write notes on sentences and word pairs.")

Data = Annotated[str, typer.Argument(help="A saved corpus, tagged corpus or task, by name or the beginning of its id")]


@app.command("list")
def list_notes(
    data: Data,
    tag: Annotated[str, typer.Option(help="Those with this tag alone")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a .csv or .parquet file")] = None,
) -> None:
    """The notes on what a corpus or task holds: what each is on, tags, text, who wrote it and when."""
    found = sentence_notes.read(workspaces(), _id(data))
    notes = [note for own in found.values() for note in own if not tag or tag in note.tags]
    rows = [
        {
            "on": " ".join(note.subject.of),
            "kind": note.subject.kind,
            "tags": sentence_notes.BETWEEN.join(note.tags),
            "note": note.text,
            "by": note.by,
            "at": note.at.isoformat(timespec="seconds"),
        }
        for note in notes
    ]
    frame = pd.DataFrame(rows, columns=["on", "kind", "tags", "note", "by", "at"])
    if output is not None:
        write_frame(frame, output)
    else:
        typer.echo(frame.to_string(index=False) if len(frame) else "No note.")


@app.command("add")
def add_note(
    data: Data,
    sentence: Annotated[str, typer.Argument(help="The id of a sentence, or of a task's row")],
    tag: Annotated[list[str], typer.Option(help="A tag; may be repeated")] = [],  # noqa: B006 — typer copies it
    text: Annotated[str, typer.Option(help="The note")] = "",
    by: Annotated[str, typer.Option(help="Who writes it")] = "",
) -> None:
    """Write a note on a sentence, beside those that it has.

    Example: notes add "Demo sentences" 12 --tag idiom --text "Needs the sentence before."
    """
    if not (tag or text.strip()):
        raise typer.BadParameter("Give --tag or --text.")
    note = sentence_notes.write(settings().workspace, sentence_notes.sentence(_id(data), sentence), tag, text, by=by)
    typer.echo(f"Saved ({note.id}).")


def _id(name: str) -> str:
    there = workspaces()
    entries: list[Entry] = [*corpora.entries(there), *tagged.entries(there), *tasks.entries(there)]
    several = f"Several are called '{name}'. Use the beginning of an id"
    none, add = f"There is no corpus or task '{name}'", "Import one with `corpus import`."
    return one_named(entries, name, several=several, none=none, add=add).id
