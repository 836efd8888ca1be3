"""The figures of transfer drawn from rows that are gone, as a board draws them anew: an empty figure, no error."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.experiments.transfer import curves, frames, ranking, summary
from isogloss.backend.figures.ordering import Axes
from isogloss.backend.figures.transfer import gaps, matrices, memorised
from isogloss.backend.figures.transfer import ranking as rankings
from isogloss.backend.figures.transfer.asked import Asked

if TYPE_CHECKING:
    from collections.abc import Callable

    import plotly.graph_objects as go

BY = ["model", "label", "algorithm", "corruption"]
NAMED: dict[str, Any] = {"by": BY, "differing": ["algorithm"], "colours": {}}
AXES = Axes({"de": "German", "en": "English"}, {"de": "German", "en": "English"}, None)
MATRIX: dict[str, Any] = {"axes": AXES, "title": "One", "framed": [], "runs": {}, "reached": {}}
ERRORS = pd.DataFrame(columns=[*BY, "run", "step", "epoch", "source", "target", "train_error", "source_error", "target_error"])
EMPTY: dict[str, tuple[Callable[..., go.Figure], pd.DataFrame]] = {
    "curves": (
        partial(gaps.curves, **NAMED, lines="Panels", epsilon=0.1, levels={"chance": 0.5}, nothing="None."),
        frames.igap_curves_and_points([], BY, 0.1, ["all"], each=True),
    ),
    "scatter": (
        partial(gaps.scatter, **NAMED, kind="transfer", along="train", colour_by="epoch", panels=[("de", "en")], levels={}),
        curves.scatter([], BY, "transfer", mean=False),
    ),
    "parts": (
        partial(gaps.parts, differing=[], by_source=True, bars=["de"], runs={}, levels={}, nothing="None."),
        curves.decompose([], BY, 0.0, 0.1),
    ),
    "igap": (partial(memorised.igap, **NAMED, at=0.0, classes=2), curves.mean_curves([], BY, [0.0], 0.1)),
    "training": (
        partial(memorised.training, **NAMED, by_share=True, over_epochs=True, classes=2),
        summary.memorisation(ERRORS, BY),
    ),
    "sources": (
        partial(rankings.sources, target="de", measure="IGap", unit="points", model="One", levels={}),
        pd.DataFrame(columns=["source", "target", "rank", "percent", "deviation", "seeds"]),
    ),
    "accuracies": (partial(rankings.accuracies, title="Ranked"), pd.DataFrame(columns=ranking.COLUMNS)),
    "matrix": (
        partial(matrices.matrix, **MATRIX, asked=Asked("gap"), chance=50.0, at_least=(0.0, 50.0)),
        frames.measured_directions(ERRORS, BY, "gap", asymmetric=False, at=0.0, epsilon=0.1),
    ),
    "difference": (
        partial(matrices.difference, asked=Asked("gap"), axes=AXES, first="One", second="Two", notes=[["", ""]] * 2),
        pd.DataFrame(columns=["source", "target", "first", "second", "value", "percent"]),
    ),
}


@pytest.mark.parametrize(("drawing", "rows"), EMPTY.values(), ids=list(EMPTY))
def test_without_rows_a_figure_is_empty(drawing: Callable[..., go.Figure], rows: pd.DataFrame) -> None:
    assert rows.empty
    drawn = drawing(rows)
    if drawn.data and drawn.data[0].type == "heatmap":
        assert np.isnan(drawn.data[0].z).all()
        assert drawn.data[1].name == "no value"
    else:
        assert not drawn.data
        assert drawn.layout.annotations  # says so


def test_the_accuracies_of_many_languages_are_counted() -> None:
    random = np.random.default_rng(0)
    tags = sorted(genera())[:60]
    for amount, kind in ((rankings.MOST, 3 * [rankings.MOST + 1]), (len(tags), 3 * [20])):
        rows = pd.DataFrame(
            [
                {"score": score, "language": tag, "value": float(random.random()), "directions": 9}
                for score in ("Cos", "IGap", "L2")
                for tag in tags[:amount]
            ]
        )
        average = rows.groupby("score", as_index=False)["value"].mean().assign(language=ranking.AVERAGE, directions=9 * amount)
        drawn = rankings.accuracies(pd.concat([rows, average], ignore_index=True), title="Ranked")
        assert [len(trace.x) for trace in drawn.data] == kind
    assert [trace.name.split("<br>")[0] for trace in drawn.data] == ["IGap", "L2", "Cos"]
    for trace in drawn.data:
        own = 100 * rows.loc[rows["score"] == trace.name.split("<br>")[0], "value"]
        expected = [sum(low <= value < low + 5 for value in own) for low in range(0, 100, 5)]
        assert trace.y.tolist() == expected
        assert f"mean {own.mean():.2f}" in trace.name
