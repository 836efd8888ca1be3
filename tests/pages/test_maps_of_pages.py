"""The view Map of the pages of tokenisers, alignment and relations, on the demo."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pages.abx.abx_page import MLM, check_rows, record
from tests.pages.opened import opened

MAPS: list[tuple[str, dict[str, str | list[str]], set[str]]] = [
    ("tokenisers", {"map_measure": "Premium", "map_to": "English · en"}, {"map_to"}),
    ("tokenisers", {"map_measure": "Fertility"}, set()),
    ("tokenisers", {"map_measure": "Shared vocabulary"}, {"map_to", "map_groups"}),
    ("alignment", {"unit": "Words", "model": [MLM]}, {"map_to"}),
    ("alignment", {"unit": "Sentences", "model": [MLM], "map_play": "Checkpoints"}, {"map_to", "map_groups"}),
    ("alignment", {"unit": "Sentences", "model": [MLM], "map_play": "Layers"}, {"map_to", "map_groups"}),
    ("relations", {}, set()),
]


@pytest.mark.parametrize(("name", "query", "controls"), MAPS, ids=[f"{name} {query}" for name, query, _ in MAPS])
def test_the_map_is_what_its_recipe_gives(
    monkeypatch: pytest.MonkeyPatch, name: str, query: dict[str, str | list[str]], controls: set[str]
) -> None:
    shown = record(monkeypatch)
    page = opened(name, {"view": "Map"} | query)
    assert shown
    assert {each.key for each in page.selectbox} & {"map_to", "map_groups"} == controls
    for each in shown:
        check_rows(each)
        values = each.data.loc[each.data["mark"] == "language", "value"].dropna().to_numpy()
        assert len(values)
        for colour in np.asarray(each.drawn.data[-1].marker.color, float):
            assert np.abs(values - colour).min() <= 1e-6 * max(1, abs(colour))
        assert bool(each.drawn.frames) == ("map_play" in query)
    assert "Natural Earth" in " ".join(caption.value for caption in page.caption)
