"""Tables, sizes and what a reader left out, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

from isogloss.backend.corpora.parallel.corpus import Skipped


def table(rows: Sequence[Sequence[object]], header: Sequence[str]) -> str:
    """Aligned columns."""
    lines = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)


def size(count: float) -> str:
    """Bytes for people."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def write_frame(frame: pd.DataFrame, output: Path) -> None:
    """Write a frame to a .csv, .json or .parquet file.

    Raises `StoreError` for another ending, and where it cannot be written.
    """
    rows = "1 row" if len(frame) == 1 else f"{len(frame)} rows"
    try:
        match output.suffix:
            case ".csv":
                frame.to_csv(output, index=False)
            case ".json":
                frame.to_json(output, orient="records", indent=1, double_precision=15)
            case ".parquet":
                frame.to_parquet(output, index=False)
            case _:
                raise StoreError(f"'{output.name}' is neither .csv, .json nor .parquet. Give the file one of these endings.")
    except OSError as error:
        raise StoreError(f"'{output}' cannot be written ({error.strerror}). Choose another place.") from error
    typer.echo(f"{rows} written to {output}.")


def print_left_out(warnings: Sequence[str], skipped: Sequence[Skipped], more: int, what: str = "lines") -> None:
    """Print what a reader found odd and left out; `more` are those beyond the ones listed."""
    for warning in warnings:
        typer.echo(f"Note: {warning}")
    for each in skipped:
        typer.echo(f"Left out: {each.file}, line {each.line}: {each.reason}")
    if more > 0:
        typer.echo(f"Left out: {more:,} more {what}.")
