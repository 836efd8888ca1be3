"""The leaderboard: every source at its score, the lowest first or by group, what is one's own in colour."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from isogloss.backend.charts.leaderboard import OTHERS, leaderboard
from isogloss.backend.charts.parts.theme import COLOURS, QUIET

NAN = float("nan")
GROUPS = {"human": "Human", "emergent": "Emergent", "random": "Random"}
TITLE = "Score (nats per token; lower = better)"


def board(rows: list[tuple[str, str, float, float, float, float]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["source", "group", "score", "low", "high", "seeds"])
    return frame.assign(name=frame["source"].str.upper(), targets=2)


ROWS = [
    ("a", "human", 5.2, 5.1, 5.3, 1.0),
    ("b", "emergent", 5.1, 5.0, 5.15, 3.0),
    ("c", "random", 5.9, NAN, NAN, NAN),
    ("d", "human", 5.0, 4.9, 5.05, 1.0),
    ("e", "human", NAN, NAN, NAN, 1.0),
]


def points(figure: go.Figure) -> dict[int, tuple[float, str, str, str]]:
    """Row → score, colour, symbol, hover."""
    found = {}
    for trace in figure.data:
        if trace.mode == "markers":
            marks = zip(trace.y, trace.x, trace.marker.color, trace.hovertext, strict=True)
            found |= {int(y): (round(float(x), 4), colour, trace.marker.symbol, hover) for y, x, colour, hover in marks}
    return found


def rows(figure: go.Figure) -> list[str]:
    return [str(text).replace("<b>", "").split()[0].removesuffix("</b>") for text in figure.layout.yaxis.ticktext]


def test_the_best_first_within_groups_or_over_all() -> None:
    by_group = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE)
    assert rows(by_group) == ["D", "A", "B", "C"]
    assert by_group.layout.xaxis.title.text == TITLE
    assert [points(by_group)[i][0] for i in range(4)] == [5.0, 5.2, 5.1, 5.9]
    assert [each.text for each in by_group.layout.annotations] == ["Human", "Emergent", "Random"]
    assert {shape.line.color for shape in by_group.layout.shapes} == {QUIET}
    by_score = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE, grouped=False)
    assert rows(by_score) == ["D", "B", "A", "C"]
    assert [points(by_score)[i][0] for i in range(4)] == [5.0, 5.1, 5.2, 5.9]
    low, high = by_score.layout.yaxis.range
    assert low > high  # row 0 on top


def test_the_score_to_beat_is_a_line_through_all_rows() -> None:
    for grouped in (True, False):
        drawn = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE, grouped=grouped, baseline="c")
        (line,) = [shape for shape in drawn.layout.shapes if shape.line.dash == "dot"]
        assert (line.x0, line.x1, line.y0, line.y1, line.yref) == (5.9, 5.9, 0, 1, "y domain")
        assert [each.x for each in drawn.layout.annotations if each.text == "to beat"] == [5.9]
        for without in (None, "e", "another"):  # none, one without a score, one that is not shown
            drawn = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE, grouped=grouped, baseline=without)
            assert "dot" not in {shape.line.dash for shape in drawn.layout.shapes}


def test_only_what_is_highlighted_has_colour_and_groups_have_symbols() -> None:
    figure = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE, colours={"b": COLOURS[1]}, grouped=False)
    found = points(figure)
    assert [found[i][1] for i in range(4)] == [OTHERS, COLOURS[1], OTHERS, OTHERS]
    assert found[0][2] == found[2][2]
    assert len({found[i][2] for i in (0, 1, 3)}) == 3
    assert "<b>B</b>" in figure.layout.yaxis.ticktext[1]
    assert "<b>" not in figure.layout.yaxis.ticktext[0]


def test_an_interval_is_a_line_from_low_to_high_where_there_is_one() -> None:
    figure = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE)
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert len(lines) == 1  # one colour, one trace: of each row low and high, and a gap
    places, ends = np.reshape(lines[0].y, (-1, 3)), np.reshape(lines[0].x, (-1, 3))
    assert np.isnan(ends[:, 2]).all()
    assert {int(of[0]): tuple(float(f"{end:.4f}") for end in pair) for of, pair in zip(places, ends[:, :2], strict=True)} == {
        0: (4.9, 5.05),
        1: (5.1, 5.3),
        2: (5.0, 5.15),
    }
    assert (places[:, 0] == places[:, 1]).all()
    strong = leaderboard(board(ROWS), groups=GROUPS, value_title=TITLE, colours={"b": COLOURS[1]})
    assert {(len(trace.x) // 3, trace.line.color) for trace in strong.data if trace.mode == "lines"} == {
        (2, QUIET),
        (1, COLOURS[1]),
    }
    found = points(figure)
    assert "95% interval: 5.000 to 5.150<br>Targets: 2<br>Training seeds: 3" in found[2][3]
    noted = leaderboard(board(ROWS).assign(note=["", "Odd", "", "", ""]), groups=GROUPS, value_title=TITLE)
    assert [points(noted)[place][3].endswith("Odd") for place in range(4)] == [False, False, True, False]
    assert "interval" not in found[3][3]
    assert "seeds" not in found[3][3]
