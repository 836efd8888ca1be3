"""The frames behind the ABX figures, cached by what they depend on: the files, their times, and the selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from backend.boards.recipe import Recipe
from backend.experiments.abx import arrays as abx_arrays
from backend.experiments.abx import correlations as abx_correlations
from backend.experiments.abx import queries as abx_queries
from backend.experiments.frames import Known, files_of, label_checkpoints
from backend.figures.abx import METRICS
from backend.models.entry import Checkpoint, Model
from pages.shared.abx.selection import Selection
from pages.widgets.figures import notebook
from pages.widgets.server import keyed
from pages.widgets.workspace import workspaces

__all__ = ["METRICS"]


def grid(selection: Selection) -> pd.DataFrame:
    """Mean over pairs, labelled: model, checkpoint, label, position, step, metric, layer, value, low, high, pairs, n."""
    found = _rows(abx_arrays.grid, selection, _fingerprints(selection.models, selection))
    return label_checkpoints(found[found["layer"].isin(selection.layers)], selection.known())


def by_language(selection: Selection, model: Model) -> pd.DataFrame:
    """Return each language's mean over its pairs and the chosen layers, labelled."""
    found = _rows(abx_arrays.by_language, selection, _fingerprints([model], selection), layers=selection.layers)
    return label_checkpoints(found, selection.known())


def by_language_and_layer(selection: Selection, fingerprint: str) -> pd.DataFrame:
    """Return each language's mean over its pairs at every layer of one checkpoint, labelled."""
    found = _rows(abx_queries.by_language_and_layer, selection, [fingerprint], only=True)
    return label_checkpoints(found, selection.known())


def pairs(selection: Selection, fingerprints: Sequence[str], layers: Sequence[int]) -> pd.DataFrame:
    """Return each pair's scores, mean over `layers`, labelled."""
    found = _rows(abx_arrays.pairs, selection, fingerprints, only=True, layers=tuple(layers))
    return label_checkpoints(found, selection.known())


def correlations(selection: Selection) -> pd.DataFrame:
    """Spearman and Pearson of language against meaning over the pairs, a row a checkpoint and statistic, labelled."""
    found = _rows(_correlations, selection, _fingerprints(selection.models, selection), layers=selection.layers)
    return label_checkpoints(found, selection.known())


def spread(selection: Selection) -> pd.DataFrame:
    """Standard deviations over subsamples, labelled: as `abx_queries.spread`."""
    found = _rows(abx_queries.spread, selection, _fingerprints(selection.models, selection))
    return label_checkpoints(found[found["layer"].isin(selection.layers)], selection.known())


def _correlations(
    files: list[Path],
    languages: tuple[str, ...],
    checkpoints: tuple[str, ...],
    layers: tuple[int, ...],
    pairs: tuple[tuple[str, str], ...] | None = None,
) -> pd.DataFrame:
    return abx_correlations.of_means(abx_arrays.pair_means(files, languages, checkpoints, layers, pairs))


def _fingerprints(models: Sequence[Model], selection: Selection) -> list[str]:
    return [checkpoint.fingerprint for model in models for checkpoint in selection.computed(model)]


def _rows(
    query: Callable[..., pd.DataFrame],
    selection: Selection,
    checkpoints: Sequence[str],
    *,
    only: bool = False,
    **arguments: Any,
) -> pd.DataFrame:
    """The rows of a query; with `only` from these checkpoints' files alone: opening all costs more than a small query."""
    served = selection.served
    shards = [served[fingerprint] for fingerprint in checkpoints] if only else served.values()
    files = sorted({(shard.path, shard.modified) for shard in shards})
    chosen = pairs_chosen(selection) | arguments
    return keyed.rows(query, files, languages=selection.languages, checkpoints=tuple(checkpoints), **chosen)


def pairs_chosen(selection: Selection) -> dict[str, Any]:
    """Return the argument `pairs` of the queries, where not all are looked at."""
    return {} if selection.pairs is None else {"pairs": selection.pairs}


def python(
    selection: Selection,
    query: Callable[..., pd.DataFrame],
    *steps: partial[pd.DataFrame],
    of: Sequence[tuple[Model, Checkpoint]] | None = None,
    through: Sequence[partial[pd.DataFrame]] = (),
    **arguments: Any,
) -> Recipe:
    """Return the rows of `query` (of `abx_queries`) again, labelled, and what `steps` make of them, in Python.

    `of` are the checkpoints, all computed ones where None; `through` is what happens before the rows are labelled;
    `arguments` are further ones of `query`.
    """
    known = coverage(selection) if of is None else selection.known(of)
    fingerprints = sorted({each[0] for each in known})
    return notebook.python(
        partial(files_of, workspaces=workspaces(), family="abx", shards=shards(selection, known)),
        partial(query, languages=list(selection.languages), checkpoints=fingerprints, **pairs_chosen(selection), **arguments),
        *through,
        partial(label_checkpoints, checkpoints=known),
        *steps,
    )


def coverage(selection: Selection) -> list[Known]:
    """Return what is known of the computed checkpoints."""
    return selection.known((model, each) for model in selection.models for each in selection.computed(model))


def shards(selection: Selection, known: Sequence[Known]) -> list[str]:
    """Return the names of the files that serve these checkpoints."""
    return sorted({selection.served[fingerprint].path.stem for fingerprint, *_ in known})
