"""Checkpoints chosen for one model stay chosen where another has none of them: no page breaks, and what is lacking is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pages.abx.abx_page import MLM
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "multilingual-e5-small, 4-bit weights"
VIEWS = [
    ("abx", {"view": "Curves", "controls": "true"}),
    ("transfer", {"view": "Ranking"}),
    ("transfer", {"view": "Matrix"}),
    ("alignment", {"view": "Curves"}),
    ("probing", {"view": "Curves"}),
]


@pytest.mark.parametrize(("page", "query"), VIEWS)
@pytest.mark.parametrize("models", [[OTHER], [MLM, OTHER]])
def test_a_page_opens_with_checkpoints_that_a_model_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page: str, query: dict[str, str], models: list[str]
) -> None:
    """What a page shows of an unexpected error is no sentence: `opened` fails on one."""
    on_the_demo(monkeypatch, tmp_path)
    app = opened(page, {"model": [MLM], "checkpoints": "checkpoint-10", **query})
    next(box for box in app.multiselect if box.key == "model").set_value(models).run()
    assert not app.exception
