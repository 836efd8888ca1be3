"""Curves of several models, a panel each: in the address, and offered where there are many."""

from __future__ import annotations

import pytest

import isogloss
from isogloss.pages.widgets.choosing import panels


@pytest.mark.parametrize(
    ("view", "more", "models"),
    [
        ("abx/curves", {"over": "Layers"}, 2),
        ("abx/curves", {"over": "Checkpoints", "lines": "Each"}, 2),
        ("geometry/curves", {"over": "Layers"}, 2),
        ("alignment/curves", {"unit": "Sentences"}, 2),
        ("alignment/curves", {"unit": "Sentences", "lines": "Pairs"}, 2),
        ("probing/curves", {}, 2),  # of one model, the probe and its control task
        ("transfer/curves", {}, 3),
    ],
)
def test_each_model_has_a_panel_where_there_are_many(
    view: str, more: dict[str, str], models: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(isogloss.SpecError, match="no choice 'panels'"):  # of a few it is not offered
        isogloss.figure(view, panels=True, **more)
    monkeypatch.setattr(panels, "FEW", 0)
    figure = isogloss.figure(view, panels=True, **more)
    assert sum(name.startswith("xaxis") for name in figure.layout.to_plotly_json()) == models
    together = isogloss.figure(view, **more)
    assert "xaxis2" not in together.layout.to_plotly_json()
