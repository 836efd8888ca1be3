"""What a figure gives away, through a real browser: its data as CSV and Parquet, a page of its own, its Python and its card."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pandas as pd
import plotly.graph_objects as go
import pytest
from playwright.sync_api import expect
from visitors import visitor

from isogloss.backend.metrics.intervals import normal_as_jackknife
from isogloss.backend.models.library import library as models

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
DEMO = Path(__file__).resolve().parents[2] / "cache" / "demo"
KEYS = ["metric", "checkpoint", "layer"]


def download(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as caught:
        page.get_by_role("button", name=button).click()
    path = folder / caught.value.suggested_filename
    caught.value.save_as(path)
    return path


def by_key(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows in the order of their keys, the numbers that are drawn alone."""
    return frame.sort_values(KEYS)[[*KEYS, "value", "low", "high"]].reset_index(drop=True)


def stored(model: str) -> pd.DataFrame:
    """The mean over pairs of one model's scores, from the files of the store by pandas alone."""
    (entry,) = (each for each in models.entries([DEMO]) if each.name == model)
    rows = pd.concat(pd.read_parquet(path) for path in (DEMO / "scores" / "abx").glob("*.parquet"))
    rows = rows[rows["checkpoint"].isin([checkpoint.fingerprint for checkpoint in entry.checkpoints])]
    rows = rows[rows["metric"].isin(["abx_language", "abx_meaning"])]  # what the figure draws
    rows = rows.drop_duplicates([*KEYS, "source", "target"])
    # The demo's files are of before ABX's intervals were on Wilson's scale, and are read as if they were of today.
    rows["low"], rows["high"] = normal_as_jackknife(rows["value"], rows["low"], rows["high"], rows["n"])
    return by_key(rows.groupby(KEYS, as_index=False)[["value", "low", "high"]].mean())


def test_figure_gives_its_numbers_its_page_its_python_and_its_card(
    page: Page, browser: Browser, demo_url: str, tmp_path: Path
) -> None:
    page.goto(f"{demo_url}/abx")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.get_by_role("button", name="Export").first.click()
    csv = pd.read_csv(download(page, "CSV", tmp_path))
    parquet = pd.read_parquet(download(page, "Parquet", tmp_path))
    web = download(page, "Web page", tmp_path)
    page.keyboard.press("Escape")

    (model,) = set(csv["model"])
    expected = stored(model)
    assert len(expected) == 2 * 8 * 5  # measures × checkpoints × layers
    for frame in (csv, parquet):
        pd.testing.assert_frame_equal(by_key(frame), expected, check_dtype=False, rtol=1e-6)

    alone_works_offline(browser, web, model)

    page.get_by_role("button", name="More", exact=True).first.click()
    page.get_by_role("tab", name="Python").click()
    code = page.locator("[data-testid=stCode]:visible").first
    namespace: dict[str, Any] = {}
    with patch.object(go.Figure, "show"):
        exec(code.inner_text(), namespace)
    frame = namespace["frame"]
    assert [trace.type for trace in namespace["figure"].data][:2] == ["heatmap", "heatmap"]
    pd.testing.assert_frame_equal(
        by_key(frame[frame["checkpoint"].isin(expected["checkpoint"])]), expected, check_dtype=False, rtol=1e-6
    )
    page.get_by_role("tab", name="About").click()
    expect(page.locator(".katex").first).to_be_visible()
    expect(page.get_by_test_id("stCode").filter(has_text="@inproceedings{de-seyssel-etal-2025-discriminating")).to_be_visible()


def alone_works_offline(browser: Browser, web: Path, model: str) -> None:
    """The page draws its figure from a file, and asks the network for nothing."""
    asked: list[str] = []
    with visitor(browser) as alone:
        alone.on("request", lambda request: asked.append(request.url))
        alone.goto(web.as_uri())
        expect(alone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        expect(alone.get_by_role("heading", level=1)).to_contain_text(model)
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        assert len(asked) >= 1
