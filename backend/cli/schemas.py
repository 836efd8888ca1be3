"""`isogloss schemas`: the JSON schemas of all specifications and of the table of scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def schemas(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write each to a file of this folder, which is made where it is not there"),
    ] = None,
) -> None:
    """Print the JSON schema of every specification by its `experiment`, and of a row of the table of scores as `scores`.

    Example: schemas -o schemas
    """
    from isogloss.backend.public.schemas import schemas as every

    found = every()
    if output is None:
        typer.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    output.mkdir(parents=True, exist_ok=True)
    for name, schema in found.items():
        text = json.dumps(schema, indent=1, ensure_ascii=False)
        (output / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    typer.echo(f"{len(found)} schemas are in {output}")
