"""`isogloss.scores`: each filter takes what pandas would, names are those of now, and a name that is none is said."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import isogloss
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES
from tests.footers import footer
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo, and an empty workspace of one's own."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return tmp_path


@pytest.fixture(scope="module")
def every() -> pd.DataFrame:
    return isogloss.scores(workspace=DEMO)


def test_every_score_of_the_files_is_there_once(every: pd.DataFrame) -> None:
    files = [pd.read_parquet(path) for path in (DEMO / "scores").rglob("*.parquet")]
    assert len(every) == sum(map(len, files))
    columns = ["metric", "layer", "source", "target", "value", "run"]
    there = pd.concat(files)[columns].astype({"layer": "Int16"})
    both = [frame.sort_values(columns, ignore_index=True) for frame in (there, every[columns])]
    pd.testing.assert_frame_equal(*both, check_dtype=False)
    assert {MLM, CONTRAST} <= set(every["model"])
    assert "checkpoint-2000" in set(every["checkpoint"])
    assert "Demo sentences" in set(every["corpus"])
    assert {column.name for column in SCORES} - {"checkpoint"} <= set(every.columns)


FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({"measure": "abx_meaning"}, lambda f: f["metric"] == "abx_meaning"),
    ({"measure": ["abx_meaning", "probe_accuracy"]}, lambda f: f["metric"].isin(["abx_meaning", "probe_accuracy"])),
    ({"layers": [0, 3]}, lambda f: f["layer"].isin([0, 3])),
    ({"layers": range(2)}, lambda f: f["layer"].isin([0, 1])),
    ({"languages": ["de", "zh"]}, lambda f: f["source"].isin(["de", "zh"]) & f["target"].isin(["de", "zh"])),
    ({"checkpoint": "checkpoint-600"}, lambda f: f["checkpoint"] == "checkpoint-600"),
    ({"checkpoint": [0, "checkpoint-600"]}, lambda f: (f["step"] == 0) | (f["checkpoint"] == "checkpoint-600")),
    ({"variant": "exact/mean"}, lambda f: f["variant"] == "exact/mean"),
    ({"corpus": "Demo sentences"}, lambda f: f["corpus"] == "Demo sentences"),
    ({"model": CONTRAST}, lambda f: f["model"] == CONTRAST),
    ({"model": [MLM], "measure": "retrieval_top1", "layers": 2}, None),
]


@pytest.mark.parametrize(("filters", "wanted"), FILTERS, ids=[str(each) for each, _ in FILTERS])
def test_a_filter_takes_the_rows_that_it_says(every: pd.DataFrame, filters: dict[str, Any], wanted: Any) -> None:
    found = isogloss.scores(**filters, own=False)
    if wanted is None:
        one = (every["metric"] == "retrieval_top1") & (every["layer"] == 2)
        shared = every["fingerprint"].isin(every.loc[every["model"] == MLM, "fingerprint"])
        wanted = lambda _: one & shared  # noqa: E731
    expected = every[wanted(every).fillna(False)]
    assert len(expected)
    if "model" not in filters:  # the same weights may be of two models: then named by the one that is asked for
        keys = ["run", "metric", "layer", "source", "target", "value"]
        both = [frame[keys].sort_values(keys, ignore_index=True) for frame in (found, expected)]
        pd.testing.assert_frame_equal(*both)
    else:
        assert set(found["model"]) == set([filters["model"]] if isinstance(filters["model"], str) else filters["model"])
        assert len(found) >= len(expected)


def test_ones_own_alone_are_there_unless_the_demo_is_asked_for(every: pd.DataFrame) -> None:
    assert isogloss.scores().empty
    assert len(isogloss.scores(own=False)) == len(every)
    assert list(isogloss.scores().columns) == list(every.columns)


def row(value: float, at: int, run: str, **more: Any) -> None:
    created = dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=at)
    common = {"metric": "abx_meaning", "source": "de", "target": "en", "layer": 1, "n": 5, "created_at": created}
    place = {"family": "abx", "model": "M", "corpus": "c" * 24, "checkpoint": "f" * 24, "variant": "exact/mean"} | more
    table = scores.table([common | {"value": value}], run=run, **place)
    said = {"fingerprint": place["checkpoint"], "corpus": place["corpus"], "variant": place["variant"], "model": "M"}
    scores.write(settings().workspace, "abx", run, table, footer("abx", **said))


def test_of_a_score_that_was_computed_twice_the_newest_counts() -> None:
    row(0.5, 1, "a" * 24)
    row(0.7, 3, "b" * 24)
    row(0.6, 2, "d" * 24)
    row(0.1, 9, "e" * 24, variant="exact/first")
    found = isogloss.scores("abx_meaning", model="M")
    assert dict(zip(found["variant"], found["value"], strict=True)) == {"exact/mean": 0.7, "exact/first": 0.1}
    assert set(found["checkpoint"]) == {"f" * 24}  # nobody knows its name any more


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"measure": "abx_meanin"}, "no measure 'abx_meanin' in this workspace. Did you mean 'abx_meaning'"),
        ({"model": "Demo ML"}, "Did you mean 'Demo MLM'"),
        ({"corpus": ["Demo sentences", "Demo sentence"]}, "no corpus 'Demo sentence'"),
    ],
)
def test_a_name_that_is_none_is_said(filters: dict[str, Any], said: str) -> None:
    with pytest.raises(isogloss.SpecError, match=said):
        isogloss.scores(**filters, own=False)
