"""`isogloss cache`: what takes space, whether it is whole, and removing it."""

from __future__ import annotations

from typing import Annotated

import typer

from isogloss.backend.cli.tables import size, table
from isogloss.backend.corpora import kinds
from isogloss.backend.settings import settings
from isogloss.backend.store import cache, quarantine

app = typer.Typer(no_args_is_help=False, help="List what takes space, check every file, remove what is asked for.")


@app.callback(invoke_without_command=True)
def usage(context: typer.Context) -> None:
    """Without a command: what takes space in the workspace."""
    if context.invoked_subcommand is None:
        workspace = settings().workspace
        typer.echo(f"Workspace {workspace}")
        typer.echo(table([(use.kind, use.files, size(use.size)) for use in cache.usage(workspace)], ["kind", "files", "size"]))


@app.command()
def check() -> None:
    """Read every file whole; set damaged ones aside (they are computed again when next asked for)."""
    count, problems = cache.check(settings().workspace)
    kept, damaged = kinds.check(settings().workspace)
    count, problems = count + kept, problems + damaged
    for problem in problems:
        typer.echo(problem)
    for note in quarantine.notes(settings().workspace):
        typer.echo(f"in quarantine since {note['at'][:19]}: {note['file']}")
    typer.echo(f"{count} files read, {len(problems)} damaged.")
    if problems:
        raise typer.Exit(1)


@app.command()
def remove(
    kind: Annotated[str, typer.Argument(help="embeddings, scores, training … as `cache` lists them")],
    sure: Annotated[bool, typer.Option("--sure", help="Also what people brought or wrote.")] = False,
) -> None:
    """Remove everything of one kind; of training and uploads what nobody has in hand."""
    typer.echo(f"{size(cache.remove(settings().workspace, kind, sure=sure))} freed.")
