import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.grid import grid, hover_texts, pivot
from isogloss.backend.charts.heatmap import heatmap_of, natural_height, pair_of_heatmaps
from isogloss.backend.charts.parts.click import CHOSEN, clickable
from isogloss.backend.charts.parts.colourbar import LONGEST, colour_axis, of_several, score_range
from isogloss.backend.charts.parts.for_print import for_print
from isogloss.backend.charts.parts.hatch import NAME, hatch, rectangles
from isogloss.backend.charts.parts.projector import enlarged
from isogloss.backend.charts.parts.text import CHARACTER
from isogloss.backend.figures import abx

TITLES = {
    "colour_title": "Meaning discrimination (share of triplets)",
    "row_title": "Layer (0 = input)",
    "column_title": "Step",
}
HOSTILE = '<a href="javascript:alert(1)">x</a>'


def scores(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.5, 1, (rows, columns))


def heatmap(values, rows, columns, *, title="", undefined=None, row_groups=None, **options) -> go.Figure:
    return heatmap_of(grid(values, rows, columns, title=title, undefined=undefined, row_groups=row_groups), **options)


def first_heatmap(figure: go.Figure) -> go.Heatmap:
    return next(trace for trace in figure.data if isinstance(trace, go.Heatmap))


def keys(rows: int, columns: int) -> list[list[list[int]]]:
    return [[[i, j] for j in range(columns)] for i in range(rows)]


def test_scores_travel_as_one_typed_array() -> None:
    values = scores(3, 4)
    figure = heatmap(values[:, ::-1], "abc", "wxyz", **TITLES)
    sent = json.loads(figure.to_json())["data"][0]
    assert sent["z"]["dtype"] == "f4"
    assert sent["z"]["shape"] == "3, 4"
    assert {"bdata", "dtype", "shape"} == set(sent["z"])
    assert (sent["x0"], sent["dx"], sent["y0"], sent["dy"]) == (0, 1, 0, 1)
    assert "xgap" not in sent
    assert first_heatmap(figure).z.flags.c_contiguous
    assert np.array_equal(first_heatmap(figure).z, values[:, ::-1].astype(np.float32))


def test_json_round_trip() -> None:
    values = scores(5, 6)
    values[1, 2] = np.nan
    figure = clickable(heatmap(values, range(5), range(6), **TITLES, row_groups="aabbc"), keys(5, 6))
    assert json.loads(pio.from_json(figure.to_json()).to_json()) == json.loads(figure.to_json())


def test_axes_have_titles_and_labels() -> None:
    figure = heatmap(scores(3, 4), ["0", "1", "2"], ["0", "5k", "10k", "1M"], **TITLES, title="T", first_row="bottom")
    assert figure.layout.xaxis.title.text == "Step"
    assert figure.layout.yaxis.title.text == "Layer (0 = input)"
    assert figure.layout.xaxis.ticktext == ("0", "5k", "10k", "1M")
    assert figure.layout.yaxis.range == (-0.5, 2.5)
    assert heatmap(scores(3, 4), range(3), range(4), **TITLES).layout.yaxis.range == (2.5, -0.5)


def test_chance_is_named_on_the_colour_bar() -> None:
    bar = heatmap(scores(3, 4), range(3), range(4), **TITLES).layout.coloraxis
    assert "0.5 chance" in bar.colorbar.ticktext
    assert (bar.cmin, bar.cmax) == (0.5, 1.0)
    without = heatmap(scores(2, 2), range(2), range(2), **TITLES, chance=None).layout.coloraxis.colorbar
    assert "chance" not in "".join(without.ticktext)
    equal = heatmap(np.full((3, 3), 0.5), range(3), range(3), **TITLES).layout.coloraxis
    assert (equal.cmin, equal.cmax) == (0.5, 1.0)


@pytest.mark.parametrize("height", [190, 260, 900])
def test_no_number_lies_on_that_of_chance(height: int) -> None:
    for low in np.linspace(0.30, 0.49, 40):
        bar = colour_axis("Score", (float(low), 0.9), "viridis", 0.5, x=1.0, height=height)["colorbar"]
        [chance] = [tick for tick, text in zip(bar["tickvals"], bar["ticktext"], strict=True) if "chance" in text]
        pixel = (0.9 - low) / (bar["len"] * (height - 110))
        assert all(abs(tick - chance) >= 16 * pixel for tick in bar["tickvals"] if tick != chance)


def test_scores_below_chance_widen_the_range() -> None:
    cells = grid([[0.42, 0.9]], ["a"], ["x", "y"])
    assert score_range(cells) == (pytest.approx(0.42), 1.0)
    assert score_range(grid([[np.nan]], ["a"], ["x"])) == (0.5, 1.0)
    assert score_range(grid([[0.7, 0.7]], ["a"], ["x", "y"]), chance=None) == pytest.approx((0.695, 0.705))
    assert score_range(grid([[np.nan]], ["a"], ["x"]), chance=None) == (0.0, 1.0)


def test_missing_cells_are_hatched_and_named() -> None:
    values = scores(4, 5)
    values[1, 1:3] = np.nan
    figure = heatmap(values, range(4), range(5), **TITLES)
    cover = next(trace for trace in figure.data if trace.name == NAME)
    assert cover.fillpattern.shape == "/"
    assert cover.showlegend
    assert (min(cover.x), max(cover.x), min(cover.y), max(cover.y)) == (0.5, 2.5, 0.5, 1.5)
    assert "not computed" in first_heatmap(figure).hovertext[1][1]
    assert np.isnan(first_heatmap(figure).z[1, 1])
    values = scores(3, 3)
    np.fill_diagonal(values, np.nan)
    figure = heatmap(values, "abc", "abc", **TITLES, undefined=np.eye(3, dtype=bool))  # these are empty and silent
    assert not any(trace.name == NAME for trace in figure.data)
    assert first_heatmap(figure).hovertext[1][1] == ""


@given(arrays(bool, st.tuples(st.integers(0, 8), st.integers(0, 8))))
def test_rectangles_cover_each_cell_once(mask: np.ndarray) -> None:
    covered = np.zeros(mask.shape, int)
    for top, bottom, left, right in rectangles(mask):
        covered[top : bottom + 1, left : right + 1] += 1
    assert np.array_equal(covered, mask.astype(int))
    assert rectangles(np.ones((36, 36), bool)) == [(0, 35, 0, 35)]  # what touches is joined
    assert hatch(np.zeros((3, 3), bool)) is None


def test_hover_says_everything() -> None:
    cells = grid([[0.8, np.nan]], ["8"], ["5k", HOSTILE], low=[[0.75, 0]], high=[[0.85, 0]], n=[[998, 0]])
    texts = hover_texts(
        cells, row_title="Layer (0 = input)", column_title="Step", colour_title="Meaning (share)", n_title="Sentences"
    )
    assert (
        texts[0][0]
        == "Layer: <b>8</b><br>Step: <b>5k</b><br>Meaning: <b>0.800</b><br>95% interval: 0.750 to 0.850<br>Sentences: 998"
    )
    assert "<a" not in texts[0][1]
    assert "not computed" in texts[0][1]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 39), (36, 1)])
def test_one_row_or_column(rows: int, columns: int) -> None:
    figure = clickable(heatmap(scores(rows, columns), range(rows), range(columns), **TITLES), keys(rows, columns))
    assert figure.layout.xaxis.range == (-0.5, columns - 0.5)
    assert len(figure.data[-1].x) == rows * columns


@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (0, 3), (3, 0)])
def test_nothing_to_show(rows: int, columns: int) -> None:
    figure = clickable(heatmap(np.empty((rows, columns)), range(rows), range(columns), **TITLES), keys(rows, columns))
    assert "nothing to show" in figure.layout.annotations[0].text
    cells = grid([], [], [])
    assert not pair_of_heatmaps(cells, cells, colour_titles=("a", "b"), row_title="r", column_title="c").data


def test_shapes_must_fit() -> None:
    with pytest.raises(ValueError, match="does not fit 2 row labels"):
        grid(scores(3, 3), "ab", "abc")
    with pytest.raises(ValueError, match="groups do not fit"):
        grid(scores(2, 2), "ab", "ab", row_groups=["x"])
    with pytest.raises(ValueError, match="customdata"):
        clickable(heatmap(scores(2, 2), "ab", "ab", **TITLES), keys(2, 3))
    with pytest.raises(ValueError, match="1 heatmaps"):
        clickable(heatmap(scores(2, 2), "ab", "ab", **TITLES))


def test_lines_between_groups_go_no_further_than_cells_do() -> None:
    """They are white, and would shout in the empty half of a triangle on a dark page."""

    def white(figure: go.Figure) -> list[go.layout.Shape]:
        return [shape for shape in figure.layout.shapes if "255,255,255" in shape.line.color]

    upper = ~np.tri(4, dtype=bool)
    [across, down] = white(heatmap(scores(4, 4), "abcd", "abcd", **TITLES, undefined=upper, row_groups="xxyy"))
    assert (across.y0, across.y1, across.x0, across.x1, across.xref) == (1.5, 1.5, -0.5, 2.5, "x")
    assert (down.x0, down.x1, down.y0, down.y1, down.yref) == (1.5, 1.5, 0.5, 3.5, "y")
    [none] = white(heatmap(scores(2, 1), "ab", "c", **TITLES, undefined=[[1], [1]], row_groups="xy"))
    assert none.x0 == none.x1


def test_many_labels_are_thinned_or_turned() -> None:
    ticks = heatmap(scores(13, 39), range(13), [f"{i}k" for i in range(39)], **TITLES).layout.xaxis.tickvals
    assert (ticks[0], ticks[-1]) == (0, 38)
    long = heatmap(scores(36, 36), range(36), ["Portuguese"] * 36, **TITLES)
    assert long.layout.xaxis.tickangle == -90
    assert len(long.layout.yaxis.tickvals) == 36
    assert natural_height(36) <= long.layout.height < 660


def test_few_rows_keep_their_height_above_names_that_are_turned() -> None:
    def height(names: list[str]) -> int:
        return heatmap(scores(5, 4), range(5), names, **TITLES).layout.height

    assert height(["Basque"] * 4) == natural_height(5)
    assert height(["Finnish (a text that is not kept)"] * 4) >= natural_height(5) + 200  # 32 characters of 7 pixels


def test_every_cell_reports_its_key_at_any_distance() -> None:
    values = scores(3, 4)
    custom = [[None if (i, j) == (1, 1) else [f"row {i}", HOSTILE] for j in range(4)] for i in range(3)]
    figure = clickable(heatmap(values, range(3), range(4), **TITLES), custom, selected=(2, 3))
    markers = figure.data[-1]
    assert figure.layout.hoverdistance == -1
    assert len(markers.customdata) == 11
    assert (1, 1) not in set(zip(markers.y, markers.x, strict=True))
    assert markers.marker.opacity == 0
    assert markers.marker.size < 10
    assert markers.marker.maxdisplayed == 1  # a browser makes no shape of the others, and finds them all the same
    (chosen,) = markers.selectedpoints
    assert (markers.y[chosen], markers.x[chosen]) == (2, 3)
    assert list(markers.customdata[chosen]) == ["row 2", HOSTILE]
    frames = [(shape.x0, shape.x1, shape.y0, shape.y1, shape.fillcolor) for shape in figure.layout.shapes]
    assert frames == [(2.5, 3.5, 1.5, 2.5, None)] * 2  # its number can be read
    assert not [shape for shape in enlarged(figure).layout.shapes if shape.name == CHOSEN]
    assert not [shape for shape in for_print(figure, "page")["layout"]["shapes"] if shape.get("name") == CHOSEN]
    assert first_heatmap(figure).hoverinfo == "skip"
    assert markers.hovertext[0].startswith("Layer: <b>0</b>")


def test_two_side_by_side() -> None:
    left, right = grid(scores(3, 4), "abc", "wxyz", title="L"), grid(scores(3, 4, 1), "abc", "wxyz", title="R")
    titles = {"row_title": "Layer", "column_title": "Step", "title": "T"}
    shared = pair_of_heatmaps(left, right, colour_titles=("A (x)", "B (y)"), **titles)
    assert {trace.coloraxis for trace in shared.data} == {"coloraxis"}
    assert shared.layout.yaxis2.matches == "y"
    assert [a.text for a in shared.layout.annotations] == ["<b>L</b>", "<b>R</b>"]
    own = pair_of_heatmaps(left, right, colour_titles=("A (x)", "B (y)"), shared_scale=False, **titles)
    assert [trace.coloraxis for trace in own.data] == ["coloraxis", "coloraxis2"]
    assert own.layout.coloraxis.cmin == pytest.approx(float(left.values.min()))
    clicked = clickable(own, keys(3, 4), keys(3, 4))
    assert [trace.xaxis for trace in clicked.data[-2:]] == ["x", "x2"]


def test_two_with_different_rows_keep_their_own_axes() -> None:
    left, right = grid(scores(3, 4), "abc", "wxyz"), grid(scores(2, 4), "de", "wxyz")
    figure = pair_of_heatmaps(left, right, colour_titles=("A", "A"), row_title="Layer", column_title="Step")
    assert figure.layout.yaxis2.matches is None
    assert figure.layout.yaxis2.ticktext == ("d", "e")
    left, right = grid([[np.nan, 1]], "a", "xy"), grid([[1, np.nan]], "a", "xy")
    figure = pair_of_heatmaps(left, right, colour_titles=("A", "A"), row_title="Layer", column_title="Step")
    assert [trace.showlegend for trace in figure.data if trace.name == NAME] == [True, False]  # one entry for two with gaps


def test_difference_is_centred_on_zero() -> None:
    first, second = grid([[0.9, np.nan, 0.5]], "a", "xyz"), grid([[0.7, 0.6, 0.6]], "a", "xyz")
    figure = difference_heatmap(first, second, first_name="M1", second_name=HOSTILE, **TITLES)
    axis = figure.layout.coloraxis
    assert axis.cmin == -axis.cmax
    assert axis.cmax == pytest.approx(0.2)
    assert first_heatmap(figure).z[0] == pytest.approx([0.2, np.nan, -0.1], nan_ok=True)
    assert any(trace.name == NAME for trace in figure.data)
    assert "+0.200" in first_heatmap(figure).hovertext[0][0]
    assert "<a" not in axis.colorbar.title.text
    same = difference_heatmap(first, first, first_name="a", second_name="b", **TITLES)
    assert (same.layout.coloraxis.cmin, same.layout.coloraxis.cmax) == (-0.01, 0.01)
    with pytest.raises(ValueError, match="same rows"):
        difference_heatmap(first, grid([[1]], "a", "x"), first_name="a", second_name="b", **TITLES)


def test_pivot_places_each_score_and_leaves_the_rest_missing() -> None:
    frame = pd.DataFrame(
        {"layer": [0, 1, 1], "step": [10, 0, 10], "value": [0.6, 0.7, 0.8], "low": [0.5, 0.6, 0.7], "n": [9, 9, 9]}
    )
    cells = pivot(frame, row="layer", column="step", rows=[1, 0], columns=[0, 10, 20])
    assert cells.values == pytest.approx(np.array([[0.7, 0.8, np.nan], [np.nan, 0.6, np.nan]]), nan_ok=True)
    assert cells.row_labels == ("1", "0")
    assert cells.low is not None
    assert cells.low[0, 1] == pytest.approx(0.7)
    assert cells.high is None
    assert pivot(frame, row="layer", column="step").values.shape == (2, 2)
    with pytest.raises(ValueError, match="More than one score"):
        pivot(pd.concat([frame, frame]), row="layer", column="step")


def test_pivot_of_pairs_fills_both_triangles() -> None:
    frame = pd.DataFrame({"source": ["a", "a"], "target": ["b", "c"], "value": [0.6, 0.7]})
    cells = pivot(frame, row="source", column="target", symmetric=True)
    assert cells.row_labels == cells.column_labels == ("a", "b", "c")
    assert cells.values[0, 1] == cells.values[1, 0] == np.float32(0.6)
    assert cells.missing.sum() == 2  # b and c, both ways; not the diagonal
    assert pivot(frame.iloc[:0], row="source", column="target", symmetric=True).values.shape == (0, 0)


@pytest.mark.parametrize(("low", "ends"), [(0.8, (0.8, 0.98)), (0.6, (0.5, 1.0))])
def test_colours_are_fitted_where_scores_span_less_than_half_of_the_scale(low: float, ends: tuple[float, float]) -> None:
    cells = grid([[low, 0.98]], "a", "bc")
    pair = pair_of_heatmaps(cells, cells, colour_titles=("Score", "Score"), row_title="", column_title="", fitted=None)
    for axis in (pair.layout.coloraxis, heatmap_of(cells, **TITLES, fitted=None).layout.coloraxis):
        assert (axis.cmin, axis.cmax) == pytest.approx(ends)
        assert ("<br>Colours fitted: 0.800 to 0.980" in axis.colorbar.title.text) == (low == 0.8)
        mark = dict(zip(axis.colorbar.ticktext, axis.colorbar.tickvals, strict=True))
        assert mark["↓ 0.5 chance" if low == 0.8 else "0.5 chance"] == pytest.approx(ends[0])


@pytest.mark.parametrize("shared", [True, False])
def test_groups_of_two_panels_are_parted_in_both_and_named(shared: bool) -> None:
    cells = grid(scores(3, 3), "abc", "abc", row_groups=["Indo", "Indo", "Turkic"])
    pair = pair_of_heatmaps(
        cells, cells, colour_titles=("A", "B"), row_title="", column_title="", shared_scale=shared, chance=None
    )
    parting = [(line.xref, line.yref, line.x0, line.y0) for line in pair.layout.shapes if "domain" in line.xref + line.yref]
    assert parting == [
        *[("x domain", "y", 0, 1.5), ("x", "y domain", 1.5, 0)],
        *[("x2 domain", "y2", 0, 1.5), ("x2", "y2 domain", 1.5, 0)],
    ]
    named = [note.text for note in pair.layout.annotations if note.yref in ("y", "y2")]
    assert named == (["Indo", "Turkic"] if shared else [])
    assert ((pair.layout.margin.r or 0) > 100) == shared  # where there is room for the names
    assert (pair.layout.coloraxis.colorbar.xref == "container") == shared


def test_pairs_have_neither_the_first_languages_row_nor_the_last_ones_column() -> None:
    ends = [("de", "en"), ("de", "tr"), ("en", "tr")]
    rows = pd.DataFrame(ends, columns=["source", "target"]).assign(n=9)
    for name in ("language", "meaning"):
        rows[[name, f"{name}_low", f"{name}_high"]] = np.add([[0.6], [0.7], [0.8]], [0, -0.01, 0.01])
    drawn = abx.pairs(rows, languages=["tr", "de", "en"], order="family", shared=True, some=False, title="")
    assert list(drawn.layout.yaxis.ticktext) == ["German", "Turkish"]
    assert list(drawn.layout.xaxis.ticktext) == ["English", "German"]
    assert abx.in_lower_half(0, 2) == (1, 0)
    np.testing.assert_allclose(drawn.data[0].z, [[0.6, np.nan], [0.8, 0.7]], atol=1e-6)
    assert "0.690 to 0.710" in drawn.data[0].hovertext[1][1]
    assert [line.x0 for line in drawn.layout.shapes if line.yref == "y domain"] == []  # Turkish has no column


def test_heatmaps_of_several_models_share_their_colours() -> None:
    nan = float("nan")
    assert of_several([0.2, nan, 0.3], (0.1, 0.25), (0.0, 1.0), None) == ((0.1, 0.3), True)  # narrow, and moved by what came
    assert of_several([0.2], (0.1, 0.9), (0.0, 1.0), None) == ((0.0, 1.0), False)
    assert of_several([0.2], (0.1, 0.9), (0.0, 1.0), True) == ((0.1, 0.9), True)
    assert of_several([nan], (0.1, 0.2), (0.0, 1.0), False) == ((0.0, 1.0), False)
    assert of_several([7.0], (3.0, 5.0), None, None) == ((3.0, 7.0), True)
    assert of_several([7.0], (3.0, 5.0), None, False) == ((3.0, 7.0), False)


@pytest.mark.parametrize("rows", [3, 22, 60, 204])
def test_the_bar_begins_at_the_top_and_ends_within_the_first_screen(rows: int) -> None:
    """Whatever the height of the cells; its title fits along it."""
    bar = heatmap(scores(rows, 3), range(rows), range(3), **TITLES).layout.coloraxis.colorbar
    cells = natural_height(rows) - 110
    assert (bar.y, bar.yanchor) == (1, "top")
    assert bar.len * cells == pytest.approx(min(cells, LONGEST))
    assert bar.len <= 1
    assert all(CHARACTER * len(line) <= max(bar.len * cells, 12 * CHARACTER) for line in bar.title.text.split("<br>"))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("rows", [4, 36])
def test_bars_of_stacked_panels_stand_beside_one_panel_each(shared: bool, rows: int) -> None:
    cells = grid(scores(rows, 3), range(rows), range(3), title="Left")
    titles = (TITLES["colour_title"], "Language discrimination (share of triplets)")
    axes = {"row_title": TITLES["row_title"], "column_title": TITLES["column_title"]}
    layout = for_print(pair_of_heatmaps(cells, cells, colour_titles=titles, shared_scale=shared, **axes), "column")["layout"]
    panels = [layout["yaxis"]["domain"], layout["yaxis2"]["domain"]]
    bars = [layout[name]["colorbar"] for name in ("coloraxis", "coloraxis2") if name in layout]
    assert len(bars) == 2 - shared
    for bar, (bottom, top) in zip(bars, panels, strict=False):
        assert (bar["y"], bar["yanchor"]) == (top, "top")
        assert bar["len"] == pytest.approx(top - bottom)
    assert panels[1][1] < panels[0][0]
