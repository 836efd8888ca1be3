"""What a page draws is what its recipe gives, kept while neither the recipe nor a file that it reads changes."""

from __future__ import annotations

import os
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.boards.card import Card
from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.frames import files_of, rows_with
from isogloss.backend.figures.languages import language_table
from isogloss.backend.metrics.corpus.growth import TypeTokenCurve
from isogloss.backend.recipe_mark import _MARKED, depends_on, in_recipes, name_of
from isogloss.backend.store import older, scores
from isogloss.pages.widgets.figures import cooked, figure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LANGUAGES = ["de", "en", "fi"]
CARD = Card("name", "question", "x", "reading", "source", "bibtex")


def write(workspace: Path, value: float, shard: str = "shard") -> Path:
    rows = [
        {"metric": "abx_meaning", "layer": 0, "source": a, "target": b, "value": value, "n": 9}
        for a, b in combinations(LANGUAGES, 2)
    ]
    table = scores.table(rows, run=shard, family="abx", model="m", corpus="c", checkpoint="one", variant="exact/mean")
    said = {"fingerprint": "one", "corpus": "c", "languages": LANGUAGES, "variant": "exact/mean", **older.TODAY}
    return scores.write(workspace, "abx", shard, table, said)


def recipe(workspace: Path) -> Recipe:
    return Recipe(
        (
            partial(files_of, workspaces=[workspace], family="abx", shards=["shard"]),
            partial(queries.grid, languages=LANGUAGES, checkpoints=["one"]),
        )
    )


def test_a_file_computed_again_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, 0.25)
    assert cooked.rows(recipe(tmp_path))["value"].tolist() == [0.25]
    write(tmp_path, 0.75)
    os.utime(path, (1, 1))
    assert cooked.rows(recipe(tmp_path))["value"].tolist() == [0.75]
    path.unlink()
    assert cooked.rows(recipe(tmp_path)).empty


def test_the_same_is_answered_once_and_steps_share_what_they_begin_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 0.5)
    asked = []
    sums = queries._sums
    monkeypatch.setattr(queries, "_sums", lambda *given, **more: asked.append(1) or sums(*given, **more))
    for layer in (0, 1, 0):
        assert len(cooked.rows(recipe(tmp_path).then(partial(rows_with, layer=[layer])))) == (layer == 0)
    write(tmp_path, 0.7, "beside")  # another shard is none of its files
    cooked.rows(recipe(tmp_path))
    assert len(asked) == 1


def test_nobody_changes_what_is_kept(tmp_path: Path) -> None:
    write(tmp_path, 0.5)
    rows = cooked.rows(recipe(tmp_path))
    rows["value"] = 9.0
    rows.loc[0, "pairs"] = 99
    assert cooked.rows(recipe(tmp_path))[["value", "pairs"]].to_numpy().tolist() == [[0.5, 3.0]]


def test_what_does_not_say_on_what_it_depends_is_never_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def table(workspaces: Sequence[Path], more: object = None) -> pd.DataFrame:
        read.append("table")
        return pd.DataFrame({"read": [len(read)]})

    state = [0]
    monkeypatch.setitem(_MARKED, name_of(table), table)
    for asked in (Recipe((partial(table, workspaces=[tmp_path]),)), Recipe((partial(table, [tmp_path]),))):
        assert cooked.rows(asked)["read"].tolist() != cooked.rows(asked)["read"].tolist()
    inner = Recipe((partial(language_table, ["de"]), partial(rows_with, tag=argument(partial(table, workspaces=[tmp_path])))))
    with pytest.raises(cooked._UnknownStateError):
        cooked._state(inner.calls[1])
    depends_on(lambda workspaces, more=None: state[0])(in_recipes(table))
    own = Recipe((partial(table, workspaces=[tmp_path]),))
    first = cooked.rows(own)["read"].tolist()
    assert cooked.rows(own)["read"].tolist() == first
    state[0] = 1
    assert cooked.rows(own)["read"].tolist() != first


def test_what_is_kept_weighs_all_that_is_in_it() -> None:
    points = np.zeros(1 << 16, np.int64)
    assert cooked._size({"a": (TypeTokenCurve(points, points),)}) > 2 * points.nbytes


def test_a_recipe_that_draws_nothing_is_no_figure() -> None:
    table = Recipe((partial(language_table, ["de"]),))
    with pytest.raises(TypeError, match="draws nothing"):
        figure.draw(table, name="n", card=CARD, alt="a")
    with pytest.raises(TypeError, match="frame"):
        cooked.rows(Recipe((partial(files_of, workspaces=[], family="abx", shards=[]),)))
