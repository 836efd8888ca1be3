"""A scatter of two measures: every point once in its group, names where they do not hide one another, the line as given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.charts.parts.for_print import MANY as VECTORS
from isogloss.backend.charts.parts.for_print import for_print
from isogloss.backend.charts.relation_scatter import LABELLED, MANY, SILENT, relation_scatter
from isogloss.backend.metrics.regression import fitted_line


def frame(count: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    groups = np.where(np.arange(count) % 3, "many", "few")
    names = [f"<name {i}>" for i in range(count)]
    return pd.DataFrame({"name": names, "group": groups, "x": random.random(count), "y": random.random(count)})


def drawn(data: pd.DataFrame, **more):
    return relation_scatter(data, x_title="X (share)", y_title="Y (share; higher = better)", **more)


@pytest.mark.parametrize("count", [2, LABELLED, LABELLED + 1, MANY + 1, SILENT + 1])
def test_every_point_is_drawn_once_in_its_group(count: int) -> None:
    data = frame(count)
    data.loc[0, "y"] = np.nan
    figure = drawn(data)
    for trace in figure.data:
        own = data[(data["group"] == trace.name) & data["y"].notna()]
        assert trace.x == pytest.approx(own["x"].to_numpy(np.float32))
        assert trace.y == pytest.approx(own["y"].to_numpy(np.float32))
    assert sum(len(trace.x) for trace in figure.data) == count - 1
    sizes = {trace.marker.size for trace in figure.data}
    assert sizes == {4 if count - 1 > SILENT else 6 if count - 1 > MANY else 9}
    assert figure.layout.legend.itemsizing == "constant"
    assert {trace.type for trace in figure.data} == {"scattergl" if count - 1 > SILENT else "scatter"}
    assert all("X: <b>%{x" in trace.hovertemplate for trace in figure.data)


@pytest.mark.parametrize(("count", "kind"), [(VECTORS, "scatter"), (VECTORS + 1, "scattergl")])
def test_paper_has_points_as_vectors_unless_all_groups_together_have_too_many(count: int, kind: str) -> None:
    figure = drawn(frame(count))
    assert all(len(trace.x) <= VECTORS for trace in figure.data)
    spec = for_print(figure, "page")
    assert [trace["type"] for trace in spec["data"]] == [kind, kind]
    for printed, trace in zip(spec["data"], figure.data, strict=True):
        assert np.asarray(printed["x"]) == pytest.approx(trace.x)


def test_names_that_would_hide_one_another_are_left_to_the_pointer() -> None:
    data = pd.DataFrame(
        {
            "name": ["Far", "Near", "Nearer", "Away"],
            "group": "",
            "x": [0.0, 0.5, 0.501, 1.0],
            "y": [0.0, 0.5, 0.501, 1.0],
        }
    )
    (trace,) = drawn(data).data
    shown = list(trace.text)
    assert [shown[0], shown[3]] == ["Far", "Away"]
    assert sorted(shown[1:3]) in (["", "Near"], ["", "Nearer"])
    assert list(trace.hovertext) == ["Far", "Near", "Nearer", "Away"]
    spread = data.assign(x=[0.0, 0.3, 0.6, 1.0], y=[0.0, 0.9, 0.4, 1.0])
    assert all(drawn(spread).data[0].text)


def test_no_two_names_that_are_written_lie_on_one_another() -> None:
    for seed in range(5):
        data = frame(LABELLED, seed).assign(group="")
        (trace,) = drawn(data, width=820, height=390).data
        written = [i for i, text in enumerate(trace.text) if text]
        assert len(written) > LABELLED / 3
        x, y = (np.asarray(each) / np.ptp(each) for each in (trace.x, trace.y))
        for place, i in enumerate(written):
            for j in written[:place]:
                apart = abs(x[i] - x[j]) * 0.72 * 820 >= 8 * 3.4 * 2 - 8 or abs(y[i] - y[j]) * 260 >= 13.9
                assert apart, (data.loc[i, "name"], data.loc[j, "name"])


def test_one_place_or_none_is_no_error() -> None:
    assert drawn(frame(1).assign(x=1.0, y=2.0)).data[0].text[0]
    same = drawn(frame(3).assign(x=1.0, y=2.0, group="")).data[0]
    assert sum(bool(text) for text in same.text) == 1
    assert drawn(frame(2).assign(x=np.nan)).layout.annotations[0].text.startswith("Nothing")


def test_the_line_and_its_band_are_those_given() -> None:
    data = frame(30)
    line = fitted_line(data["x"], data["y"])
    assert line is not None
    band, fit, *_ = drawn(data, line=line).data
    assert fit.y == pytest.approx(line.y.astype(np.float32))
    assert band.y == pytest.approx(np.concatenate([line.high, line.low[::-1]]).astype(np.float32))


def test_a_long_title_of_values_is_one_line_where_the_heading_has_its_name() -> None:
    data = pd.DataFrame({"name": ["a", "b", "c"], "group": "g", "x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, 2.0]})
    long = "Probing accuracy (share of words or examples; higher = better)"
    headed = relation_scatter(data, x_title="X", y_title=long, title="Probing accuracy against X")
    assert headed.layout.yaxis.title.text == "Share of words or examples; higher = better"
    alone = relation_scatter(data, x_title="X", y_title=long)
    assert alone.layout.yaxis.title.text.startswith("Probing accuracy<br>")
