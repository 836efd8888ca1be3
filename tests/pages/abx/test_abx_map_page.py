"""The view Map of ABX on the demo: what is drawn is what the recipe gives, for every choice; credits stand below."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.backend.boards.origins import provenance
from isogloss.backend.settings import settings
from tests.pages.abx.abx_page import MLM, check_rows, open_abx, record

MAP = {"view": "Map", "model": [MLM]}
QUERIES: list[dict[str, str | list[str]]] = [
    {},
    {"map_measure": "Meaning", "map_to": "German · de", "map_groups": "3"},
    {"map_measure": "Retrieval", "map_lines": "At least", "map_at": "0.1", "pair_layer": "3"},
    {"map_play": "Layers", "layers": ["1", "3"]},
    {"map_play": "Checkpoints", "map_lines": "At most", "map_groups": "7"},
]


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_the_map_is_what_its_recipe_gives(monkeypatch: pytest.MonkeyPatch, query: dict[str, str | list[str]]) -> None:
    shown = record(monkeypatch)
    page = open_abx(**MAP | query)
    (one,) = shown
    check_rows(one)
    points = one.drawn.data[-1]
    own = one.data[one.data["mark"] == "language"]
    colours = np.asarray(points.marker.color, float)
    for colour in colours:
        assert np.abs(own["value"].dropna().to_numpy() - colour).min() < 1e-6
    title = one.drawn.layout.coloraxis.colorbar.title.text
    assert "share of" in title
    assert "higher" in title
    assert len(one.drawn.frames) == {"Layers": 2, "Checkpoints": 8}.get(str(query.get("map_play")), 0)
    assert ("with German" in one.drawn.layout.title.text) == ("map_to" in query)
    said = " ".join(each.value for each in page.caption)
    for credit in ("Glottolog (CC BY 4.0)", "CC BY-SA 4.0", "Natural Earth", "public domain"):
        assert credit in said
        assert credit in provenance(one.recipe, settings().workspaces, one.data).credits


def test_a_language_that_is_no_longer_chosen_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = record(monkeypatch)
    page = open_abx(**MAP | {"map_to": "Turkish · tr"})
    page.session_state["languages"] = ["de", "en", "zh"]
    page.run()
    assert not page.exception
    assert "with" not in shown[-1].drawn.layout.title.text
    assert sorted(shown[-1].data["source"].unique()) == ["de", "en", "zh"]


def test_without_all_pairs_there_are_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = record(monkeypatch)
    page = open_abx(**MAP | {"pairs": "Of one language", "centre": "English · en"})
    assert "map_groups" not in {each.key for each in page.selectbox}
    assert set(shown[0].data["group"]) == {1}
