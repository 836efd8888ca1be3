"""The Python beside every figure of the ABX page gives the very rows that the figure was drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, check, open_abx, record

if TYPE_CHECKING:
    from pathlib import Path

Query = dict[str, str | list[str]]
VIEWS: list[tuple[str, int, Query]] = [
    ("Layers × checkpoints", 2, {}),
    ("Layers × checkpoints", 1, {"model": CONTRAST, "layers": ["1", "3"], "checkpoints": ["checkpoint-0", "checkpoint-600"]}),
    ("Curves", 3, {"retrieval": "true"}),
    ("Curves", 2, {"lines": "Each", "layers": ["0", "3"]}),
    ("Curves", 2, {"over": "Layers"}),
    ("Curves", 2, {"over": "Layers", "lines": "Each", "languages": ["German · de", "English · en", "Chinese · zh"]}),
    ("Languages", 4, {}),
    ("Languages", 4, {"order": "clustering", "layers": ["2"]}),
    ("Layers × checkpoints", 2, {"shared_scale": "false"}),
    ("Pairs", 1, {"pair_layer": "2", "pair_checkpoint": "checkpoint-0"}),
    ("Relations", 3, {"paper": "true"}),
    ("Relations", 3, {"pair_model": CONTRAST, "pair_checkpoint": "checkpoint-0", "layers": ["4"]}),
    ("Compare", 2, {"measure": "Retrieval"}),
    ("Compare", 2, {"first": f"{MLM} · checkpoint-0", "second": f"{CONTRAST} · checkpoint-300", "layers": ["0", "1"]}),
    ("Compare", 2, {"compare": "Models", "measure": "Language"}),
    ("Compare", 2, {"compare": "Models", "layers": ["3", "4"], "checkpoints": ["checkpoint-0", "checkpoint-30"]}),
]


@pytest.mark.parametrize(("view", "figures", "query"), VIEWS, ids=[f"{view} {query}" for view, _, query in VIEWS])
def test_the_snippet_gives_the_figures_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str, figures: int, query: Query
) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    shown = record(monkeypatch)
    open_abx(view=view, **query)
    drawn = shown[-figures:]
    check(drawn, figures)
    for each in drawn:  # the URL was heard
        if "layers" in query and "layer" in each.data:
            assert set(each.data["layer"].astype(str)) == set(query["layers"]), each.name
        if "checkpoints" in query and "label" in each.data:
            assert set(each.data["label"]) == set(query["checkpoints"]), each.name
