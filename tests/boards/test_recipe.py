"""A recipe read from JSON, or run as Python, gives what it gave; read from a file, it calls nothing but its functions."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.frames import files_of, label_checkpoints, percent, rows_with
from isogloss.backend.experiments.transfer.printed.tables import transfer_gaps
from isogloss.backend.figures.languages import language_table
from isogloss.backend.figures.transfer.matrices import printed

ROWS = partial(language_table, tags=["de", "fi", "zh"])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


def through_json(recipe: Recipe, workspaces: list[Path] | None = None) -> Recipe:
    return Recipe.from_json(json.loads(json.dumps(recipe.to_json())), workspaces or [])


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and math.isnan(one):
        return isinstance(other, float) and math.isnan(other)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


@given(ANY)
def test_arguments_come_back_as_they_were(value: Any) -> None:
    kept = through_json(Recipe((partial(rows_with, value, layer=[1]),)))
    (call,) = kept.calls
    assert call.func is rows_with
    assert same(call.args[0], value)
    assert call.keywords == {"layer": [1]}


def test_python_and_board_give_the_same_rows_and_picture() -> None:
    recipe = Recipe((partial(transfer_gaps), partial(percent)))
    drawing = recipe.with_chart(partial(printed, order="name", title="As printed"))
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), patch.object(go.Figure, "show"):
        exec(drawing.python(), names)
    pd.testing.assert_frame_equal(names["frame"], recipe.rows())
    pd.testing.assert_frame_equal(through_json(drawing).rows(), recipe.rows())
    drawn = through_json(drawing).drawn(recipe.rows())
    assert drawn is not None
    assert drawn.to_json() == names["figure"].to_json() == printed(recipe.rows(), order="name", title="As printed").to_json()
    assert 'figure = isogloss.draw("transfer.matrices.printed", frame' in drawing.python()
    assert "backend" not in drawing.python()


@pytest.mark.skipif(
    not [*Path(sysconfig.get_path("purelib")).glob("isogloss-*.dist-info")], reason="isogloss is not installed here"
)
def test_the_python_runs_in_any_folder(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", Recipe((ROWS,)).python()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Finnish" in done.stdout, done.stderr


def test_a_call_among_the_arguments_is_made() -> None:
    known = [("a", "M", "step 1", 1, 0)]
    left = argument(partial(rows_with, argument(ROWS), tag=["fi"]))
    recipe = Recipe((partial(label_checkpoints, left, checkpoints=known),))
    with pytest.raises(KeyError):  # no column `checkpoint`: the inner calls were made
        recipe.rows()
    assert Recipe((left,)).rows()["tag"].tolist() == ["fi"]
    assert through_json(Recipe((left,))).rows()["tag"].tolist() == ["fi"]


def test_workspaces_are_those_of_where_it_is_cooked(tmp_path: Path) -> None:
    recipe = Recipe((partial(files_of, workspaces=[Path("/elsewhere")], family="abx", shards=[]),))
    assert "/elsewhere" not in json.dumps(recipe.to_json()) + recipe.python()
    assert through_json(recipe, [tmp_path]).calls[0].keywords["workspaces"] == [tmp_path]


@pytest.mark.parametrize(
    "call", [partial(print, "x"), partial(pd.read_csv, "/etc/passwd"), partial(lambda: None), partial(Recipe.from_json, {})]
)
def test_nothing_else_is_kept(call: partial[Any]) -> None:
    with pytest.raises(TypeError, match="in_recipes"):
        Recipe((call,)).to_json()


@pytest.mark.parametrize(
    "of",
    [
        *(
            "os:system",
            "builtins:exec",
            "backend.files:publish_json",
            "backend.experiments.frames:pd",
            "backend.boards.recipe:argument",
        ),
        *("backend.experiments.frames:scores.shards", "backend.experiments.frames:__builtins__", "backend.experiments.none:x"),
        *("backend.experiments.frames:Known", "backend.experiments.frames:_x", "backend.experimentsfoo:x", "", ":", "x"),
    ],
)
def test_nothing_else_is_called(of: str) -> None:
    kept = {"calls": [{"!": "call", "of": of, "is": ["true"], "with": {}}], "chart": None}
    with pytest.raises(StoreError, match="recipe cannot be read"):
        Recipe.from_json(kept, [])


@pytest.mark.parametrize(
    "kept",
    [
        *(None, [], {}, {"calls": []}, {"calls": "x"}, {"calls": [1]}, {"calls": [{"!": "call"}]}, {"calls": [{"!": "what"}]}),
        *({"calls": [{}]}, {"calls": [{"!": "call", "of": "backend.experiments.frames:rows_with", "is": 3, "with": []}]}),
        {"calls": [{"!": "model", "of": "backend.experiments.frames:rows_with", "is": "{}"}]},
        *(
            {"calls": [{"!": "call", "of": "backend.experiments.frames:rows_with", "is": [], "with": {name: [1]}}]}
            for name in ("layer=[print()], x", "layer)", "import", "", "a.b", "a b", "x=1\n")
        ),
    ],
)
def test_a_damaged_recipe_says_so(kept: Any) -> None:
    with pytest.raises(StoreError, match="recipe cannot be read"):
        Recipe.from_json(kept, [])
