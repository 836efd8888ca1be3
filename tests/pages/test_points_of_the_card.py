"""Boards of many figures with many points: the first few are the graphics card's, the others shapes, with the same points."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.boards.again import Again
from isogloss.pages.boards import pinned
from isogloss.pages.widgets import fitted

if TYPE_CHECKING:
    import pytest


def test_only_so_many_figures_of_a_page_are_drawn_by_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[go.Figure] = []
    monkeypatch.setattr(fitted, "chart", lambda figure, *_, **__: drawn.append(figure))
    points = go.Figure(go.Scattergl(x=np.arange(5.0), y=np.arange(5.0) ** 2))
    pin: Any = _Pin()
    bars, cards = go.Figure(go.Bar(y=[1])), count()
    for place in range(2 * pinned.ON_CARD):
        for picture in (bars, points):
            pinned.figure(Again(pd.DataFrame(), picture, "", _NOTHING, None), pin, str(place), "", cards)
    of_points = [figure.data[0] for figure in drawn if figure.data[0].type != "bar"]
    assert [each.type for each in of_points] == ["scattergl"] * pinned.ON_CARD + ["scatter"] * pinned.ON_CARD
    written = points.to_dict()["data"][0]
    shapes = [figure.to_dict()["data"][0] for figure in drawn[1::2]]
    assert all((each["x"], each["y"]) == (written["x"], written["y"]) for each in shapes)
    assert points.data[0].type == "scattergl"  # the cached figure is as it was


class _Pin:
    name = "Points"


_NOTHING: Any = None
