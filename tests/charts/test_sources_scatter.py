"""Sources as points: every point at its numbers, groups told apart twice, panels on one scale, names as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isogloss.backend.charts.sources_scatter import LABELLED, sources_scatter

NAN = float("nan")
GROUPS = {"human": "Human", "emergent": "Emergent", "random": "Random"}
X, Y = "Score (nats; lower = better)", "chrF (percent; higher = better)"
ROWS = [
    ("a", "human", "full", 5.2, 48.0),
    ("b", "emergent", "full", 5.5, 30.0),
    ("a", "human", "frozen", 5.2, 31.0),
    ("c", "random", "frozen", 5.9, 3.0),
    ("d", "human", "full", NAN, 40.0),
    ("e", "human", "full", 5.3, NAN),
]


def frame(rows: list[tuple[str, str, str, float, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["source", "group", "panel", "x", "y"]).assign(name=lambda own: "$" + own["source"])


def drawn(figure: object) -> set[tuple[str, str, float, float]]:
    """Axis, group, x, y."""
    return {
        (trace.xaxis, trace.legendgroup, round(float(x), 4), round(float(y), 4))
        for trace in figure.data  # type: ignore[attr-defined]
        for x, y in zip(trace.x, trace.y, strict=True)
    }


def test_every_point_is_in_its_panel() -> None:
    figure = sources_scatter(frame(ROWS), x_title=X, y_title=Y, groups=GROUPS, panels={"full": "Full r", "frozen": "Frozen r"})
    assert drawn(figure) == {
        ("x", "human", 5.2, 48.0),
        ("x", "emergent", 5.5, 30.0),
        ("x2", "human", 5.2, 31.0),
        ("x2", "random", 5.9, 3.0),
    }
    assert [each.text for each in figure.layout.annotations] == ["Full r", "Frozen r"]
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    assert {trace.yaxis for trace in figure.data} == {"y"}
    low, high = figure.layout.xaxis.range
    assert low < 5.2 < 5.9 < high


def test_groups_have_a_colour_and_a_symbol_each_and_one_entry_in_the_legend() -> None:
    figure = sources_scatter(frame(ROWS), x_title=X, y_title=Y, groups=GROUPS, panels={"full": "", "frozen": ""})
    looks = {trace.legendgroup: (trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert len({colour for colour, _ in looks.values()}) == len({symbol for _, symbol in looks.values()}) == 3
    assert [trace.name for trace in figure.data if trace.showlegend] == ["Human", "Emergent", "Random"]


def test_names_stand_beside_few_points_and_beside_one_s_own_always() -> None:
    one = sources_scatter(frame(ROWS[:2]), x_title=X, y_title=Y, groups=GROUPS, highlighted=["b"])
    assert [list(trace.text) for trace in one.data] == [["&#36;a"], ["<b>&#36;b</b>"]]
    assert [list(trace.marker.size) for trace in one.data] == [[9], [13]]
    many = frame([(f"s{i}", "human", "full", float(i), float(i)) for i in range(LABELLED + 1)])
    (trace,) = sources_scatter(many, x_title=X, y_title=Y, groups=GROUPS, highlighted=["s3"]).data
    assert [text for text in trace.text if text] == ["<b>&#36;s3</b>"]
    assert "<b>&#36;s4</b>" in trace.hovertext[4]
    assert "chrF: <b>4.0</b>" in trace.hovertext[4]


def test_of_many_of_one_s_own_those_are_named_that_hide_no_other() -> None:
    names = [f"a long name of a source, run {i:03d}" for i in range(100)]
    many = frame([(name, "human", "full", 0.01 * i, 0.001 * (i % 7)) for i, name in enumerate(names)])
    (trace,) = sources_scatter(many, x_title=X, y_title=Y, groups=GROUPS, highlighted=names).data
    named = [(x, y) for x, y, text in zip(trace.x, trace.y, trace.text, strict=True) if text]
    assert 3 < len(named) < 60
    wide, high = np.ptp(trace.x) / 820, np.ptp(trace.y) / 240  # of a pixel
    for i, (x, y) in enumerate(named):
        for other_x, other_y in named[:i]:
            assert abs(y - other_y) >= 13.9 * high or abs(x - other_x) >= 160 * wide
    assert len({text for text in trace.text if text}) == len(named)  # the ends of long names tell them apart
    assert set(trace.marker.size) == {9}  # all are one's own: none stands out
    two = many.assign(panel=["one", "two"] * 50)
    panels = sources_scatter(two, x_title=X, y_title=Y, groups=GROUPS, panels={"one": "", "two": ""}, highlighted=names).data
    assert not any(text for each in panels for text in each.text)


def test_nothing_to_draw_is_said() -> None:
    figure = sources_scatter(frame(ROWS[4:]), x_title=X, y_title=Y, groups=GROUPS)
    assert not figure.data
    assert "No source has both" in figure.layout.annotations[0].text
    same = sources_scatter(frame([ROWS[0]]), x_title=X, y_title=Y, groups=GROUPS)
    assert np.ptp(same.layout.xaxis.range) > 0
