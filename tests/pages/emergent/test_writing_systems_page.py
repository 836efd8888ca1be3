"""The benchmark by writing system: one's own means with the Python that gives them, the printed tables below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.pages.abx.abx_page import Shown
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import again, open_page, said

if TYPE_CHECKING:
    from pathlib import Path

VIEW = "Writing systems"


@pytest.mark.parametrize(("by", "rows"), [("Writing system", ["Cyrillic", "Devanagari", "Han", "Latin"]), ("Type", None)])
def test_groups_are_drawn_beside_the_printed_ones(workspace: Path, shown: list[Shown], by: str, rows: list[str] | None) -> None:
    made.more_human_sources(workspace, made.fill(workspace))
    app = open_page(view=VIEW, board_by=by)
    own, printed = shown
    again(own)
    again(printed)
    assert sorted(set(own.data["source"])) == (rows or ["Abugida", "Alphabet", "Logographic"])
    assert set(own.data["target"]) == ({"Latin"} if rows else {"Alphabet"})
    assert printed.data["by"].unique().tolist() == [by.lower()]
    drawn = next(trace for trace in own.drawn.data if trace.type == "heatmap")
    assert np.isfinite(drawn.z).all()
    assert "From English, French to Basque, Danish, Finnish" in drawn.hovertext[-1][0] or not rows
    assert "over 5 human sources" in said(app)


def test_all_sources_are_grouped_by_what_they_are(workspace: Path, shown: list[Shown]) -> None:
    made.more_human_sources(workspace, made.fill(workspace))
    app = open_page(view=VIEW, board_taken="All", board_paper="false")
    (own,) = shown
    again(own)
    assert {"Emergent", "Synthetic", "Random", "No pre-training", "Latin"} < set(own.data["source"])
    rows = own.drawn.layout.yaxis.ticktext
    assert rows[0] == "Cyrillic"
    assert rows[-4:] == ("Synthetic", "Emergent", "Random", "No pre-training")
    assert "Left out, since not every source has it: 1 target" in said(app)  # Paren lacks Basque


def test_too_few_human_sources_are_said(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view=VIEW)
    assert "takes two; of those chosen, 1 is human" in said(app)
    assert len(shown) == 1
