"""What the tests of the Emergent page look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.pages.emergent.corpora import frames
from isogloss.pages.widgets.figures import cooked, figure
from tests.pages.abx.abx_page import Shown

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.backend.boards.card import Card
    from isogloss.backend.boards.recipe import Recipe


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and every table from now on, in order; a table's `drawn` is None. Nothing is counted yet."""
    found: list[Shown] = []
    frames._done.clear()
    cooked._KEPT.clear()

    def beside(
        *, name: str, recipe: Recipe, card: Card, data: pd.DataFrame | None = None, figure: Any = None, **_: Any
    ) -> None:
        assert card.bibtex.startswith("@")
        found.append(Shown(figure, name, cooked.rows(recipe) if data is None else data, recipe))

    monkeypatch.setattr(figure, "beside", beside)
    return found
