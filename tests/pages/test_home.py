"""Home: a card a family, and the figure that it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from isogloss.backend.experiments import glance, registry
from isogloss.pages.widgets import fitted
from tests.pages.abx.abx_page import CONTRAST, record
from tests.pages.abx.test_abx_corpora import keep_smaller
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.test_first_views import FAMILIES, smallest_runs

if TYPE_CHECKING:
    from pathlib import Path

    import plotly.graph_objects as go
    from streamlit.testing.v1 import AppTest

TITLES = {family.menu.title: family.name for family in registry.FAMILIES if family.menu}


def links(home: AppTest) -> dict[str, dict[str, list[str]]]:
    """What the cards' links say, by family."""
    protos = [each.proto for each in home.get("page_link")]
    return {TITLES[each.label.strip("*")]: parse_qs(each.query_string) for each in protos if each.label.strip("*") in TITLES}


def numbers(figure: go.Figure) -> np.ndarray:
    """All values that a figure draws: of a heatmap its cells, of points whatever is no name."""
    found: list[float] = []
    for trace in figure.data:
        for values in [trace.z] if trace.type == "heatmap" else [trace.x, trace.y]:
            array = np.asarray([] if values is None else values, dtype=object).ravel()
            found += [float(each) for each in array if isinstance(each, int | float | np.number)]
    return np.array([each for each in found if np.isfinite(each)])


@pytest.mark.parametrize("own", [False, True], ids=["demo", "own"])
def test_a_card_leads_to_the_figure_that_it_draws(own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_demo(monkeypatch, tmp_path)
    if own:
        smallest_runs(tmp_path)
    cards: dict[str, Any] = {}
    with monkeypatch.context() as watched:
        watched.setattr(fitted, "chart", lambda figure, key, **_: cards.update({key.removeprefix("glance-"): figure}))
        home = opened("home", {})
    shown = record(monkeypatch)
    asked = links(home)
    if own:
        assert list(asked) == list(FAMILIES)
    else:  # the demo has none of this family: its card is a link alone, the last
        assert list(asked)[-1] == "latent"
        assert asked.pop("latent") == {}
        assert set(asked) == {*FAMILIES} - {"latent"}
    assert list(cards) == list(asked)
    for family, query in asked.items():
        shown.clear()
        page = opened(family, query)
        assert not [each.value for each in page.info if "The link asks" in each.value], family
        drawn = np.concatenate([numbers(each.drawn) for each in shown])
        of_card = numbers(cards[family])
        assert len(of_card) >= (1 if own else 5), family
        lacking = [each for each in of_card if not np.isclose(drawn, each, rtol=0, atol=2e-5).any()]
        assert not lacking, (family, lacking, [each.name for each in shown])


def test_adding_comes_first_until_there_is_something_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_demo(monkeypatch, tmp_path)

    def order() -> list[str]:
        return [each.proto.label for each in opened("home", {}).get("page_link")]

    assert order().index("Add a corpus") < order().index("**ABX**")
    keep_smaller(tmp_path, name="Own")
    assert order().index("**ABX**") < order().index("Add a corpus")


def test_a_card_asks_what_its_figure_answers_and_names_the_whole_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_the_demo(monkeypatch, tmp_path)
    said = " ".join(each.value for each in opened("home", {}).caption)
    assert "Is a word nearest to its translation?" in said
    assert said.replace("\\", "").count("multilingual-e5-small, 4-bit weights · Demo") == 6
    smallest_runs(tmp_path)
    read = glance.queries.errors  # as where nothing trained on is translated: there is no IGap
    monkeypatch.setattr(glance.queries, "errors", lambda *asked: read(*asked).assign(translated_error=np.nan))
    said = " ".join(each.value for each in opened("home", {}).caption)
    assert "Is a sentence nearest to its translation?" in said
    assert "How much is right in another language?" in said
    assert f"{CONTRAST} · Own" in said.replace("\\", "")
