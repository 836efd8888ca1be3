"""Tables, sizes and what a reader left out, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from backend.corpora.parallel.corpus import Skipped


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


def print_left_out(warnings: Sequence[str], skipped: Sequence[Skipped], more: int, what: str = "lines") -> None:
    """Print what a reader found odd and left out; `more` are those beyond the ones listed."""
    for warning in warnings:
        typer.echo(f"Note: {warning}")
    for each in skipped:
        typer.echo(f"Left out: {each.file}, line {each.line}: {each.reason}")
    if more > 0:
        typer.echo(f"Left out: {more:,} more {what}.")
