"""`isogloss emergent statistics`: what is said of corpora before any training, as the page's overview has it."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from isogloss.backend.cli.tables import write_frame
from isogloss.backend.experiments.named import emergent_named, workspaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from isogloss.backend.corpora.emergent.library import EmergentEntry

Distance = Literal["hamming", "euclidean", "cosine"]


def statistics(
    names: Annotated[list[str], typer.Argument(help="Corpora, by name or the beginning of an id; all if none is given")] = [],  # noqa: B006 — typer copies it
    shuffle: Annotated[
        Literal["within", "over"] | None, typer.Option(help="Of versions shuffled within utterances, or over the corpus")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffle")] = 0,
    distance: Annotated[
        Distance, typer.Option(help="Of meanings, for topographic similarity; all but the first are of numbers")
    ] = "hamming",
    normalised: Annotated[
        bool, typer.Option("--normalised", help="Divide edit distances by the length of the longer utterance")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a .csv or .parquet file")] = None,
) -> None:
    """Size, entropies, Zipf–Mandelbrot law and compression of corpora, a row each, and what calls for care.

    They are counted once and kept. Entropies and compression are in bits per token; `conditional` is the plug-in estimate, too
    low where tokens are few, `corrected` is without that bias. A dash: no power law fits, or no utterance has two symbols.
    Of corpora with meanings also topographic similarity and disentanglement, with intervals and what chance gives.

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
    measures = measures_of(entries, shuffle, distance, normalised=normalised)
    table = emergent_frames.overview(statistics_by_name, measures if len(measures) else None)
    if output is not None:
        write_frame(table, output)
    else:
        typer.echo(table.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4g}"))
    for row in emergent_frames.warnings(statistics_by_name).itertuples():
        typer.echo(f"{row.corpus}: {row.message}")
    _print(measures)


def measures_of(entries: Sequence[EmergentEntry], shuffle: str | None, distance: Distance, *, normalised: bool) -> pd.DataFrame:
    """Return how the utterances of corpora mirror their meanings, where they have any, a row a corpus and measure."""
    from isogloss.backend.experiments.emergent import meanings

    told = [entry for entry in entries if entry.meanings_id and not shuffle]
    for entry in told:
        meanings.measure(entry, workspaces(), distance, normalised=normalised)
    corpora = {entry.name: entry.id for entry in told}
    return meanings.measures_of(corpora, workspaces(), distance, normalised=normalised)


def _print(measures: pd.DataFrame) -> None:
    """Print each measure of meanings with its interval and what chance gives."""
    from isogloss.backend.experiments.emergent.meanings import MEASURES

    for row in measures.to_dict("records"):
        interval = f"{row['value']:.3f} (95% {row['low']:.3f} to {row['high']:.3f})"
        chance = f"meanings in a random order {row['chance']:.3f}, p = {row['p']:.2f}"
        said = "is not defined" if isnan(row["value"]) else f"{interval}; {chance}; {row['n']:,.0f} utterances"
        typer.echo(f"{row['corpus']}: {MEASURES[row['measure']]} {said}.")
