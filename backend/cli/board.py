"""`isogloss board`: the boards of the workspace, and a board as a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.tables import table
from isogloss.backend.errors import StoreError, did_you_mean
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.experiments.words import count

app = typer.Typer(no_args_is_help=True, help="List boards, keep one as it is, and write the report of one.")


@app.command("list")
def list_boards() -> None:
    """The boards: title, id and how many figures and tables are on each."""
    from isogloss.backend.boards import board as kept

    boards = kept.boards(workspaces())
    rows = [(each.title, each.id, len(kept.open_board(workspaces(), each.id).pins)) for each in boards]
    typer.echo(table(rows, ["title", "id", "figures"]) if rows else "No board.")


@app.command("keep")
def keep(
    name: Annotated[str, typer.Argument(help="A board, by its title or the beginning of its id")],
    title: Annotated[str, typer.Option(help="What that day is called: 'Meeting of 3 March'")],
) -> None:
    """Keep a version of a board: its figures with the numbers of now, to open again when the scores are others.

    Example: board keep "Group meeting" --title "Meeting of 3 March"
    """
    from isogloss.backend.boards import versions

    kept = versions.keep(workspaces(), id_of(name), title)
    typer.echo(f"'{kept.title}' kept: {count(len(kept.pins), 'figure or text', 'figures and texts')}.")


@app.command("versions")
def list_versions(name: Annotated[str, typer.Argument(help="A board, by its title or the beginning of its id")]) -> None:
    """The versions of a board that were kept: title, id, day and how many figures and texts are in each."""
    from isogloss.backend.boards import versions

    kept = versions.versions(workspaces(), id_of(name))
    rows = [(each.title, each.id, f"{each.at:%Y-%m-%d %H:%M}", len(each.pins)) for each in kept]
    typer.echo(table(rows, ["title", "id", "kept (UTC)", "figures and texts"]) if rows else "No version.")


@app.command("report")
def report(
    name: Annotated[str, typer.Argument(help="A board, by its title or the beginning of its id")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .html file to read, or a .zip for a paper")],
    server: Annotated[str, typer.Option(help="Where links open")] = "http://127.0.0.1:8501",
    version: Annotated[str, typer.Option(help="As it was in this version, by its title or the beginning of its id")] = "",
) -> None:
    """Write a board as a web page that opens offline, or as a zip for a paper: each figure from the scores as they are now.

    Example: board report "Group meeting" -o meeting.html
    """
    from isogloss.backend.boards import board as kept
    from isogloss.backend.boards import versions
    from isogloss.backend.boards.parts import parts_of
    from isogloss.backend.boards.report import to_page, to_zip

    if output.suffix not in (".html", ".zip"):
        raise StoreError(f"'{output.name}' is neither .html nor .zip. Give the file one of these endings.")
    on = kept.open_board(workspaces(), id_of(name))
    for damaged in on.damaged:
        typer.echo(f"Left out: {damaged} cannot be read.", err=True)
    of_then = versions.called(workspaces(), on.board.id, version) if version else None
    on = of_then.opened() if of_then else on
    parts = parts_of(workspaces(), on, server, version=of_then)
    made = to_page(on.board.title, parts).encode() if output.suffix == ".html" else to_zip(on.board.title, parts)
    try:
        output.write_bytes(made)
    except OSError as error:
        raise StoreError(f"'{output}' cannot be written ({error.strerror}). Choose another place.") from error
    typer.echo(f"'{on.board.title}' written to {output}; figures and tables: {len(parts)}.")


def id_of(name: str) -> str:
    """Return the id of the board that people call `name`. Raises `StoreError` where there is none, or several."""
    from isogloss.backend.boards import board as kept

    boards = kept.boards(workspaces())
    matching = [each.id for each in boards if each.title == name] or [
        each.id for each in boards if name and each.id.startswith(name)
    ]
    if len(matching) > 1:
        raise StoreError(f"Several boards are called '{name}'. Use the beginning of an id: {', '.join(matching)}.")
    if not matching:
        hint = did_you_mean(name, [each.title for each in boards]) if boards else "Pin a figure on a page first."
        raise StoreError(f"There is no board '{name}'. {hint}")
    return matching[0]
