"""What the forms of the benchmark and of the translation check share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pages.emergent.shared import missing as offered
from tests.pages.emergent import benchmark_workspace as made
from tests.pages.emergent.emergent_page import button, measured, open_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.pages.abx.abx_page import Shown


@pytest.mark.parametrize(("view", "form"), [("Leaderboard", "bench"), ("Translation", "mt")])
@pytest.mark.parametrize(("preset", "times"), [("Quick", 1), ("Paper", 2)])
def test_what_is_missing_is_looked_for_once(
    workspace: Path,
    shown: list[Shown],
    monkeypatch: pytest.MonkeyPatch,
    view: str,
    form: str,
    preset: str,
    times: int,
) -> None:
    """For what is asked, and with the paper's preset for “Quick”, whose price stands beside its own."""
    made.keep_corpora(workspace)
    measured(monkeypatch)
    found: list[Any] = []
    missing = offered.missing

    def counted(spec: Any, workspaces: Sequence[Path]) -> Any:
        found.append(spec.preset)
        return missing(spec, workspaces)

    monkeypatch.setattr(offered, "missing", counted)
    app = open_page(**{"view": view, f"{form}_preset": preset})
    assert "Train (" in button(app).label
    found.clear()
    app.number_input(key=f"{form}_seeds").set_value(2).run()
    assert not app.exception
    assert "Train (" in button(app).label
    assert found == [preset.lower(), "quick"][:times]
