"""`isogloss import`: what others published, beside one's own workspace."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.cli.tables import table, write_frame
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from isogloss.backend.atlas.imported import Imported

app = typer.Typer(no_args_is_help=True, help="Read the scores of atlases that others published beside your own.")


@app.command("atlas")
def atlas(
    site: Annotated[Path, typer.Argument(help="The folder of an atlas, with its index.html, or a zip of it")],
) -> None:
    """Keep the scores of an atlas beside your own, to read: every file is held against its checksum.

    Its models and corpora are on all pages then, without weights and texts. Example:

    import atlas site
    """
    kept = _taken(site, settings().workspace)
    typer.echo(f"'{kept.title}' imported: {count(kept.files, 'file')} of scores. Its models are on all pages.")


@app.command("list")
def list_atlases() -> None:
    """The atlases that were imported: title, id, files of scores."""
    from isogloss.backend.atlas import imported

    rows = [(each.title, each.id, each.files) for each in imported.kept(settings().workspace)]
    typer.echo(table(rows, ["title", "id", "files"]) if rows else "No atlas.")


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="An atlas, by its title or the beginning of its id")]) -> None:
    """Remove an imported atlas; where it was published nothing changes."""
    from isogloss.backend.atlas import imported

    typer.echo(f"'{imported.remove(name, settings().workspace).title}' removed.")


@app.command("compare")
def compare(
    before: Annotated[Path, typer.Argument(help="The folder of an atlas, or a zip of it")],
    after: Annotated[Path | None, typer.Argument(help="Another; not given: your workspace")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="All rows, to a .csv, .json or .parquet file")] = None,
) -> None:
    """What changed from an atlas to another, or to your workspace: measure by measure, with what is new and what is gone.

    Neither is imported. Intervals are paired where both keep what each sentence contributes, else the widest that a difference
    can have; the output says which, and why. Example:

    import compare site-2024 site-2025 -o changes.csv
    """
    from isogloss.backend.atlas.changed import changes

    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        now = settings().workspace if after is None else _taken(after, Path(other)).folder
        found = changes([_taken(before, Path(one)).folder], [now])
    if output is not None:
        write_frame(found, output)
    shown = found[found["state"] != "same"]
    columns = [
        "state",
        "family",
        "model",
        "measure",
        "before",
        "after",
        "difference",
        "low",
        "high",
        "cells",
        "changed",
        "new",
        "gone",
    ]
    rows = [[f"{each:.4g}" if isinstance(each, float) else each for each in row] for row in shown[columns].to_numpy().tolist()]
    typer.echo(table(rows, columns) if rows else "Nothing changed.")
    for which, of in shown[shown["interval"] != ""].groupby("interval"):
        typer.echo(f"Intervals of {', '.join(dict.fromkeys(of['measure']))}: {which}.")
    typer.echo(f"{count(int((found['state'] == 'same').sum()), 'measure')} the same.")


def _taken(site: Path, workspace: Path) -> Imported:
    """Keep the scores of an atlas, a folder or a zip, in a workspace."""
    from isogloss.backend.atlas import imported
    from isogloss.backend.atlas.zipped import take_zip

    return take_zip(site, workspace) if site.is_file() else imported.take(site, workspace)
