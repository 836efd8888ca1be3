"""Queries of translation scores against plain Python over the same rows."""

from __future__ import annotations

import datetime as dt
import statistics
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from isogloss.backend.experiments.translation import queries as translation_queries
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from pathlib import Path

WHERE = ("quick/aaaaaa", "t", "en>fr")


def write(workspace: Path, run: str, **changes: Any) -> None:
    row = {
        "run": run,
        "experiment": "emergent",
        "metric": "chrf",
        "model": "quick",
        "checkpoint": f"base-{run}",
        "source": "a",
        "target": "en>fr",
        "corpus": "t",
        "variant": "quick/full/aaaaaa",
        "seed": 0,
        "value": 1.0,
        "low": np.nan,
        "high": np.nan,
        "n": 9,
        "created_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    } | changes
    scores.write(workspace, "emergent", run, pa.Table.from_pylist([row], schema=SCORES), {})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Seeds 0 to 2 of one cell, one of them computed twice; another setting, metric, pair, corpus and options."""
    for seed, value in enumerate((10.0, 20.0, 60.0)):
        write(tmp_path, f"seed-{seed}", seed=seed, value=value, n=9 - seed)
    write(tmp_path, "old", value=99.0, created_at=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    write(tmp_path, "frozen", value=5.0, variant="quick/frozen/aaaaaa", created_at=dt.datetime(2027, 1, 1, tzinfo=dt.UTC))
    write(tmp_path, "bleu", metric="bleu", value=3.0)
    write(tmp_path, "none", source="none", checkpoint=None, value=2.0)
    write(tmp_path, "pair", target="en>de", value=77.0)
    write(tmp_path, "corpus", corpus="u", value=78.0)
    write(tmp_path, "options", variant="quick/full/bbbbbb", value=79.0)
    write(tmp_path, "cross", metric="cross_entropy", variant="quick/correct/aaaaaa", target="fi", value=5.5)
    return tmp_path


def test_a_cell_is_the_mean_over_the_newest_of_each_seed(workspace: Path) -> None:
    rows = translation_queries.translations([workspace, workspace], *WHERE).to_dict("records")
    found = {(row["source"], row["setting"], row["metric"]): row for row in rows}
    assert set(found) == {("a", "full", "chrf"), ("a", "frozen", "chrf"), ("a", "full", "bleu"), ("none", "full", "chrf")}
    cell = found["a", "full", "chrf"]
    assert (cell["value"], cell["deviation"]) == (30.0, pytest.approx(statistics.stdev([10, 20, 60])))
    assert (cell["seeds"], cell["n"]) == (3, 7)
    assert np.isnan(found["a", "frozen", "chrf"]["deviation"])


def test_groups_are_told_apart_the_newest_first(workspace: Path) -> None:
    rows = translation_queries.groups([workspace])
    found = [tuple(row) for row in rows[["options", "corpus", "pair", "sources", "settings", "seeds"]].itertuples(index=False)]
    assert found[0] == (*WHERE, 2, 2, 3)
    assert sorted(found[1:]) == [
        ("quick/aaaaaa", "t", "en>de", 1, 1, 1),
        ("quick/aaaaaa", "u", "en>fr", 1, 1, 1),
        ("quick/bbbbbb", "t", "en>fr", 1, 1, 1),
    ]


def test_runs_have_the_keys_of_what_is_kept(workspace: Path) -> None:
    rows = translation_queries.runs([workspace], *WHERE)
    assert rows["run"].tolist() == ["frozen", "seed-0", "seed-1", "seed-2", "none"]
    assert rows["base"].tolist()[:2] == ["base-frozen", "base-seed-0"]
    assert rows["base"].isna().tolist() == [False, False, False, False, True]


def test_without_files_there_are_columns(tmp_path: Path) -> None:
    assert translation_queries.groups([tmp_path]).columns.tolist() == list(translation_queries.GROUPS)
    assert translation_queries.translations([tmp_path], *WHERE).empty
    assert translation_queries.runs([tmp_path], *WHERE).empty
