"""What every import says and asks alike: what was left out, under which name the content is kept, and giving it another."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.cli.tables import print_left_out
from backend.corpora.shared import kept, loss
from backend.errors import CorpusError
from backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from backend.corpora.parallel.corpus import LeftOut
    from backend.corpora.shared.kept import Entry, Shelf
    from backend.corpora.shared.loss import Loss

DropBroken = Annotated[
    bool, typer.Option("--drop-broken", help=f"Go on where more than {loss.MOST_LOST:.0%} of a file's rows are left out")
]
"""Without it such an import stops, with a sentence."""
REMEDY = "Correct the file, or give --drop-broken to go on without them."


def stop_at_loss(losses: Sequence[Loss], *, drop_broken: bool, remedy: str = REMEDY) -> None:
    """Raise `CorpusError` with the files that lose too many rows, unless `drop_broken`."""
    if not drop_broken:
        loss.check(losses, remedy)


def tell(report: LeftOut, *, drop_broken: bool, what: str = "rows") -> None:
    """Print what a reader found odd and left out. Raises `CorpusError` where that is too much, unless `drop_broken`."""
    stop_at_loss(report.losses, drop_broken=drop_broken)
    print_left_out(report.warnings, report.skipped, report.more_skipped, what)


def said(facts: str, entry: Entry, wanted: str, group: str) -> None:
    """Print `facts` of what was read and the name under which it is kept: one that it had before, with how to change it."""
    typer.echo(f"{facts}, saved as '{entry.name}' ({entry.id}).")
    if wanted and entry.name != " ".join(wanted.split()):
        typer.echo(
            f"It was saved already, under this name; for another: python -m backend {group} rename "
            f"{shlex.quote(entry.name)} {shlex.quote(' '.join(wanted.split()))}"
        )


def add_rename(app: typer.Typer, named: Callable[[str], Any], shelf: Shelf[Any]) -> None:
    """Add the command `rename` to the commands of one kind. `named` finds an entry by its name or the beginning of its id."""

    @app.command("rename", help=f"Give a saved {shelf.kind} another name. What was computed from it and links to it stay.")
    def rename(
        name: Annotated[str, typer.Argument(help="Its name, or the beginning of its id")],
        new: Annotated[str, typer.Argument(help="What to call it from now on")],
    ) -> None:
        entry = named(name)
        workspace = settings().workspace
        if entry.id not in {own.id for own in shelf.entries([workspace])}:
            raise CorpusError(f"'{entry.name}' is part of the demo workspace,", remedy="which is read-only.")
        renamed = shelf.rename(entry.id, new, workspace)
        typer.echo(f"'{entry.name}' is now '{renamed.name}' ({renamed.id}).")


def add_remove(app: typer.Typer, named: Callable[[str], Any], shelf: Shelf[Any]) -> None:
    """Add the command `remove` to the commands of one kind. `named` finds an entry by its name or the beginning of its id."""

    @app.command("remove", help=f"Delete a saved {shelf.kind}. The scores computed from it stay.")
    def remove(name: Annotated[str, typer.Argument(help="Its name, or the beginning of its id")]) -> None:
        entry = named(name)
        if entry.id not in {own.id for own in shelf.entries([settings().workspace])}:
            raise CorpusError(f"'{entry.name}' is part of the demo workspace,", remedy="which is read-only.")
        shelf.remove(entry.id, settings().workspace)
        typer.echo(f"'{entry.name}' is no longer in the workspace.")


def default_name(files: Sequence[str]) -> str:
    """Return what some files are called together (`inputs.shared_name`), fit for a name."""
    from backend.corpora.shared.inputs import shared_name

    return "".join(c for c in shared_name(files) if c.isprintable())[: kept.MAX_NAME].strip()
