"""`isogloss scores`: read the scores, by SQL or by filters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.cli.tables import write_frame
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.named import corpus_names, workspaces
from isogloss.backend.experiments.words import count
from isogloss.backend.files import publish_text
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.backend.experiments.evaluations.files import Form


def scores(
    sql: Annotated[str, typer.Option(help="A query over the view `scores`: your own and the demo's")] = "",
    experiment: Annotated[str, typer.Option(help="Only this family, such as abx")] = "",
    metric: Annotated[str, typer.Option(help="Only this metric, such as abx_meaning")] = "",
    model: Annotated[str, typer.Option(help="Only this model's")] = "",
    layer: Annotated[int | None, typer.Option(help="Only this layer's")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Also the demo's")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a .csv or .parquet file")] = None,
    every_eval: Annotated[
        Path | None, typer.Option("--every-eval-ever", help="Write a JSON file a checkpoint into this folder, by that schema")
    ] = None,
    eval_results: Annotated[
        Path | None, typer.Option("--eval-results", help="Write means as MODEL/.eval_results/*.yaml into this folder")
    ] = None,
    dataset: Annotated[str, typer.Option(help="Of --eval-results: Hub id of what your corpora are, where not from there")] = "",
) -> None:
    """Print your own scores or write them to a file. A query reads the view `scores` and no file, and changes nothing.

    Columns: run, experiment, metric, model, checkpoint, step, layer, source, target, corpus, variant, seed, value, low, high,
    n, created_at, dictionary (the id of what paired the words, for scores of words); without a query also model_name and
    corpus_name, as they are called now. Example:

    scores --sql "SELECT step, layer, avg(value) FROM scores WHERE metric = 'abx_meaning' GROUP BY ALL ORDER BY ALL"
    """
    from isogloss.backend.store import cache
    from isogloss.backend.store.scores import sql as run_sql

    if sql and (every_eval or eval_results):
        raise SpecError("A query's columns may be any. Leave out --sql to write evaluations.")
    places = workspaces() if sql or demo else [settings().workspace]
    names = {} if sql else _models()
    filters = {"experiment": experiment, "metric": metric, "layer": layer}
    wanted = [f"{column} = {_literal(value)}" for column, value in filters.items() if value not in ("", None)]
    if model:  # its scores have the name that it had when they were computed
        of_model = ", ".join(_literal(fingerprint) for fingerprint, name in names.items() if name == model)
        wanted.append(f"(model = {_literal(model)}" + (f" OR checkpoint IN ({of_model}))" if of_model else ")"))
    ordered = "ORDER BY experiment, metric, model, step, layer, source, target, variant, seed, run"
    frame = run_sql(sql or f"SELECT * FROM scores {'WHERE ' + ' AND '.join(wanted) if wanted else ''} {ordered}", places)
    if not sql:
        frame = _with_names(frame, names)
    for _, why in cache.left_out(places):
        typer.echo(why, err=True)
    if frame.empty and len(places) < len(workspaces()):
        typer.echo("None of your own. --demo reads the demo's, too.", err=True)
    if every_eval is not None:
        _write_evaluations(frame, every_eval, "every_eval_ever")
    if eval_results is not None:
        _write_evaluations(frame, eval_results, "eval_results", dataset)
    if every_eval or eval_results:
        return
    if output is None:
        typer.echo(frame.to_string(index=False, max_rows=200))
    else:
        write_frame(frame, output)


def _write_evaluations(frame: pd.DataFrame, folder: Path, form: Form, dataset: str = "") -> None:
    from isogloss.backend.experiments.evaluations.files import files

    made = files(frame, workspaces(), form, dataset)
    for name, text in made.items():
        publish_text(folder / name, text)
    typer.echo(f"{count(len(made), 'file')} written to {folder}.")


def _models() -> dict[str, str]:
    """Return fingerprint → the name of the model that has this checkpoint, the user's own before the demo's."""
    of_demo, own = models.entries(workspaces()[1:]), models.entries(workspaces()[:1])
    return {checkpoint.fingerprint: each.name for each in (*of_demo, *own) for checkpoint in each.checkpoints}


def _with_names(frame: pd.DataFrame, models_by_fingerprint: dict[str, str]) -> pd.DataFrame:
    """Add what models and corpora are called now; one that is forgotten keeps its last name, or none."""
    return frame.assign(
        model_name=frame["checkpoint"].map(models_by_fingerprint).fillna(frame["model"]),
        corpus_name=frame["corpus"].map(corpus_names()),
    )


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
