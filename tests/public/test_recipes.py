"""`isogloss.query`, `draw` and `record` call what is marked for recipes by its public name, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import isogloss
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.experiments.transfer.printed.tables import transfer_gaps
from isogloss.backend.figures.ordering import Axes
from isogloss.backend.figures.transfer.matrices import printed
from tests.pages.abx.abx_page import DEMO


def test_a_query_and_a_figure_are_the_marked_functions_of_their_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    rows = isogloss.query("frames.percent", isogloss.query("transfer.printed.tables.transfer_gaps"))
    pd.testing.assert_frame_equal(rows, transfer_gaps().assign(percent=100 * transfer_gaps()["value"].astype(float)))
    drawn = isogloss.draw("transfer.matrices.printed", rows, order="name", title="T")
    assert drawn.to_json() == printed(rows, order="name", title="T").to_json()
    shards = [path.stem for path in (DEMO / "scores" / "abx").glob("*.parquet")]
    found = isogloss.query("frames.files_of", family="abx", shards=shards)  # in the workspaces that are in force
    assert {path.stem for path in found} == set(shards)
    assert isogloss.query("frames.files_of", family="abx", shards=shards, workspaces=[tmp_path]) == []
    assert {"abx.queries.grid", "transfer.matrices.printed", "relations.reading.Question"} <= set(isogloss.queries())


def test_a_record_is_made_of_plain_values() -> None:
    reading = {"of": {"column": "genetic", "languages": ["de", "en"]}}
    question = isogloss.record("relations.reading.Question", unit="pair", readings={"x": reading})
    assert question == Question.model_validate({"unit": "pair", "readings": {"x": reading}})
    names = {"de": "German", "en": "English"}
    assert isogloss.record("ordering.Axes", rows=names, columns=names, groups=None) == Axes(names, names, None)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: isogloss.query("abx.queries.gird"), "no query 'abx.queries.gird'. Did you mean 'abx.queries.grid'"),
        (lambda: isogloss.query("os.system", "true"), "no query 'os.system'"),
        (lambda: isogloss.query("builtins:exec", "1"), "no query"),
        (lambda: isogloss.query("relations.reading.Question"), "no query"),
        (
            lambda: isogloss.query("frames.rows_with"),
            "'frames.rows_with': missing a required argument: 'frame'. It takes frame",
        ),
        (lambda: isogloss.draw("abx.pairs", pd.DataFrame()), "'abx.pairs': missing a required argument: 'languages'"),
        (lambda: isogloss.draw("abx.pair", pd.DataFrame()), "Did you mean 'abx.pairs'"),
        (lambda: isogloss.record("abx.queries.grid"), "no record"),
        (lambda: isogloss.record("relations.reading.Question", unit="word"), "Unknown unit 'word'|readings is missing"),
    ],
)
def test_a_name_or_an_argument_that_is_none_is_said(call: Any, said: str) -> None:
    with pytest.raises(isogloss.SpecError, match=said):
        call()
