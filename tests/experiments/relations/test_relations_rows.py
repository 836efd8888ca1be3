"""Correlations from the rows of a table alone are those of the arrays that the rows were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from tables_by_hand import LANGUAGES, fill, reading, write

from isogloss.backend.experiments.relations.correlations import known, relate
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored
from isogloss.backend.experiments.relations.rows import joined_of, related
from isogloss.backend.experiments.relations.tables import join, table
from isogloss.backend.figures import relations as figures

if TYPE_CHECKING:
    from pathlib import Path


QUESTIONS = {
    "pairs": Question(unit="pair", readings={"x": reading("form", layer=1), "y": reading("task")}),
    "pairs once": Question(unit="pair", readings={"x": reading("form", layer=1), "y": reading("form", layer=2)}),
    "pairs over layers": Question(
        unit="pair", along="layer", readings={"x": reading("form", layer="each"), "y": reading("form", checkpoint="c0")}
    ),
    "languages over checkpoints": Question(
        unit="language",
        along="checkpoint",
        readings={"x": reading("form", checkpoint="each"), "y": reading("task", checkpoint="each", role="source")},
    ),
    "layers": Question(unit="layer", readings={"x": reading("form"), "y": reading("form", checkpoint="c1")}),
    "checkpoints": Question(unit="checkpoint", readings={"x": reading("form"), "y": reading("task")}),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=list(QUESTIONS))
def test_the_rows_give_what_the_scores_give(tmp_path: Path, question: Question) -> None:
    fill(tmp_path)
    joined, rows = join(question, [tmp_path]), table(question, [tmp_path])
    again = joined_of(rows, question)
    assert again.symmetric == joined.symmetric
    pd.testing.assert_frame_equal(again.frame(), rows)
    assert repr(related(rows, question)) == repr(relate(joined, "x", "y"))  # nan is nan


def test_a_directed_measure_of_one_source_has_no_other_half(tmp_path: Path) -> None:
    """Its rows could be those of pairs that count once: the measure's name tells that they are not."""
    random = np.random.default_rng(0)
    for place, metric in enumerate(("igap", "transfer_gap")):
        rows = [{"source": a, "target": b, "value": random.random()} for a in LANGUAGES for b in LANGUAGES if a < b]
        write(tmp_path, "two", metric, rows, str(place) * 24)
    of = Scored(experiment="two", metric="igap", corpus="corpus", variant="v", checkpoints=("c0",), steps=(0,))
    readings = {"x": Reading(of=of), "y": Reading(of=of.model_copy(update={"metric": "transfer_gap"}))}
    question = Question(unit="pair", readings=readings)
    found = related(table(question, [tmp_path]), question)
    assert found == relate(join(question, [tmp_path]), "x", "y")
    assert found[0].plain.n == 15


def notes_over(x: list[float], y: list[float]) -> str:
    rows = pd.DataFrame({"language": ["ar", "de", "en", "es", "fi", "hi", "ja", "zh"], "x": x, "y": y})
    readings = {"x": reading("form"), "y": reading("task")}
    drawn = figures.scatter(
        rows, question=Question(unit="language", readings=readings), by="Nothing", fit=False, x_title="x", y_title="y", title=""
    )
    return str(drawn.layout.annotations[0].text)


def test_a_ceiling_and_the_least_possible_p_are_said_over_the_scatter() -> None:
    rising, mixed = [1.0, 2.0, 3.5, 4.0, 5.5, 6.0, 7.5, 9.0], [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0]
    strong, weak = notes_over(rising, rising), notes_over(rising, mixed)
    assert "p = 0.001, least possible (999 permutations)" in strong
    assert "least possible" not in weak
    assert "share" not in strong
    half = [1.0, 1.0, 1.0, 1.0, 0.5, 0.6, 0.7, 0.8]
    assert "share" not in notes_over(half, mixed)
    ceiling = [1.0, 1.0, 1.0, 1.0, 1.0, 0.6, 0.7, 0.8]
    assert "5 of 8 points share x = 1.000: the 3 others decide r" in notes_over(ceiling, mixed)
    assert "5 of 8 points share y = 1.000: the 3 others decide r" in notes_over(mixed, ceiling)


def test_without_scores_each_figure_says_so(tmp_path: Path) -> None:
    """A pinned figure is drawn anew from what is there: where its scores are gone, it is no error."""
    question = QUESTIONS["pairs"]
    rows = table(question, [tmp_path])
    titles = {"x_title": "x", "y_title": "y", "title": "A title"}
    cells = pd.DataFrame(columns=["checkpoint", "layer", "value", "p", "n"])
    pairs = known(pd.DataFrame({"x": ["a", "b"], "y": ["b", "a"], "value": np.nan, "p": np.nan, "n": 0}))
    over = pd.DataFrame(columns=["layer", "statistic", "value", "low", "high", "p", "n"])
    partial = pd.DataFrame(columns=["source", "target", "predictor", "x", "y"])
    drawn = [
        figures.scatter(rows, question=question, by="Script", fit=True, **titles),
        figures.over(over, along="layer", axis="Layer", names={}, title="A title"),
        figures.where(cells, statistic="Pearson", unit="pair", columns={"c": "one"}, column_title="Step", title="A title"),
        figures.matrix(pairs, statistic="Pearson", unit="pair", labels={"a": "A", "b": "B"}),
        figures.partial_plot(partial, question=question, predictor="x", width=400, **titles),
        figures.sources(pd.DataFrame(columns=["target", "chosen", "best", "rank", "sources", "wins"]), title="A title"),
        figures.checkpoints(pd.DataFrame(columns=["language", "delta"]), unit="share", labels={}, title="A title"),
    ]
    for each in drawn:
        assert not each.data
        assert each.layout.annotations
