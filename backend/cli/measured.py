"""The measures of the table of scores, as `isogloss relations` names them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.cli.tables import table, write_frame
from isogloss.backend.experiments.named import corpus_names, workspaces

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.backend.corpora.covariates.outcome import Better
    from isogloss.backend.experiments.relations.catalogue import Available

Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to a .csv, .json or .parquet file")]


def listed() -> list[Available]:
    """List every measure that something is computed of, and the outcomes of elsewhere."""
    from isogloss.backend.corpora.covariates import library as covariates
    from isogloss.backend.experiments.relations import catalogue, cubes, outcomes
    from isogloss.backend.models.library import library

    models = library.entries(workspaces())
    known = [
        (each.fingerprint, model.name, each.label, each.step, place)
        for model in models
        for place, each in enumerate(model.checkpoints)
    ]
    elsewhere = outcomes.available(covariates.entries(workspaces()), models)
    return catalogue.catalogue(cubes.files_of(workspaces()), known) + [each for _, each in elsewhere]


def better(name: str) -> Better:
    """Return which values of a measure, or of an outcome of elsewhere, are good."""
    from isogloss.backend.corpora.covariates import library as covariates
    from isogloss.backend.experiments.registry import MEASURES

    if name in MEASURES:
        return MEASURES[name].better
    found = (outcome for entry in covariates.entries(workspaces()) for outcome in entry.outcomes.values())
    return next((outcome.better for outcome in found if outcome.key == name), "neither")


def model_names() -> set[str]:
    """Return the models that have scores."""
    return {own.model for each in listed() for own in each.models}


def variant(each: Available) -> str:
    """Return a measure's variant and corpus in words, by which it is named after an @."""
    names = corpus_names()
    corpus = names.get(each.corpus, each.corpus[:6]) if each.corpus else "no corpus"
    return f"{each.variant or 'one variant'}, {corpus}"


def show(shown: pd.DataFrame, rows: pd.DataFrame, output: Path | None) -> None:
    """Print the rows, or write them to a file as the page exports them."""
    if output is not None:
        write_frame(rows, output)
        return
    cells = [[f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row] for row in shown.itertuples(index=False)]
    typer.echo(table(cells, list(map(str, shown.columns))))
