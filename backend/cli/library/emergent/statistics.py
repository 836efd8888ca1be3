"""`python -m backend emergent statistics`: what is said of corpora before any training, as the page's overview has it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from backend.experiments.named import emergent_named, workspaces


def statistics(
    names: Annotated[list[str], typer.Argument(help="Corpora, by name or the beginning of an id; all if none is given")] = [],  # noqa: B006 — typer copies it
    shuffle: Annotated[
        Literal["within", "over"] | None, typer.Option(help="Of versions shuffled within utterances, or over the corpus")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffle")] = 0,
) -> None:
    """Size, entropies, Zipf–Mandelbrot law and compression of corpora, a row each, and what calls for care.

    They are counted once and kept. Entropies and compression are in bits a token; alpha and beta are left out where no power
    law fits. Example: emergent statistics "My language" Random
    """
    from backend.corpora.emergent import library as emergent_library
    from backend.experiments.emergent import frames as emergent_frames
    from backend.experiments.emergent import statistics as emergent_statistics

    entries = [emergent_named(name) for name in names] or emergent_library.readable(workspaces())
    if not entries:
        typer.echo("No emergent corpus is kept. Import one with `emergent import`.")
        return
    found = {entry.name: emergent_statistics.statistics(entry.id, workspaces(), shuffle, seed) for entry in entries}
    table = emergent_frames.overview(found)
    typer.echo(table.to_string(index=False, na_rep="", float_format=lambda value: f"{value:.4g}"))
    for row in emergent_frames.warnings(found).itertuples():
        typer.echo(f"{row.corpus}: {row.message}")
