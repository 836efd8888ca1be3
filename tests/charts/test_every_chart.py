"""Every chart draws what people wrote letter by letter, and says in a sentence where there is nothing to draw."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from isogloss.backend.charts import glance
from isogloss.backend.charts.bars import grouped_bars
from isogloss.backend.charts.by_group import by_group
from isogloss.backend.charts.correlation_heatmap import correlation_heatmap
from isogloss.backend.charts.curves import curves
from isogloss.backend.charts.difference import difference_heatmap
from isogloss.backend.charts.distributions import counted, distributions
from isogloss.backend.charts.gap_curves import gap_curves
from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of, pair_of_heatmaps
from isogloss.backend.charts.interval_panels import interval_panels
from isogloss.backend.charts.leaderboard import leaderboard
from isogloss.backend.charts.model_ranks import model_ranks
from isogloss.backend.charts.overlaid import Axis, overlaid_lines
from isogloss.backend.charts.parts.apart import apart
from isogloss.backend.charts.parts.framed import frame_cells
from isogloss.backend.charts.ranked import ranked_bars
from isogloss.backend.charts.record_points import record_points
from isogloss.backend.charts.relation_over import relation_over
from isogloss.backend.charts.relation_scatter import relation_scatter
from isogloss.backend.charts.sources_scatter import sources_scatter
from isogloss.backend.charts.stacked import stacked_bars
from isogloss.backend.charts.world.world import world
from isogloss.backend.figures.pairs import pairs_scatter

EVIL = '<a href="javascript:alert(1)">x</a> %{evil} $evil$'
TITLES = {"x_title": EVIL, "y_title": EVIL, "title": EVIL}
HEATMAP = {"row_title": EVIL, "column_title": EVIL}


def frame(value: float) -> pd.DataFrame:
    """A row that every chart of rows takes, with the value that it draws."""
    names = dict.fromkeys(("model", "line", "name", "group", "source", "target", "panel", "bar", "statistic", "note"), EVIL)
    numbers = dict.fromkeys(("low", "high", "x", "y", "value", "train", "score", "p"), value)
    return pd.DataFrame([names | numbers | {"step": 1, "epoch": 1, "at": 0.1, "n": 9, "targets": 2, "seeds": 1}])


def cells(value: float):
    return grid(
        [[value]] if value == value else [], [EVIL] if value == value else [], [EVIL], row_groups=[EVIL] * (value == value)
    )


CHARTS: dict[str, Callable[[float], go.Figure]] = {
    "curves": lambda value: curves(frame(value), x="step", value_title=EVIL, title=EVIL, chance_label=EVIL, n_title=EVIL),
    "by_group": lambda value: by_group(
        frame(value), frame(value).dropna(subset=["value"]), value_title=EVIL, title=EVIL, notes=[EVIL]
    ),
    "gap_curves": lambda value: gap_curves(frame(value), **TITLES, levels={EVIL: 0.5}),
    "record_points": lambda value: record_points(frame(value).dropna(), colour_by="model", **TITLES, levels={EVIL: 0.5}),
    "stacked_bars": lambda value: stacked_bars(frame(value), parts={"value": EVIL}, total=EVIL, y_title=EVIL, title=EVIL),
    "overlaid_lines": lambda value: overlaid_lines(
        frame(value), Axis("at", EVIL), Axis("value", EVIL), name="name", notes={"n": (EVIL, ".0f")}, title=EVIL
    ),
    "pairs_scatter": lambda value: pairs_scatter(frame(value), **TITLES, spearman=value, printed=[EVIL]),
    "sources_scatter": lambda value: sources_scatter(frame(value), **TITLES, groups={EVIL: EVIL}, panels={EVIL: EVIL}),
    "relation_scatter": lambda value: relation_scatter(frame(value), **TITLES, notes=[EVIL]),
    "relation_over": lambda value: relation_over(frame(value), names=[EVIL], axis=EVIL, title=EVIL),
    "leaderboard": lambda value: leaderboard(frame(value), groups={EVIL: EVIL}, value_title=EVIL, title=EVIL),
    "model_ranks": lambda value: model_ranks(
        frame(value).assign(rank=1, rank_low=1, rank_high=1, group=EVIL), value_title=EVIL, title=EVIL
    ),
    "interval_panels": lambda value: interval_panels(
        frame(value).assign(measure="m", chance=0.1), {"m": EVIL}, colours={}, chance=EVIL, title=EVIL
    ),
    "ranked_bars": lambda value: ranked_bars([EVIL], [value], value_title=EVIL, best=[True], notes=[EVIL], title=EVIL),
    "grouped_bars": lambda value: grouped_bars(frame(value), group="source", kind="model", value_title=EVIL, title=EVIL),
    "distributions": lambda value: distributions({EVIL: [int(value == value)]}, [0, 1], **TITLES),
    "counted": lambda value: counted({EVIL: [value]}, [0, 1], **TITLES),
    "world": lambda value: world(
        frame(value).assign(mark="language", source="de", target="", pairs=1, group=1, latitude=50.0, longitude=10.0),
        names={"de": EVIL},
        land=[],
        value_title=EVIL,
        ends=(0.0, 1.0),
        title=EVIL,
    ),
    "heatmap_of": lambda value: heatmap_of(cells(value), colour_title=EVIL, **HEATMAP),
    "pair_of_heatmaps": lambda value: pair_of_heatmaps(cells(value), cells(value), colour_titles=(EVIL, EVIL), **HEATMAP),
    "correlation_heatmap": lambda value: correlation_heatmap(
        cells(value), np.ones((int(value == value), 1)), value_title=EVIL, n_title=EVIL, **HEATMAP
    ),
    "difference_heatmap": lambda value: difference_heatmap(
        cells(value), cells(value), first_name=EVIL, second_name=EVIL, colour_title=EVIL, **HEATMAP
    ),
}
DRAWN = CHARTS | {
    "curves of many": lambda value: curves(
        pd.concat([frame(value).assign(model=f"{place}{EVIL}") for place in range(8)]), x="step", value_title=EVIL, title=EVIL
    ),
    "apart": lambda value: apart(
        pd.concat([frame(value).assign(model=f"{place}{EVIL}") for place in range(2)]).pipe(
            curves, x="step", value_title=EVIL, title=EVIL
        )
    ),
    "framed": lambda value: frame_cells(CHARTS["heatmap_of"](value), [(0, 0)], EVIL),
    "glanced lines": lambda value: glance.lines({EVIL: ([1], [value])}, x=EVIL, y=EVIL, chance=None),
    "glanced points": lambda value: glance.points([1], [value], [EVIL], x=EVIL, y=EVIL),
    "glanced ranks": lambda value: glance.ranked([EVIL], [value], x=EVIL),
}


@pytest.mark.parametrize("chart", DRAWN)
def test_what_people_wrote_is_drawn_letter_by_letter(chart: str) -> None:
    drawn = DRAWN[chart](0.5)
    assert drawn.data
    drawn.update_traces(customdata=None)  # what a click reports is no text that is drawn
    plain = json.dumps(drawn.to_dict(), default=lambda array: array.tolist())
    assert "javascript" in plain
    for hostile in ("<a", "%{evil}", "$evil$"):
        assert hostile not in plain


@pytest.mark.parametrize("chart", CHARTS)
def test_where_there_is_nothing_to_draw_a_sentence_says_so(chart: str) -> None:
    drawn = CHARTS[chart](float("nan"))
    assert not drawn.data
    (sentence,) = (each.text for each in drawn.layout.annotations)
    assert len(sentence.split()) > 3
    assert sentence.endswith(".")
