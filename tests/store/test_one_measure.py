"""A measure read by its column of values is that of the whole file, and a file whose rows lie otherwise is read whole."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from footers import footer

from isogloss.backend.store import by_pair, cube, one_measure, scores, sums
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from pathlib import Path

TAGS = ("ar", "de", "en", "fi", "ja")
METRICS = ("abx_language", "abx_meaning")


def rows(directed: bool) -> list[dict[str, object]]:
    random = np.random.default_rng(5)
    pairs = list((itertools.permutations if directed else itertools.combinations)(TAGS, 2))
    once = {"run": "run", "experiment": "abx", "model": "m", "checkpoint": "one", "corpus": "c", "variant": "v", "n": 9}
    once |= {"created_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)}
    return [
        once | {"metric": metric, "layer": layer, "source": a, "target": b, "value": value, "low": value / 2, "high": 2 * value}
        for metric in METRICS
        for layer in (0, 3, 4)
        for a, b in pairs
        for value in [random.random()]
    ]


def write(workspace: Path, of: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch) -> Path:
    for module, name in ((by_pair, "WORTH"), (sums, "WORTH"), (one_measure, "LARGE"), (scores, "GROUP")):
        monkeypatch.setattr(module, name, 1 if name == "GROUP" else 0)
    return scores.write(workspace, "abx", "a" * 24, pa.Table.from_pylist(of, SCORES), footer("abx"))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("metric", METRICS)
def test_a_measure_is_that_of_the_file(tmp_path: Path, metric: str, directed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, rows(directed), monkeypatch)
    (whole,) = cube.cubes(path)
    monkeypatch.setattr(one_measure, "cubes", None)  # nothing else is decoded
    (found,) = one_measure.measure_of(path, metric, ("one",), bounds=False)
    at = whole.metrics.index(metric)
    assert (found.metrics, found.layers.tolist(), list(found.pairs)) == ((metric,), [0, 3, 4], list(whole.pairs))
    assert (found.experiment, found.checkpoint, found.corpus, found.variant, found.seed, found.created) == (
        *(whole.experiment, whole.checkpoint, whole.corpus, whole.variant, whole.seed, whole.created),
    )
    for name in ("value", "n"):
        np.testing.assert_array_equal(found.fields[name][0], whole.fields[name][at])


def test_what_cannot_be_told_by_its_place_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = rows(directed=False)
    lacking[7]["value"] = None
    for place, of in enumerate((rows(directed=False)[1:], lacking)):
        path = write(tmp_path / str(place), of, monkeypatch)
        assert one_measure._from_column(path, METRICS[0]) is None
    path = write(tmp_path / "other", rows(directed=False), monkeypatch)
    assert one_measure._from_column(path, METRICS[0]) is not None
    assert one_measure._from_column(path, "retrieval_top1") is None
    real = by_pair.ByPair.of_metric
    monkeypatch.setattr(by_pair.ByPair, "of_metric", lambda self, at: real(self, at)[::-1])  # pairs in another order
    assert one_measure._from_column(path, METRICS[0]) is None
    (found,) = one_measure.measure_of(path, METRICS[0], ("one",), bounds=False)
    (whole,) = cube.cubes(path)
    np.testing.assert_array_equal(found.fields["value"][0], whole.fields["value"][0])
