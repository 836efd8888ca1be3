"""`isogloss.figure`: what the page draws, for whatever view and selection; what cannot be is said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import isogloss
from isogloss.pages.widgets.figures.by_name import PAGES
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, open_abx, record


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo, and an empty workspace of one's own."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))


VIEWS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("abx/pairs", "Pairs", {"model": MLM, "layer": 3}, {"model": MLM, "pair_layer": "3"}),
    (
        "abx/pairs",
        "Pairs",
        {"checkpoint": "checkpoint-0", "languages": ["de", "en", "zh"], "source": "zh", "target": "de"},
        {
            "pair_checkpoint": "checkpoint-0",
            "languages": ["German · de", "English · en", "Chinese · zh"],
            "pair_source": "Chinese · zh",
            "pair_target": "German · de",
        },
    ),
    ("abx/curves", "Curves", {"over": "Layers", "layers": [0, 2]}, {"over": "Layers", "layers": ["0", "2"]}),
    (
        "abx/layers-checkpoints",
        "Layers × checkpoints",
        {"model": [CONTRAST], "shared_scale": False},
        {"model": CONTRAST, "shared_scale": "false"},
    ),
]


@pytest.mark.parametrize(("name", "view", "selection", "link"), VIEWS, ids=[f"{each[0]} {each[2]}" for each in VIEWS])
def test_a_figure_is_the_recipe_of_the_page(
    monkeypatch: pytest.MonkeyPatch, name: str, view: str, selection: dict[str, Any], link: dict[str, Any]
) -> None:
    main = sys.modules["__main__"]
    drawn = isogloss.figure(name, **selection)
    assert sys.modules["__main__"] is main
    with monkeypatch.context() as patched:
        shown = record(patched)
        open_abx(view=view, **link)
    expected = [each.recipe.drawn(each.recipe.rows()) for each in shown]
    assert drawn.to_json() == expected[0].to_json()
    if len(shown) > 1:
        assert isogloss.figure(name, which=-1, **selection).to_json() == expected[-1].to_json()
        assert isogloss.figure(name, which=shown[-1].name, **selection).to_json() == expected[-1].to_json()


NOT_COMPUTED = {
    "alignment/sources": "Add a gold word alignment",
    "alignment/repetition": "once a checkpoint has both scores",
    "probing/compare": "draws nothing",  # of one checkpoint
    "probing/sources": "Cross-lingual",
    "emergent/meanings": "None of these corpora has meanings",
    "emergent/translation-models": "No translation model is trained yet",
} | {f"latent/{view}": "Nothing is computed" for view in ("layers", "languages-layers", "checkpoints", "words")}
"""Views that have nothing to draw of the demo as they open, and what they say."""
TABLES = {
    *("alignment/table", "alignment/errors", "probing/regression", "transfer/best-source", "transfer/examples"),
    *("transfer/tables", "emergent/overview", "emergent/most-frequent", "tokenisers/sentences"),
}
"""Views without a figure."""


@pytest.mark.parametrize("page", PAGES)
def test_every_view_draws_the_demo(page: str) -> None:
    names = [name for name in isogloss.views() if name.startswith(f"{page}/")]
    assert len(names) >= (3 if page in ("tokenisers", "latent") else 5)
    drawn = 0
    for name in names:
        if name in NOT_COMPUTED:
            with pytest.raises(isogloss.SpecError, match=NOT_COMPUTED[name]):
                isogloss.figure(name)
            continue
        assert len(isogloss.rows(name)), name
        if name in TABLES:
            with pytest.raises(isogloss.SpecError, match="only tables"):
                isogloss.figure(name)
        else:
            drawn += len(isogloss.figure(name).data) > 0
    assert drawn >= len(set(names) - NOT_COMPUTED.keys()) // 2


def test_rows_are_those_behind_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    found = isogloss.rows("abx/curves", which="Meaning", over="Layers")
    with monkeypatch.context() as patched:
        shown = record(patched)
        open_abx(view="Curves", over="Layers")
    pd.testing.assert_frame_equal(found, shown[1].data)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("abx/pair", {}, "no view 'abx/pair'. Did you mean 'abx/pairs'"),
    ("abx/pairs", {"modl": MLM}, "no choice 'modl'. Did you mean 'model'"),
    ("abx/pairs", {"model": "Demo ML"}, "no model 'Demo ML' in this workspace"),
    ("abx/pairs", {"layer": 99}, "layer='99' is no choice of 'abx/pairs' here. It would be"),
    ("abx/curves", {"layer": 1}, "no choice 'layer'. Did you mean 'layers'"),
    ("abx/curves", {"over": "Foo"}, "over='Foo' is no choice"),
    ("abx/curves", {"languages": ["de", "tlh"]}, "languages"),
    ("abx/curves", {"which": 7}, "draws 2 of them: Language"),
    ("abx/curves", {"which": "Zzz"}, "called 'Zzz': choose Language"),
    ("abx/curves", {"languages": ["de"]}, "draws nothing for this selection. Choose at least two languages"),
]


@pytest.mark.parametrize(("view", "selection", "said"), WRONG, ids=[f"{view} {given}" for view, given, _ in WRONG])
def test_what_cannot_be_drawn_is_said(view: str, selection: dict[str, Any], said: str) -> None:
    with pytest.raises(isogloss.SpecError, match=said):
        isogloss.figure(view, **selection)
