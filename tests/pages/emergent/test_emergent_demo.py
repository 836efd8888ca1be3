"""What the demo has of emergent languages opens in an empty workspace, and its README's numbers are those that it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from backend.corpora.emergent import library as emergent_library
from backend.experiments.xferbench import frames as xferbench_frames
from backend.experiments.xferbench import queries as xferbench_queries
from pages.widgets import figure
from tests.pages.abx.abx_page import DEMO
from tests.pages.emergent.emergent_page import open_page


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    """The data of every figure and table from now on, by name; the demo beside an empty workspace."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    found: dict[str, pd.DataFrame] = {}

    def beside(*, name: str, data: pd.DataFrame, **_: Any) -> None:
        found[name] = data

    monkeypatch.setattr(figure, "beside", beside)
    return found


def test_the_leaderboard_is_what_the_readme_says() -> None:
    entries = emergent_library.entries([DEMO])
    assert {entry.name: entry.tokens for entry in entries} == {
        "Demo emergent language": 24_000,
        "Paren synth": 24_000,
        "Random": 24_000,
    }
    for entry in entries:
        assert len(emergent_library.load(entry.id, [DEMO]).ids) == entry.tokens
    (variant,) = xferbench_queries.variants([DEMO])["variant"]
    assert variant.startswith("quick/correct/")
    cells = xferbench_queries.cross_entropies([DEMO], variant)
    assert len(xferbench_frames.shared_texts(cells)) == 3
    names = {entry.id: entry.name for entry in entries}
    board = xferbench_frames.leaderboard(cells, {key: names.get(key, key) for key in cells["source"]}, {})
    scores = dict(zip(board["name"], board["score"].round(2), strict=True))
    assert next(iter(scores)).endswith("/en")
    assert next(iter(scores.values())) == 5.06
    assert scores["none"] < 5.1
    assert {scores[name] for name in names.values()} == {5.19, 5.21}
    readme = (DEMO / "README.md").read_text("utf-8")
    assert "5.06 nats a token" in readme
    assert "5.19 to 5.21" in readme


@pytest.mark.parametrize(
    ("view", "rows"), [("Overview", 3), ("Success", 7), ("Leaderboard", 5), ("Source × target", 15), ("Training", None)]
)
def test_a_new_user_sees_the_demo(shown: dict[str, pd.DataFrame], view: str, rows: int | None) -> None:
    app = open_page(view=view)
    data = next(iter(shown.values()))
    assert len(data) == rows if rows else len(data) > 50
    assert not app.error
    assert not app.warning
