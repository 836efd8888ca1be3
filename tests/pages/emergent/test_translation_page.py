"""Translation and Score × statistic on the Emergent page: tables and figures are what their Python gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.experiments.xferbench.printed import tables as published
from tests.pages.abx.abx_page import Shown
from tests.pages.emergent import benchmark_workspace as benchmark
from tests.pages.emergent import translation_workspace as made
from tests.pages.emergent.emergent_page import again, open_page, said

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shown(exported: list[Shown]) -> list[Shown]:
    """Every figure and every table, in order."""
    return exported


def points(drawn: Any) -> set[tuple[str, float, float]]:
    return {
        (trace.xaxis or "x", round(float(x), 3), round(float(y), 3))
        for trace in drawn.data
        for x, y in zip(trace.x, trace.y, strict=True)
    }


@pytest.mark.parametrize("metric", ["chrF", "BLEU"])
def test_the_table_the_figure_and_the_printed_one_are_what_their_python_gives(
    workspace: Path, shown: list[Shown], metric: str
) -> None:
    keys = made.fill(workspace)
    app = open_page(view="Translation", mt_metric=metric, corpora=["Mine", "Random"])
    table, own, printed, translations = shown
    for each in shown:
        again(each)
    scale = 1.0 if metric == "chrF" else 0.1
    assert table.data["source"].tolist() == [keys[name] for name in ("Human", "Mine", benchmark.ODD, "Random", "None")]
    assert table.data["full"].tolist() == pytest.approx([scale * each for each in (48.0, 33.5, 30.0, 2.0, 11.0)])
    assert np.isnan(table.data["reduced"]).tolist() == [False, False, False, True, False]
    assert table.data["seeds"].tolist() == [1, 2, 1, 1, 1]
    # 5 sources in 3 settings but for one; those of figure 3 are 17 in 3.
    assert len(points(own.drawn)) == 14
    assert len(points(printed.drawn)) <= len(printed.data) == 51
    for x, row in (("x", "full"), ("x2", "frozen"), ("x3", "reduced")):
        rows = own.data[own.data["setting"] == row]
        wanted = {
            (x, round(float(np.float32(a)), 3), round(float(np.float32(b)), 3)) for a, b in rows[["score", "value"]].to_numpy()
        }
        assert wanted == {each for each in points(own.drawn) if each[0] == x}
    headings = [each.text for each in own.drawn.layout.annotations]
    r = np.corrcoef(*own.data.loc[own.data["setting"] == "full", ["score", "value"]].to_numpy().T)[0, 1]
    assert headings[0] == f"Full: r = {r:.2f}, n = 5".replace("-", "−")
    assert [each.split(":")[0] for each in headings] == ["Full", "Frozen", "Reduced"]
    if metric == "chrF":
        assert [each.text.split(",")[0] for each in printed.drawn.layout.annotations] == [
            "Full: r = −0.75 (−0.75)",
            "Frozen: r = −0.84 (−0.84)",
            "Reduced: r = −0.79 (−0.79)",
        ]
    assert next(list(trace.marker.size) for trace in own.drawn.data if trace.name == "Emergent").count(13) == 1
    assert translations.data["hypothesis"].tolist() == [made.EXAMPLE["hypothesis"]]
    assert published.NOTE.split(":")[0] in said(app)
    assert "150 held-out sentences" in said(app)
    assert "Folded, for the model has 508 embeddings and these have more symbols: Random (509)." in said(app)
    assert "46.0 and 4.60 with 1, 48.0 and 4.80 with 3" in said(app)


def test_another_group_is_another_table(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Translation", board_paper="false")
    box = app.selectbox(key="mt_scores")
    assert [each.split(",")[:2] for each in box.options] == [["Quick", " English → Danish"], ["Paper", " English → Danish"]]
    shown.clear()
    box.select_index(1).run()
    assert not app.exception
    table = shown[0]
    again(table)
    assert table.data[["source", "full"]].to_numpy().tolist() == [["none", 77.0]]
    assert "frozen" not in table.data


def test_a_source_and_setting_show_what_was_written_and_how_it_learned(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    app = open_page(view="Translation", board_paper="false", mt_source="Mine", mt_setting="Reduced")
    assert app.selectbox(key="mt_source").value == "Mine"
    assert shown[-1].name == "Translations of Mine, reduced"
    shown.clear()
    app.button(key="mt-curves").click().run()
    assert not app.exception
    assert app.segmented_control(key="view").value == "Translation models"
    assert (app.selectbox(key="mt_source").value, app.selectbox(key="mt_setting").value) == ("Mine", "reduced")
    pretraining, tuning = shown[-2:]
    for each in shown:
        again(each)
    assert pretraining.name == "Pre-training a BART on Mine"
    assert tuning.data.groupby("seed")["loss"].last().tolist() == pytest.approx([3.835, 3.825])
    app.selectbox(key="mt_source").select("Random").run()
    assert not app.exception
    assert app.selectbox(key="mt_setting").options == ["Full", "Frozen"]
    (workspace / "details" / "none-full-quick-0.parquet").unlink()
    app.selectbox(key="mt_source").select("No pre-training").run()
    assert not app.exception
    app.selectbox(key="mt_setting").select("full").run()
    assert "removed or damaged" in said(app)


def test_sources_without_xferbench_scores_are_told(workspace: Path, shown: list[Shown]) -> None:
    keys = benchmark.keep_corpora(workspace)
    corpus = keys["Human"].partition("/")[0]
    made.score(workspace, corpus, keys["Mine"], "full", 20.0)
    made.score(workspace, corpus, keys["Random"], "full", 10.0)
    app = open_page(view="Translation", board_paper="false")
    assert "None of these sources has an XferBench score" in said(app)
    assert [each.name for each in shown] == ["Translation by source and setting, chrF", "Translations of Mine, full"]
    benchmark.score(workspace, source=keys["Mine"], corpus=corpus, target="fi", value=5.0)
    shown.clear()
    app = open_page(view="Translation", board_paper="false")
    assert shown[1].drawn.layout.annotations[0].text == "Full: r needs 4 sources"
    assert "not drawn: 1 source" in said(app)


def test_the_hypotheses_take_the_translations_and_can_be_pinned(workspace: Path, shown: list[Shown]) -> None:
    made.fill(workspace)
    open_page(view="Leaderboard", board_paper="false")
    board, hypotheses = shown
    again(board)
    again(hypotheses)
    assert hypotheses.data["part"].tolist()[-3:] == [f"Correlation of score and chrF, {each}" for each in made.SETTINGS]


def test_without_any_corpus_the_printed_figure_is_shown(workspace: Path, shown: list[Shown]) -> None:
    app = open_page(view="Translation")
    assert "No emergent-language corpus is saved yet" in said(app)
    assert [each.name for each in shown] == ["Translation against XferBench as printed, chrF"]
    again(shown[0])
    shown.clear()
    open_page(view="Score × statistic")
    assert [each.name for each in shown] == ["XferBench leaderboard as printed"]


@pytest.mark.parametrize("statistic", ["entropy", "tokens", "alpha"])
def test_scores_against_a_statistic(workspace: Path, shown: list[Shown], statistic: str) -> None:
    keys = made.fill(workspace)
    app = open_page(
        view="Score × statistic",
        board_statistic={"entropy": "Entropy (bits per symbol)", "tokens": "Tokens", "alpha": "Zipf α"}[statistic],
    )
    if not shown:
        assert "No corpus has both" in said(app)
        assert statistic == "alpha"
        return
    (each,) = shown
    again(each)
    assert set(each.data["source"]) <= {keys[name] for name in ("Mine", benchmark.ODD, "Paren", "Random")}
    assert statistic in each.data
    heading = each.drawn.layout.annotations[0].text
    if len(each.data) < 4:
        assert heading.startswith("A correlation needs 4 corpora")
    else:
        r = np.corrcoef(each.data[statistic], each.data["score"])[0, 1]
        assert math.isfinite(r)
        assert heading.startswith(f"Pearson r = {r:.2f} · Spearman ρ = ".replace("-", "−"))
        assert heading.endswith(f"{len(each.data)} corpora")
    assert "human-language text" in said(app)
