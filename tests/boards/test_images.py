"""Pictures for papers: vectors that stay apart, as wide as asked, in black, and saying what they are of."""

from __future__ import annotations

import io
import os
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import pypdfium2
import pytest
from PIL import Image, ImageOps

from isogloss.backend.boards import images
from isogloss.backend.boards.images import pictures
from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of, pair_of_heatmaps
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.charts.parts.for_print import INCHES, SCALE, TEXT, for_print
from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = {"Title": "Scores <of> ‘us’", "Description": "corpus: Дом & \x07 é"}
NEEDED = pytest.mark.skipif(
    images.browser() is None and not os.environ.get("ISOGLOSS_REQUIRE_BROWSER"), reason="no Chrome or Chromium is installed"
)


def figure(n: int = 6, values: bool = True) -> go.Figure:
    z = np.linspace(0.5, 1, n * n).reshape(n, n)
    z[1, 2] = np.nan
    cells = grid(z, [f"Language {i}" for i in range(n)], [f"checkpoint-{100 * i}" for i in range(n)])
    return heatmap_of(cells, colour_title="Score (share)", row_title="Row", column_title="Column", show_values=values)


@pytest.mark.parametrize("width", ["column", "page"])
def test_cells_are_rectangles_in_the_colours_of_the_bitmap(width: Any) -> None:
    drawn = figure()
    before = drawn.to_json()
    spec = for_print(clickable(drawn, [[["x"]] * 6] * 6) if width == "page" else drawn, width)
    assert not [trace for trace in spec["data"] if trace["type"] == "heatmap"]
    assert not [trace for trace in spec["data"] if (trace.get("marker") or {}).get("opacity") == 0]  # what takes clicks
    shapes = [shape for shape in spec["layout"]["shapes"] if shape["type"] == "rect"]
    places = {(shape["y0"] + 0.5, shape["x0"] + 0.5): shape["fillcolor"] for shape in shapes}
    assert set(places) == {(i, j) for i in range(6) for j in range(6)} - {(1, 2)}  # the missing one stays hatched
    scale = spec["layout"]["coloraxis"]["colorscale"]
    assert places[0, 0] == scale[0][1].lower()
    assert places[5, 5] == scale[-1][1].lower()
    (lines,) = (trace for trace in spec["data"] if trace.get("mode") == "lines" and None in trace["x"])
    assert all(1.5 <= x <= 2.5 for x in lines["x"] if x is not None)
    assert all(0.5 <= y <= 1.5 for y in lines["y"] if y is not None)
    assert width == "page" or drawn.to_json() == before


def test_text_is_black_and_of_eight_points() -> None:
    layout = for_print(figure(), "page")["layout"]
    assert layout["width"] * SCALE / 96 == pytest.approx(INCHES["page"])
    assert pytest.approx(8, abs=0.05) == TEXT * SCALE * 72 / 96
    assert layout["paper_bgcolor"] == "#FFFFFF"
    fonts = [
        layout["font"],
        layout["xaxis"]["tickfont"],
        layout["xaxis"]["title"]["font"],
        layout["coloraxis"]["colorbar"]["tickfont"],
    ]
    assert {font["color"] for font in fonts} == {"#000000"}
    assert min(font["size"] for font in fonts) >= TEXT


def test_numbers_lose_decimals_before_they_are_left_out() -> None:
    def numbers(n: int, width: Any) -> list[str]:
        return [text for trace in for_print(figure(n), width)["data"] if trace.get("mode") == "text" for text in trace["text"]]

    assert numbers(6, "page")[0] == "0.500"
    assert numbers(20, "page")[1] == ".501"
    assert numbers(7, "column")[1] == "0.51"
    assert numbers(14, "column") == []


def test_labels_stand_clear_of_each_other() -> None:
    axis = for_print(figure(24, values=False), "column")["layout"]["xaxis"]
    assert axis["tickangle"] == -90
    assert len(axis["ticktext"]) * 16 <= 416
    assert axis["ticktext"][0] == "checkpoint-0"


def test_panels_side_by_side_are_stacked_in_a_column() -> None:
    cells = grid(np.full((3, 3), 0.7), "abc", "xyz", title="T")
    pair = pair_of_heatmaps(cells, cells, colour_titles=("A", "B"), row_title="R", column_title="C", shared_scale=False)
    layout = for_print(pair, "column")["layout"]
    assert layout["yaxis"]["domain"][0] > layout["yaxis2"]["domain"][1]
    assert layout["xaxis"]["domain"] == layout["xaxis2"]["domain"] == [0, 1]
    assert for_print(pair, "page")["layout"]["xaxis2"]["domain"][0] > 0.5


@NEEDED
def test_each_format_says_what_it_is_of_and_is_made_of_vectors() -> None:
    with pictures() as drawing:
        svg, png, pdf = (drawing.draw(figure(), format, "column", ABOUT) for format in ("svg", "png", "pdf"))
    root = ET.fromstring(svg)
    assert root.get("width") == "312"  # 3.25 inches
    assert root[0].text == ABOUT["Title"]
    assert "Дом & " in (root[1].text or "")
    assert b"<image" not in svg
    assert b"base64" not in svg
    assert svg.count(b"<path") > 35
    assert b"Language 5" in svg
    picture = Image.open(io.BytesIO(png))
    assert picture.width in (975, 976)
    assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.01)
    assert "corpus: Дом" in picture.text["Description"]  # type: ignore[attr-defined]
    assert re.search(rb"/MediaBox ?\[0 0 234 ", pdf)
    assert b"/Subtype /Image" not in pdf
    assert b"/FontFile" in pdf  # embedded
    assert f"/Title <FEFF{ABOUT['Title'].encode('utf-16-be').hex()}>".encode() in pdf
    opened_by_a_reader(pdf)
    (page,) = pypdfium2.PdfDocument(pdf)
    assert {"Row", "Column", "Score (share)"} <= set(page.get_textpage().get_text_bounded().splitlines())
    printed = page.render(scale=300 / 72).to_pil()
    assert np.allclose(inked(printed), inked(picture), atol=5)  # dots: no margin, and nothing cut


def inked(picture: Image.Image) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is not white."""
    found = ImageOps.invert(picture.convert("L")).getbbox()
    assert found is not None
    return found


def opened_by_a_reader(pdf: bytes) -> None:
    """Each table of the file begins where the trailer says, and each object where its table says."""
    start = int(pdf[pdf.rindex(b"startxref") + 9 :].split()[0])
    seen = 0
    while start:
        part = pdf[start:]
        assert part.startswith(b"xref")
        for number, count, body in re.findall(
            rb"(\d+) (\d+) ?\n((?:\d{10} \d{5} [nf] ?\r?\n)+)", part[: part.index(b"trailer")]
        ):
            for i, line in enumerate(body.splitlines()):
                if line[17:18] == b"n":
                    assert pdf[int(line[:10]) :].startswith(b"%d 0 obj" % (int(number) + i)), line
                    seen += 1
            assert len(body.splitlines()) == int(count)
        trailer = part[part.index(b"trailer") : part.index(b"startxref")]
        found = re.search(rb"/Prev (\d+)", trailer)
        start = int(found.group(1)) if found else 0
    assert seen > 5


def test_without_a_browser_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    with pictures() as drawing, pytest.raises(StoreError, match=r"install one .* camera button"):
        drawing.draw(figure(), "svg")
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    assert images.browser() is None


@NEEDED
def test_a_browser_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hangs = tmp_path / "chromium"
    hangs.write_text("#!/bin/sh\nexec sleep 60\n")
    hangs.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(hangs))
    drawing = images.Pictures(patience=1)
    with pytest.raises(StoreError, match="could not be drawn"):
        drawing.draw(figure(), "png")
    drawing.close()
