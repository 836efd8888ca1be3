"""`isogloss publish`: results as a folder of static files that anybody can open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from isogloss.backend.atlas.site import Content


def publish(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write: new, or an atlas to replace")],
    board: Annotated[str, typer.Option(help="This board, by its title or the beginning of its id")] = "",
    model: Annotated[str, typer.Option(help="The scores of this model")] = "",
    title: Annotated[str, typer.Option(help="What the atlas is called; else the board, or the model")] = "",
    licence: Annotated[str, typer.Option(help="Of the numbers, such as CC-BY-4.0")] = "",
    author: Annotated[list[str] | None, typer.Option(help="Whom to cite; as often as there are people")] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Keep all digits of the scores to download: four times as large")
    ] = False,
    sentences: Annotated[
        bool, typer.Option("--sentences", help="Also confused sentences, of corpora whose licence allows it, credited")
    ] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Also the demo's scores")] = False,
) -> None:
    """Publish a board, a model or the workspace as an atlas: pages to walk through the scores, which open without a server.

    No path, no person's name and, without --sentences, no sentence of a corpus is in it but those you give. Example:

    publish --board "Paper" -o site --licence CC-BY-4.0
    """
    from isogloss.backend.atlas import publish as publishing
    from isogloss.backend.atlas.texts import refusal

    if board and model:
        raise SpecError("A board and a model are two atlases. Leave out --board or --model.")
    publishing.check_place(output.absolute())
    content = publishing.with_said(_content(board, model, demo), title, licence, author or [], exact=exact, sentences=sentences)
    if sentences and (stay := refusal(publishing.data_of(content))):
        typer.echo(stay)
    with typer.progressbar(length=1000, label="Publishing") as bar:
        told = 0

        def tell(share: float, _what: str) -> None:
            nonlocal told
            bar.update(int(1000 * share) - told)
            told = int(1000 * share)

        publishing.publish(content, workspaces(), output, tell)
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    figures = count(sum(not part.is_text for part in content.parts), "figure")
    typer.echo(f"'{content.title}' published in {output}: {figures}, {count(len(content.grids), 'grid')}, {size / 1e6:.1f} MB.")


def _content(board: str, model: str, demo: bool) -> Content:
    from isogloss.backend.atlas import publish as publishing
    from isogloss.backend.cli.board import id_of

    if board:
        return publishing.of_board(workspaces(), id_of(board))
    places = workspaces() if demo or model else [settings().workspace]
    return publishing.of_models(places, model or None)
