"""`isogloss emergent statistics`: what is said of corpora before any training, as the page's overview has it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.backend.cli.tables import write_frame
from isogloss.backend.experiments.named import emergent_named, workspaces


def statistics(
    names: Annotated[list[str], typer.Argument(help="Corpora, by name or the beginning of an id; all if none is given")] = [],  # noqa: B006 — typer copies it
    shuffle: Annotated[
        Literal["within", "over"] | None, typer.Option(help="Of versions shuffled within utterances, or over the corpus")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffle")] = 0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a .csv or .parquet file")] = None,
) -> None:
    """Size, entropies, Zipf–Mandelbrot law and compression of corpora, a row each, and what calls for care.

    They are counted once and kept. Entropies and compression are in bits per token; `conditional` is the plug-in estimate, too
    low where tokens are few, `corrected` is without that bias. A dash: no power law fits, or no utterance has two symbols.

    Example: emergent statistics "My language" Random -o statistics.csv
    """
    from isogloss.backend.corpora.emergent import library as emergent_library
    from isogloss.backend.experiments.emergent import frames as emergent_frames
    from isogloss.backend.experiments.emergent import statistics as emergent_statistics

    entries = [emergent_named(name) for name in names] or emergent_library.readable(workspaces())
    if not entries:
        typer.echo("No emergent corpus is saved. Import one with `emergent import`.")
        return
    statistics_by_name = {
        entry.name: emergent_statistics.statistics(entry.id, workspaces(), shuffle, seed) for entry in entries
    }
    table = emergent_frames.overview(statistics_by_name)
    if output is not None:
        write_frame(table, output)
    else:
        typer.echo(table.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4g}"))
    for row in emergent_frames.warnings(statistics_by_name).itertuples():
        typer.echo(f"{row.corpus}: {row.message}")
