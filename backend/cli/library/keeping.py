"""The commands of every kind of data: `import`, `list`, `show`, `rename` and `remove`, made of its declaration."""

from __future__ import annotations

import re
import shlex
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from isogloss.backend.cli.tables import print_left_out, table
from isogloss.backend.corpora.guess import other_kind
from isogloss.backend.corpora.shared import kept, loss
from isogloss.backend.corpora.shared.formats import words_of
from isogloss.backend.corpora.shared.inputs import InputFile, shared_name
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.command import with_options
from isogloss.backend.experiments.named import named, workspaces
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from isogloss.backend.corpora.shared.kept import Entry, KindName
    from isogloss.backend.corpora.shared.kind import Kind
    from isogloss.backend.corpora.shared.loss import Loss

E = TypeVar("E", bound=kept.Entry)
C = TypeVar("C")
Known = Annotated[str, typer.Argument(help="Its name, or the beginning of its id")]
Name = Annotated[str, typer.Option(help="What to call it; by its files or data set if not given")]
Licence = Annotated[str, typer.Option(help="Its licence, such as CC-BY-4.0")]
DropBroken = Annotated[
    bool, typer.Option("--drop-broken", help=f"Go on where more than {loss.MOST_LOST:.0%} of a file's rows are left out")
]
"""Without it such an import stops, with a sentence."""
REMEDY = "Correct the file, or give --drop-broken to go on without them."


def commands(kind: Kind[E, C], *, show: bool = True) -> typer.Typer:
    """Make the commands of a kind that need its declaration alone; without `show` where it has one that shows more."""
    app = typer.Typer(no_args_is_help=True, help=kind.about)
    stays = f" The scores computed {kind.scored} it stay." if kind.scored else ""

    @app.command("list", help=f"The kept {kind.several}: {', '.join(['name', 'id', *kind.columns])}.")
    def list_kept() -> None:
        rows = [(e.name, e.id, *(cell(e) for cell in kind.columns.values())) for e in kind.entries(workspaces())]
        typer.echo(table(rows, ["name", "id", *kind.columns]))

    if show:

        @app.command("show", help=f"What is known of a saved {kind.name}, and what its reader left out.")
        def show_kept(name: Known) -> None:
            entry = named(kind, name)
            typer.echo(f"{entry.name} ({entry.id}): {kind.summary(entry)}.")
            if entry.licence:
                typer.echo(f"Licence: {entry.licence}")
            print_left_out(entry.warnings, entry.skipped_rows, entry.more_skipped, kind.rows)

    @app.command("rename", help=f"Give a saved {kind.name} another name. What was computed from it and links to it stay.")
    def rename(name: Known, new: Annotated[str, typer.Argument(help="What to call it from now on")]) -> None:
        entry = _own(kind, name)
        renamed = kind.rename(entry.id, new, settings().workspace)
        typer.echo(f"'{entry.name}' is now '{renamed.name}' ({renamed.id}).")

    @app.command("remove", help=f"Delete a saved {kind.name}.{stays}")
    def remove(name: Known) -> None:
        entry = _own(kind, name)
        kind.remove(entry.id, settings().workspace)
        typer.echo(f"'{entry.name}' is no longer in the workspace.")

    return app


def _own(kind: Kind[E, Any], name: str) -> E:
    """Return an entry of the user's. Raises `SpecError` where there is none, `CorpusError` where it is the demo's."""
    entry = named(kind, name)
    if entry.id not in {own.id for own in kind.entries([settings().workspace])}:
        raise CorpusError(f"'{entry.name}' is part of the demo workspace,", remedy="which is read-only.")
    return entry


def importing(
    app: typer.Typer, kind: Kind[E, C], command: str = "import"
) -> Callable[[Callable[..., tuple[C, str]]], Callable[..., None]]:
    """Make a command of a function that reads content, with options of its own, and returns it with the name to suggest.

    What every import asks is added to them: a name, a licence, and whether to go on without broken rows.
    """

    def add(read: Callable[..., tuple[C, str]]) -> Callable[..., None]:
        @wraps(read)
        def run(*, name: str, licence: str, drop_broken: bool, **options: Any) -> None:
            content, suggested = read(**options)
            tell_elsewhere(kind.name, options.values())
            keep(kind, content, name or suggested, licence=licence, drop_broken=drop_broken)

        run.__doc__ = f"{read.__doc__}\n\n{reads(kind)}" if command == "import" else read.__doc__
        common = {"name": (Name, ""), "licence": (Licence, ""), "drop_broken": (DropBroken, False)}
        app.command(command)(with_options(run, read, common))
        return run

    return add


def tell_elsewhere(kind: KindName, given: Iterable[Any]) -> None:
    """Print a line for the files among an import's options that are surely of another kind, and the command for them."""
    paths = [each for value in given for each in (value if isinstance(value, list) else [value]) if isinstance(each, Path)]
    for path in filter(Path.is_file, paths):
        with path.open("rb") as file:
            other = other_kind(kind, path.name, file)
        if other is not None:
            command = f"isogloss {other.partition(' ')[0]} import"
            a = "an" if other[0] in "ae" else "a"
            typer.echo(f"Note: {path.name} is {a} {other} by its first lines; `{command}` reads it as one.", err=True)


def reads(kind: Kind[Any, Any]) -> str:
    """Name the formats of a kind, each with what it looks like, as plain text."""
    note = re.sub(r"`|(?<!\S)\*(?=\w+\*)|(?<=\w)\*(?!\S)", "", kind.formats_note)
    return f"Reads {words_of(kind.formats)}. {note}"


def keep(kind: Kind[E, C], content: C, called: str, *, licence: str = "", drop_broken: bool = False) -> E:
    """Keep what was read; print what its reader recognised, found odd and left out, and the name under which it is kept.

    Raises `CorpusError` where too much of it would be left out, unless `drop_broken`.
    """
    report = kind.report(content)
    print_left_out(report.warnings, [], 0)
    stop_at_loss(report.losses, drop_broken=drop_broken)
    print_left_out([], report.skipped, report.more_skipped, kind.rows)
    recognised = kind.summary(kind.described(content, called))
    entry = kind.keep(content, called, settings().workspace, licence=licence or None)
    report_kept(recognised, entry, called, kind.group)
    return entry


def stop_at_loss(losses: Sequence[Loss], *, drop_broken: bool, remedy: str = REMEDY) -> None:
    """Raise `CorpusError` with the files that lose too many rows, unless `drop_broken`."""
    if not drop_broken:
        loss.check(losses, remedy)


def report_kept(facts: str, entry: Entry, wanted: str, group: str) -> None:
    """Print `facts` of what was read and the name under which it is kept: one that it had before, with how to change it."""
    typer.echo(f"{facts}, saved as '{entry.name}' ({entry.id}).")
    if wanted and entry.name != " ".join(wanted.split()):
        typer.echo(
            f"It was saved already, under this name; for another: isogloss {group} rename "
            f"{shlex.quote(entry.name)} {shlex.quote(' '.join(wanted.split()))}"
        )


def default_name(files: Sequence[Path]) -> str:
    """Return what some files are called together (`inputs.shared_name`), fit for a name."""
    called = shared_name([file.as_posix() for file in files])
    return "".join(c for c in called if c.isprintable())[: kept.MAX_NAME].strip()


def file_at(path: Path) -> InputFile:
    """Return a file of the command line. Raises `CorpusError` where there is none."""
    if not path.is_file():
        raise CorpusError(f"There is no file '{path.name}'.", remedy="Give the path of a file.")
    return InputFile(path.name, path)


def files_at(paths: Sequence[Path], *, deep: bool = True) -> list[InputFile]:
    """Return the files at some paths and in folders (`deep`: and in theirs), named as an archive names its members.

    Raises `CorpusError` for a path at which there is nothing.
    """
    inputs = []
    for path in paths:
        if not path.exists():
            raise CorpusError(f"There is no file '{path.name}'.", remedy="Give the path of a file or a folder.")
        # A folder's name may say the language of its files, as an archive's does.
        inside = sorted(each for each in path.glob("**/*" if deep else "*") if each.is_file()) if path.is_dir() else []
        inputs += [InputFile(each.relative_to(path).as_posix(), each) for each in inside if not each.name.startswith(".")]
        inputs += [InputFile(path.name, path)] if path.is_file() else []
    return inputs
