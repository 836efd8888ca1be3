"""`python -m backend scores`: read the scores, by SQL or by filters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.tables import write_frame
from backend.experiments.named import workspaces


def scores(
    sql: Annotated[str, typer.Option(help="A query over the view `scores`")] = "",
    experiment: Annotated[str, typer.Option(help="Only this family, such as abx")] = "",
    metric: Annotated[str, typer.Option(help="Only this metric, such as abx_meaning")] = "",
    model: Annotated[str, typer.Option(help="Only this model's")] = "",
    layer: Annotated[int | None, typer.Option(help="Only this layer's")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a .csv or .parquet file")] = None,
) -> None:
    """Print scores or write them to a file. A query reads the view `scores` and no file, and changes nothing.

    Columns: run, experiment, metric, model, checkpoint, step, layer, source, target, corpus, variant, seed, value, low, high,
    n, created_at, dictionary (the id of what paired the words, for scores of words). Example:

    scores --sql "SELECT step, layer, avg(value) FROM scores WHERE metric = 'abx_meaning' GROUP BY ALL ORDER BY ALL"
    """
    from backend.store import cache
    from backend.store.scores import sql as run_sql

    filters = {"experiment": experiment, "metric": metric, "model": model, "layer": layer}
    where = " AND ".join(f"{column} = {_literal(value)}" for column, value in filters.items() if value not in ("", None))
    ordered = "ORDER BY experiment, metric, model, step, layer, source, target, variant, seed, run"
    frame = run_sql(sql or f"SELECT * FROM scores {'WHERE ' + where if where else ''} {ordered}", workspaces())
    for _, why in cache.left_out(workspaces()):
        typer.echo(why, err=True)
    if output is None:
        typer.echo(frame.to_string(index=False, max_rows=200))
    else:
        write_frame(frame, output)


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
