"""Models that share checkpoints, as a series continued or two fine-tunings of one base: each has its own numbers everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.figures import figure
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from isogloss.backend.boards.recipe import Recipe

BEGINNING, TWICE, CONTINUED = "Beginning of MLM", "MLM once more", "Continued"
SHARING = [MLM, BEGINNING, TWICE, CONTINUED, CONTRAST]
"""All of the same base; the last checkpoint of one is the first or in the middle of another."""
PAGES: list[tuple[str, dict[str, Any]]] = [
    ("abx", {}),
    ("alignment", {"unit": "Words"}),
    ("alignment", {"unit": "Sentences", "languages": ["Arabic · ar", "English · en"]}),
    ("probing", {}),
    ("transfer", {}),
    ("home", {}),
]
WAYS: dict[tuple[str, str], list[dict[str, str]]] = {
    ("abx", "Curves"): [{"over": "Layers"}, {"over": "Layers", "lines": "Each"}, {"lines": "Each"}, {}],
    ("alignment", "Curves"): [{}, {"lines": "Pairs"}, {"over": "Checkpoints"}, {"masked_beside": "true"}],
    ("probing", "Curves"): [{}, {"lines": "Seeds"}, {"over": "Checkpoints", "lines": "Languages"}],
    ("alignment", "Repetition"): [{}],
    ("alignment", "Table"): [{}],
}
"""The views that lay several models beside each other, each in some of its ways: every model's rows are compared."""
Figures = dict[str, "tuple[pd.DataFrame, Recipe]"]


def keep_sharing(workspace: Path) -> None:
    """The demo's models beside some made of their checkpoints: scores belong to weights, so that they are all there."""
    demo = {each.name: each for each in models.entries([DEMO])}
    mlm, contrast = demo[MLM].checkpoints, demo[CONTRAST].checkpoints
    start, end = mlm[-1].model_copy(update={"step": 0, "label": "start"}), contrast[-1].model_copy(update={"step": 5})
    made = {
        BEGINNING: mlm[:4],
        TWICE: tuple(each.model_copy(update={"label": f"state {each.step}"}) for each in mlm),
        CONTINUED: (start, end),
    }
    for name, checkpoints in made.items():
        models.keep(demo[MLM].model_copy(update={"name": name, "checkpoints": checkpoints}), workspace)


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Figures:
    """The rows of every figure and table shown from now on, by name, and their Python."""
    found: Figures = {}

    def keep(*, name: str, data: pd.DataFrame, recipe: Recipe, **_: Any) -> None:
        found[name] = (data, recipe)

    monkeypatch.setattr(figure, "beside", keep)
    on_the_demo(monkeypatch, tmp_path)
    keep_sharing(tmp_path)
    return found


def views(app: AppTest) -> list[str]:
    """The names of a page's views, in every group."""
    boxes = {each.key: each for each in app.button_group}
    if "view" not in boxes:
        return [""]
    groups = boxes["view-group"].options if "view-group" in boxes else [None]
    found: list[str] = []
    for group in groups:
        if group is not None:
            app.button_group(key="view-group").set_value(group).run()
        found += app.button_group(key="view").options
    return found


@pytest.mark.parametrize(("page", "query"), PAGES)
def test_every_view_has_the_numbers_of_each_model_alone(page: str, query: dict[str, Any], figures: Figures) -> None:
    """And the Python beside each figure gives the same. What a page shows of an unexpected error, `opened` fails on."""
    for view in views(opened(page, query)):
        for way in WAYS.get((page, view), [{}]):
            asked = query | way | {"view": view}
            together = shown(page, asked | {"model": SHARING}, figures)
            if (page, view) not in WAYS:
                continue
            alone = shown(page, asked | {"model": [CONTINUED]}, figures)
            assert together.keys() == alone.keys()
            for name, (data, recipe) in together.items():
                pd.testing.assert_frame_equal(*(each.reset_index(drop=True) for each in (recipe.rows(), data)), check_like=True)
                compare(data, alone[name][0], CONTINUED, f"{asked}: {name}")


def shown(page: str, query: dict[str, Any], figures: Figures) -> Figures:
    figures.clear()
    opened(page, query)
    return dict(figures)


def compare(together: pd.DataFrame, alone: pd.DataFrame, model: str, what: str) -> None:
    found, own = (each[each["model"] == model].reset_index(drop=True) for each in (together, alone))
    pd.testing.assert_frame_equal(found, own, obj=f"{what}, {model}", check_like=True)


def test_models_that_share_a_checkpoint_read_one_prefix() -> None:
    """Whatever each is called: a checkpoint's scores are of one prefix, and a model's are of one, too."""
    demo = {each.name: each for each in models.entries([DEMO])}
    known, other = demo[MLM], demo[CONTRAST].model_copy(update={"name": "Other"})
    third = other.model_copy(update={"name": "Third", "checkpoints": other.checkpoints[1:3]})
    found = prefixes.of_models([third, other, known], {MLM: "query: "})
    assert found == {each.fingerprint: "query: " for model in (known, other) for each in model.checkpoints}
    apart = third.model_copy(update={"checkpoints": demo["multilingual-e5-small, 4-bit weights"].checkpoints})
    assert set(prefixes.of_models([apart, known], {MLM: "query: "})) == {each.fingerprint for each in known.checkpoints}
