"""The command line: the same powers as the pages, for a machine without a browser."""

from __future__ import annotations

import typer

from backend.cli import worker

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Isogloss on the command line: import corpora, add models, compute scores and read them.",
)
app.command("worker")(worker.work)
