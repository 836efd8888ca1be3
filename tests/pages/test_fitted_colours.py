"""The colours of every page's heatmaps, fitted and not, as the link says it: what the bar then tells, and the recipe draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from isogloss.backend.charts.parts.hatch import CORRECTED
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, record, run
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

Query = dict[str, str | list[str]]
PAGES: list[tuple[str, Query, tuple[float, float]]] = [
    ("alignment", {"view": "Layers × checkpoints", "fitted_shares": "{}"}, (0.0, 1.0)),
    ("alignment", {"view": "Matrix", "unit": "Sentences", "fitted_shares": "{}"}, (0.0, 1.0)),
    ("probing", {"fitted_shares": "{}"}, (0.0, 1.0)),
    ("probing", {"view": "Languages", "normalised": "false", "fitted_shares": "{}"}, (0.0, 1.0)),
    ("transfer", {"view": "Matrix", "shared_scale": "false", "fitted": "{}"}, (0.0, 66.7)),
]


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return record(monkeypatch)


def values(each: Shown) -> np.ndarray:
    """Of its heatmaps, if it has any."""
    cells = [np.ravel(trace.z).astype(float) for trace in each.drawn.data if trace.type == "heatmap"]
    return np.concatenate([*cells, []])


@pytest.mark.parametrize(("page", "query", "ends"), PAGES, ids=[f"{page} {query.get('view')}" for page, query, _ in PAGES])
def test_a_toggle_fits_the_colours_and_the_bar_says_so(
    shown: list[Shown], page: str, query: Query, ends: tuple[float, float]
) -> None:
    for fitted in ("true", "false"):
        shown.clear()
        opened(page, {key: str(value).format(fitted) for key, value in query.items()})
        drawn = [each for each in shown if np.isfinite(values(each)).any()]
        assert drawn
        for each in drawn:
            axis, low, high = each.drawn.layout.coloraxis, np.nanmin(values(each)), np.nanmax(values(each))
            title = axis.colorbar.title.text
            if fitted == "true":
                said = [float(each) for each in title.partition("<br>Colours fitted: ")[2].split(" to ")]
                assert said == pytest.approx([axis.cmin, axis.cmax], abs=0.0501 if page == "transfer" else 0.000501)
                assert axis.cmin <= low + 1e-6
                assert axis.cmax >= high - 1e-6
                assert axis.cmin > ends[0] or axis.cmax < ends[1]
            else:
                assert "fitted" not in title
                assert math.isclose(axis.cmin, min(ends[0], low), abs_tol=1e-6)
                assert math.isclose(axis.cmax, max(ends[1], high), rel_tol=1e-6)
    run(shown[0].recipe)  # and a pin draws what the page did


def test_two_models_transfer_is_compared_swapped_and_what_may_be_chance_is_hatched(shown: list[Shown]) -> None:
    app = opened("transfer", {"view": "Matrix", "compared": MLM, "compared_with": CONTRAST})
    first = shown[0]
    assert first.drawn.layout.title.text == f"Difference: {MLM} − {CONTRAST}"
    assert "lower = better transfer; above 0 = Demo MLM higher" in first.drawn.layout.coloraxis.colorbar.title.text.replace(
        "<br>", " "
    )
    assert any(each.value.startswith("Hatched, ") and "paired" in each.value for each in app.caption)
    assert any(trace.name == CORRECTED for trace in first.drawn.data)
    shown.clear()
    app.button(key="swap").click().run()
    assert shown[0].drawn.layout.title.text == f"Difference: {CONTRAST} − {MLM}"
    np.testing.assert_allclose(values(shown[0]), -values(first))
