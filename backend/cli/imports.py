"""`isogloss import`: what others published, beside one's own workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.tables import table
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="Read the scores of atlases that others published beside your own.")


@app.command("atlas")
def atlas(
    site: Annotated[Path, typer.Argument(help="The folder of an atlas, with its index.html, or a zip of it")],
) -> None:
    """Keep the scores of an atlas beside your own, to read: every file is held against its checksum.

    Its models and corpora are on all pages then, without weights and texts. Example:

    import atlas site
    """
    from isogloss.backend.atlas import imported
    from isogloss.backend.atlas.zipped import take_zip

    own = settings().workspace
    kept = take_zip(site, own) if site.is_file() else imported.take(site, own)
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
