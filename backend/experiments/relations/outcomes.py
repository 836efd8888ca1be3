"""Outcomes of elsewhere as measures of models: whose they are, and their numbers as squares of languages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.covariates.outcome import SHARES
from isogloss.backend.experiments.relations.catalogue import Available, OfModel
from isogloss.backend.experiments.relations.reading import Question, Scored
from isogloss.backend.files import digest
from isogloss.backend.metrics.intervals import Z95, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from isogloss.backend.corpora.covariates.library import CovariatesEntry
    from isogloss.backend.corpora.covariates.outcome import Cell, Outcome
    from isogloss.backend.models.entry import Checkpoint, Model

EXPERIMENT = "outcome"
"""In place of an experiment: the numbers lie on the Library's shelf of covariates."""
LEAST_OF_COMMIT = 7
"""Digits that a shortened commit has at least."""


def owner(outcome: Outcome, models: Sequence[Model]) -> tuple[Model, Checkpoint] | None:
    """Return the kept checkpoint that an outcome is of; None where none is.

    By the Hub id and revision (a commit may be shortened), or by the name of the model. Without a revision it is the checkpoint
    that was added without one, or as `main`; of a model chosen by its name the last.
    """
    for model in models:
        for each in model.checkpoints:
            if each.source != "hub" or each.untrained is not None or each.location.lower() != outcome.model.lower():
                continue
            if _is_revision(outcome.revision, each):
                return model, each
    named = next((model for model in models if outcome.model in (model.name, *model.formerly)), None)
    if named is None:
        return None
    said = [each for each in named.checkpoints if outcome.revision and _is_revision(outcome.revision, each)]
    return (named, said[-1]) if said else None if outcome.revision else (named, named.checkpoints[-1])


def _is_revision(revision: str, checkpoint: Checkpoint) -> bool:
    if not revision:
        return checkpoint.revision in (None, "main")
    shortened = len(revision) >= LEAST_OF_COMMIT and (checkpoint.commit or "").startswith(revision)
    return revision == checkpoint.revision or shortened


def strangers(found: Iterable[Outcome], models: Sequence[Model]) -> list[str]:
    """Return whose outcomes no kept model has, each with its revision."""
    unknown = [each for each in found if owner(each, models) is None]
    return list(dict.fromkeys(f"{each.model}@{each.revision}" if each.revision else each.model for each in unknown))


def available(entries: Sequence[CovariatesEntry], models: Sequence[Model]) -> list[tuple[Outcome, Available]]:
    """Return every outcome as a measure that models have: those of one task, metric, unit and setting are one.

    A model that has two of them, of two tables, has the second in a variant of its own, which names the table.
    """
    found: dict[tuple[str, ...], tuple[Outcome, list[tuple[CovariatesEntry, OfModel]]]] = {}
    for entry in entries:
        for outcome in entry.outcomes.values():
            own = _of_model(entry, outcome, models)
            key = (outcome.key, outcome.unit, outcome.better, outcome.setting)
            _, several = found.setdefault(key, (outcome, []))
            if any(other.model == own.model for _, other in several):
                _, several = found.setdefault((*key, entry.id), (outcome, []))
            several.append((entry, own))
    return [(outcome, _as_available(outcome, key, several)) for key, (outcome, several) in found.items()]


def _as_available(outcome: Outcome, key: tuple[str, ...], several: Sequence[tuple[CovariatesEntry, OfModel]]) -> Available:
    names = sorted({tag for entry, _ in several for tag in entry.languages})
    again = [f"table {several[0][0].name}"] if len(key) > 4 else []
    return Available(
        experiment=EXPERIMENT,
        metric=outcome.key,
        corpus=None,
        variant="/".join(filter(None, [outcome.setting.replace("/", " "), *again])) or None,
        models=tuple(own for _, own in several),
        layers=(),
        own_scores=len(names),
        others=False,
        directed=False,
        scores=len(names),
        names=tuple(names),
    )


def _of_model(entry: CovariatesEntry, outcome: Outcome, models: Sequence[Model]) -> OfModel:
    """Return the one checkpoint that an outcome is of; where no kept model has it, one that is known by the file's words."""
    owned = owner(outcome, models)
    if owned is not None:
        model, checkpoint = owned
        own = OfModel(model.name, (checkpoint.fingerprint,), (checkpoint.label,), (checkpoint.step,), series=True)
    else:
        revision = f"@{outcome.revision[:12]}" if outcome.revision else ""
        key = digest({"model": outcome.model, "revision": outcome.revision})
        own = OfModel(f"{outcome.model}{revision}", (key,), (outcome.revision or "as published",), (None,), series=True)
    return OfModel(own.model, own.checkpoints, own.labels, own.steps, own.series, table=f"{entry.id} {outcome.column}")


def interval(value: float, cell: Cell, outcome: Outcome) -> tuple[float, float, str]:
    """Return the 95% interval of an outcome's number and how it was made; nan and no words where nothing is known of its error.

    Wilson's from n for a share of right answers (of percent, in percent), which needs no error and holds at 0 and 1; else value
    ± 1.96 standard errors, not cut off.
    """
    whole = 100.0 if outcome.unit == "percent" else 1.0
    if cell.n and outcome.unit != "as written" and SHARES.fullmatch(outcome.metric.lower()) and 0 <= value <= whole:
        low, high = wilson_interval(value / whole, cell.n)
        return float(low) * whole, float(high) * whole, "Wilson interval"
    if cell.error is None or cell.error < 0:
        return float("nan"), float("nan"), ""
    return value - Z95 * cell.error, value + Z95 * cell.error, "interval of ± 1.96 standard errors"


def numbers(of: Scored, workspaces: Sequence[Path]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the languages of an outcome and its numbers as a square [n, n], each language's with itself."""
    rows = _rows(str(of.corpus), tuple(workspaces))
    square = np.full((len(rows), len(rows)), np.nan)
    np.fill_diagonal(square, rows["value"].to_numpy(np.float64))
    return tuple(rows["language"]), square


def with_sources(rows: pd.DataFrame, question: Question, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Return the rows of a question of languages with `_low`, `_high`, `_n` and `_source` of each outcome in it."""
    for name, reading in question.readings.items():
        if question.unit == "language" and isinstance(reading.of, Scored) and reading.of.experiment == EXPERIMENT:
            own = _rows(str(reading.of.corpus), tuple(workspaces)).drop(columns="value").set_index("language")
            own = own.add_prefix(f"{name}_")
            if not {*own.columns} & {*rows.columns}:
                rows = rows.join(own, on="language")
    return rows


@lru_cache(maxsize=64)
def _rows(table: str, workspaces: tuple[Path, ...]) -> pd.DataFrame:
    """Return a row a language of a column: value, low, high, n, source. `table` is the table's id and the column."""
    entry_id, _, column = table.partition(" ")
    kept = covariates.load(entry_id, workspaces)
    rows = []
    for tag, value in sorted(kept.column(column).items()):
        cell = kept.cells[column][tag]
        low, high, how = interval(value, cell, kept.outcomes[column])
        rows.append((tag, value, low, high, cell.n, " · ".join(filter(None, (cell.source, how)))))
    frame = pd.DataFrame(rows, columns=["language", "value", "low", "high", "n", "source"])
    return frame.astype({"value": float, "low": float, "high": float, "n": float})
