"""The Relations page on the demo: every view shows the numbers that its Python gives, and what it says is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from streamlit.testing.v1 import AppTest

from isogloss.backend.charts.parts.click import CELLS
from isogloss.backend.experiments.language_groups import group_of
from isogloss.backend.metrics.between_groups import between_groups
from isogloss.backend.metrics.pair_groups import mean_of_group
from isogloss.backend.store import scores
from isogloss.pages.widgets.figures import figure
from tests.pages.abx.abx_page import CONTRAST, DEMO, ROOT, Shown, record, record_beside, run

if TYPE_CHECKING:
    from pathlib import Path

GAP, FIRST = (
    "SELECT source, target, avg(value)",
    "FROM scores WHERE metric = 'igap' AND contains(variant, '0.0001') GROUP BY ALL",
)
VIEWS = ("Scatter", "Where does it predict?", "Groups", "Models", "All against all", "Regression", "Selection")


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    return record(monkeypatch)


OF = {"x_model": CONTRAST, "y_model": CONTRAST}
LD_IGAP = OF | {"x": "Language discrimination", "y": "IGap"}


def opened(**query: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.run()
    app.switch_page("pages/relations/page.py")
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert not app.error
    return app


def texts(each: Shown) -> str:
    return " ".join(annotation.text for annotation in each.drawn.layout.annotations).replace("<br>", " ")


def demo(statement: str) -> pd.DataFrame:
    return scores.sql(statement, [DEMO])


def check(each: Shown) -> None:
    """The recipe beside a figure gives its very rows, and draws the figure: all of it but what takes clicks."""
    found = run(each.recipe)
    pd.testing.assert_frame_equal(found, each.data, obj=each.name)
    again = each.recipe.drawn(found)
    assert again is not None, each.name
    assert again.layout.title == each.drawn.layout.title
    assert [trace.name for trace in again.data] == [trace.name for trace in each.drawn.data if trace.name != CELLS]


@pytest.mark.parametrize("chosen", [{}, LD_IGAP], ids=["nothing chosen", "chosen"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_shows_something_at_once_and_its_python_gives_it(
    shown: list[Shown], view: str, chosen: dict[str, str]
) -> None:
    app = opened(view=view, **chosen)
    assert not app.info
    assert shown
    for each in shown:
        assert len(each.data), each.name
        check(each)


def test_the_scatter_is_the_table_of_scores_and_says_its_correlations(shown: list[Shown]) -> None:
    opened(**LD_IGAP)
    (each,) = shown
    assert list(each.data.columns) == ["source", "target", "abx_language", "igap"]
    language = demo(
        "SELECT source, target, avg(value) AS value FROM scores WHERE metric = 'abx_language' AND checkpoint = "
        f"(SELECT any_value(checkpoint) FROM scores WHERE metric = 'igap' AND model = '{CONTRAST}') GROUP BY ALL"
    ).set_index(["source", "target"])["value"]
    gap = demo(f"{GAP} AS value {FIRST}").set_index(["source", "target"])["value"]
    rows = each.data.set_index(["source", "target"])
    assert rows["igap"].sort_index().to_numpy() == pytest.approx(gap.sort_index().to_numpy())
    for (source, target), value in rows["abx_language"].items():
        assert value == pytest.approx(language[min(source, target), max(source, target)])
    r = np.corrcoef(rows["abx_language"], rows["igap"])[0, 1]
    assert f"Pearson r = {r:.2f}" in texts(each)
    assert "(999 permutations)" in texts(each)
    assert "90 points" in texts(each)


@pytest.mark.parametrize(("unit", "count"), [("Language", 10), ("Layer", 5), ("Checkpoint", 8)])
def test_every_unit_has_its_points(shown: list[Shown], unit: str, count: int) -> None:
    opened(unit=unit, x="Language discrimination", y="Meaning discrimination", **OF)
    assert len(shown[0].data) == count
    check(shown[0])


@pytest.mark.parametrize("by", ["family", "script"])
def test_a_measure_by_group_has_the_groups_means_and_says_whether_they_differ(shown: list[Shown], by: str) -> None:
    opened(view="Groups", unit="Language", x="Language discrimination", y="Meaning discrimination", group_by=by, **OF)
    outcome, predictor = shown
    assert {"abx_meaning"} < set(outcome.data.columns)
    check(predictor)
    groups = [group_of(tag, by) for tag in outcome.data["language"]]  # type: ignore[arg-type]
    assert outcome.data["group"].tolist() == groups
    dots, marks = outcome.drawn.data
    expected = outcome.data.groupby("group")["abx_meaning"].mean().sort_values(ascending=False)
    assert list(marks.x) == pytest.approx(expected.tolist(), abs=1e-6)
    assert len(dots.x) == len(outcome.data)
    for group, above in zip(expected.index, marks.error_x.array, strict=True):
        own = [place for place, each in enumerate(groups) if each == group]
        half = mean_of_group(outcome.data[["abx_meaning"]].to_numpy(), own).high[0] - expected[group]
        assert above == pytest.approx(0 if np.isnan(half) else min(half, 1 - expected[group]), abs=1e-6)
    found = between_groups(outcome.data["abx_meaning"].to_numpy(), groups)
    assert f"p {'< 0.001' if found.p < 0.001 else f'= {found.p:.3f}'}" in texts(outcome)
    assert f"{found.groups} groups by {by}" in texts(outcome)


def test_models_are_points_too(shown: list[Shown]) -> None:
    opened(unit="Model", x="Language discrimination", y="Meaning discrimination")
    assert {"Demo MLM", CONTRAST} <= set(shown[0].data["model"])
    check(shown[0])


def test_something_is_shown_before_anything_is_chosen(shown: list[Shown]) -> None:
    app = opened()
    assert len(shown) == 1
    assert not app.info


def test_at_first_the_outcome_is_what_probes_can_read_off_in_other_languages(shown: list[Shown]) -> None:
    """The paper's question on the demo: language discrimination and accuracy, pair by pair, of one model at its end."""
    opened()
    (each,) = shown
    own = demo(
        "SELECT source, target, avg(value) AS value FROM scores WHERE metric = 'probe_accuracy' AND seed IS NULL "
        "AND variant LIKE '%tested on%' AND layer IS NOT NULL AND step = 2000 AND source <> target "
        f"AND model = '{CONTRAST}' GROUP BY ALL"
    ).set_index(["source", "target"])["value"]
    rows = each.data.set_index(["source", "target"])["probe_accuracy"].dropna()
    assert len(rows) == len(own) == 44  # 6 languages trained on, 8 tested in, 4 of them both
    assert rows.sort_index().to_numpy() == pytest.approx(own.sort_index().to_numpy())


@pytest.mark.parametrize(("unit", "count"), [("Language", 6), ("Layer", 5), ("Checkpoint", 8)])
def test_other_than_at_pairs_a_probe_is_read_in_the_language_it_was_trained_on(
    shown: list[Shown], unit: str, count: int
) -> None:
    app = opened(unit=unit, x="Language discrimination", y="Probing accuracy", **OF)
    (each,) = shown
    column = {"Language": "source", "Layer": "layer", "Checkpoint": "checkpoint"}[unit]
    at = "" if unit == "Checkpoint" else "AND step = 2000"
    own = demo(
        f"SELECT {column} AS unit, avg(value) AS value FROM scores WHERE metric = 'probe_accuracy' AND seed IS NULL "
        f"AND variant NOT LIKE '%tested on%' AND layer IS NOT NULL AND source = target {at} "
        f"AND (model = '{CONTRAST}' OR step = 0) GROUP BY ALL"
    )
    assert len(own) == len(each.data.dropna()) == count
    assert sorted(each.data["probe_accuracy"].dropna()) == pytest.approx(sorted(own["value"]))
    boxes = next(box.options for box in app.selectbox if box.key == "y_variant")
    across = ["Demo UD, tested on Demo PUD"] if unit != "Checkpoint" else []  # those have the last checkpoint alone
    assert [each for each in boxes if "mean of" not in each and "mix" not in each] == ["Demo UD", *across]
    assert not any("/" in each for each in boxes)


def test_a_variant_is_chosen_by_what_tells_it_apart_and_its_link_knows_it_whole(shown: list[Shown]) -> None:
    links: list[str] = []
    whole = "words/mean/tested on Demo PUD/2000 examples/6 seeds/learning rate 0.003 · Demo UD"
    app = opened(unit="Language", y="Probing accuracy", y_variant=whole, **OF)
    assert app.selectbox(key="y_variant").value == whole
    links.append(parse_qs(urlsplit(app.session_state["link"]).query)["y_variant"][0])
    app.selectbox(key="y_variant").set_value(whole.replace("tested on Demo PUD/", "")).run()
    links.append(parse_qs(urlsplit(app.session_state["link"]).query)["y_variant"][0])
    assert links[0].startswith(f"{whole}~")
    assert len({link.rpartition("~")[2] for link in links}) == 2
    app = opened(unit="Language", y="Probing accuracy", y_variant=links[0].replace("Demo", "Renamed"), **OF)
    assert app.selectbox(key="y_variant").value == whole


def test_different_layers_on_the_axes_and_pooled_over_checkpoints(shown: list[Shown]) -> None:
    """Last-layer retrieval against meaning over all layers: the combination of the paper's note 6."""
    opened(x="Meaning discrimination", y="Retrieval top-1", y_layer="Last", **OF)
    (each,) = shown
    own = demo(
        "SELECT source, target, avg(value) FILTER (metric = 'abx_meaning') AS x, "
        "avg(value) FILTER (metric = 'retrieval_top1' AND layer = 4) AS y FROM scores "
        "WHERE step = 2000 AND model LIKE '%contrast' AND experiment = 'abx' GROUP BY ALL"
    )
    assert each.data["abx_meaning"].corr(each.data["retrieval_top1"]) == pytest.approx(own["x"].corr(own["y"]))
    shown.clear()
    opened(x="Language discrimination", y="Meaning discrimination", pooled="Checkpoints", **OF)
    scatter, over = shown
    assert len(scatter.data) == 8 * 45
    assert len(over.data) == 8 * 2
    check(scatter)
    check(over)
    symbols = {symbol for trace in over.drawn.data for symbol in np.atleast_1d(trace.marker.symbol)}
    filled = (over.data["p"] < 0.05).any()
    assert any("open" not in symbol for symbol in symbols) == filled


def test_where_it_predicts_can_be_recomputed_from_the_scores(shown: list[Shown]) -> None:
    opened(view="Where does it predict?", **LD_IGAP)
    (each,) = shown
    assert len(each.data) == 5 * 8
    gap = demo(f"{GAP} AS y {FIRST}")
    for row in each.data.iloc[[3, 37]].to_dict("records"):
        own = demo(
            f"SELECT source, target, value FROM scores WHERE metric = 'abx_language' AND layer = {row['layer']} "
            f"AND checkpoint = '{row['checkpoint']}'"
        ).set_index(["source", "target"])["value"]
        x = [own[min(a, b), max(a, b)] for a, b in zip(gap["source"], gap["target"], strict=True)]
        assert row["value"] == pytest.approx(np.corrcoef(x, gap["y"])[0, 1])
        assert row["n"] == 90
    drawn = each.drawn.data[0].z
    assert np.isin(np.unique(drawn.round(5)), each.data["value"].astype(np.float32).round(5)).all()


def test_all_against_all_is_a_matrix_in_clusters_with_doubtful_cells_hatched(shown: list[Shown]) -> None:
    opened(view="All against all", **LD_IGAP)
    (each,) = shown
    names = set(each.data["x"])
    assert {"abx_language", "abx_meaning", "igap", "retrieval_top1"} <= names
    assert each.drawn.data[0].z.shape == (len(names), len(names))
    once = each.data[(each.data["x"] < each.data["y"]) & each.data["p"].notna()]
    adjusted = stats.false_discovery_control(once["p"])
    assert once["p_corrected"].to_numpy() == pytest.approx(adjusted)  # in every export
    corrected = {frozenset(cell): p for *cell, p in zip(once["x"], once["y"], adjusted, strict=True)}
    assert any(trace.name == "p ≥ 0.05 after Benjamini–Hochberg" for trace in each.drawn.data) == (adjusted >= 0.05).any()
    markers = next(trace for trace in each.drawn.data if trace.name == CELLS)
    assert len(markers.customdata) == len(names) * (len(names) - 1)
    for cell, text in zip(markers.customdata, markers.hovertext, strict=True):
        if frozenset(cell) in corrected:
            said = text.split(" after Benjamini–Hochberg")[0].rsplit(", ", 1)[1]
            assert float(said) == pytest.approx(corrected[frozenset(cell)], abs=0.00051)
    assert any("<b>Strong alignment of words, both languages</b>" in text for text in markers.hovertext)
    opened(view="All against all", given="true", unit="Language", **OF)
    assert "genetic_distance" in set(shown[-1].data["x"])


def test_a_cell_of_all_against_all_leads_to_the_scatter_of_its_two_measures(
    shown: list[Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At first at most 12 measures are there, predictor and outcome among them; chosen ones are in the link."""
    app = opened(view="All against all", x="Retrieval top-1", y="Meaning discrimination", x_layer="2", **OF)
    usual = app.multiselect(key="measures").value
    assert usual[:2] == ["Meaning discrimination", "Retrieval top-1"]
    assert len(usual) == 12 < len(app.multiselect(key="measures").options)
    draw = figure.draw

    def click(*arguments: Any, **named: Any) -> list[str]:
        draw(*arguments, **named)
        return ["probe_accuracy", "abx_language"] if named["name"] == "All measures against all" else []

    monkeypatch.setattr(figure, "draw", click)
    variant = "Probing accuracy (tested on Demo PUD)"
    app = opened(view="All against all", measures=["Language discrimination", variant], x_layer="2", **OF)
    matrix = next(each.data for each in reversed(shown) if each.name == "All measures against all")
    (cell,) = matrix.loc[matrix["x"] == "probe_accuracy", "value"]
    assert (app.selectbox(key="x").value, app.selectbox(key="y").value) == ("Probing accuracy", "Language discrimination")
    scatter = shown[-1].data
    assert scatter["probe_accuracy"].corr(scatter["abx_language"]) == pytest.approx(cell)


def test_a_regression_on_several_measures_has_a_partial_plot_each(shown: list[Shown]) -> None:
    chosen = ["Language discrimination", "Meaning discrimination", "Geographic distance"]
    app = opened(view="Regression", predictors=chosen, **LD_IGAP)
    assert [each.name for each in shown] == [
        f"Partial plot of {name} for igap" for name in ("abx_language", "abx_meaning", "geographic_distance")
    ]
    table = next(each.value for each in app.dataframe if "p permuted" in each.value.columns)
    assert table["Predictor"].tolist() == ["Intercept", *chosen]
    for each in shown:
        check(each)
    assert any("R² = " in each.value for each in app.markdown)
    printed = next(each.value for each in app.dataframe if "R²" in each.value.columns)
    assert printed["R²"].iloc[0] == 0.395


def test_a_regression_says_how_many_pairs_it_lacks(shown: list[Shown]) -> None:
    app = opened(view="Regression")
    assert any("44 pairs, 46 of 90 pairs dropped (missing values)" in each.value for each in app.markdown)
    assert shown[0].drawn.layout.xaxis.title.text == "Language discrimination (centred)"


def test_what_cannot_be_regressed_is_one_sentence(shown: list[Shown]) -> None:
    both = ["Meaning discrimination", "Retrieval top-1", "Weak alignment of words", "Strong alignment of words"]
    app = opened(
        view="Regression", unit="Layer", predictors=both, x="Meaning discrimination", y="Language discrimination", **OF
    )
    assert [each.value for each in app.info] == ["4 predictors need at least 6 rows that have every number; there are 5\\."]


def test_sources_and_checkpoints_are_chosen_by_any_measure(shown: list[Shown]) -> None:
    app = opened(view="Selection", **LD_IGAP)
    each, rates = shown
    assert len(each.data) == 10
    pd.testing.assert_frame_equal(rates.data.drop(columns="outcome"), each.data)
    best = int((each.data["rank"] == 1).sum())
    assert any(f"is the best for **{best} of 10** targets" in text.value for text in app.markdown)
    ranked = next(own.value for own in app.dataframe if "Beats, %" in own.value.columns)
    assert ranked["Targets"].max() == 10
    full = ranked[2 * ranked["Targets"] >= 10]
    assert full["Beats, %"].is_monotonic_decreasing
    assert full.index.tolist() == list(range(len(full)))  # what few targets have stands below
    chosen = {(row["Measure"], row["Chosen"]) for row in ranked.to_dict("records")}
    assert {(f"Language discrimination, {way}", way) for way in ("lowest", "highest")} <= chosen
    assert ("Meaning discrimination", "highest") in chosen
    shown.clear()
    app = opened(view="Selection", choosing="Checkpoint", x="Language discrimination", y="Meaning discrimination", **OF)
    (each,) = shown
    assert each.data["delta"].abs().is_monotonic_decreasing
    assert set(each.data["best_name"]) | set(each.data["chosen_name"]) <= set(app.selectbox(key="x_checkpoint").options)
    nearer = int((each.data["delta"] > 0).sum())
    assert any(f"**{nearer} of 10 languages**" in text.value for text in app.markdown)
    app = opened(view="Selection", choosing="Checkpoint", **LD_IGAP)
    assert "IGap has one" in app.info[0].value


def test_win_rates_of_two_tasks_stand_in_one_figure(shown: list[Shown]) -> None:
    """Figure 16: a kind of bars a task, their means dashed, chance dotted, over 100 random sources or all."""
    app = opened(view="Selection", **LD_IGAP)
    beside = app.selectbox(key="task_beside").options[1]
    for beaten, column in (("100 random", "random_wins"), ("All others", "wins")):
        shown.clear()
        app = opened(view="Selection", **LD_IGAP, task_beside=beside, beaten=beaten)
        rates = shown[1]
        check(rates)
        assert list(dict.fromkeys(rates.data["outcome"])) == ["IGap", beside]
        for bars, (_, own) in zip(rates.drawn.data, rates.data.groupby("outcome", sort=False), strict=True):
            assert sum(bars.y) == len(own)
            low, high = 100 * own[column].mean(), 100 * own[column].std()
            assert f"mean {low / 100:.2f} ± {high / 100:.2f}" in bars.name
        lines = [(shape.x0, shape.line.dash) for shape in rates.drawn.layout.shapes]
        means = rates.data.groupby("outcome", sort=False)[column].mean()
        assert lines == [*((mean, "dash") for mean in means), (0.5, "dot")]
    own = rates.data[rates.data["outcome"] == "IGap"]["random_wins"]
    said = f"({100 * own.mean():.1f} ± {100 * own.std():.1f}% of 100 random ones each)"
    assert any(said in text.value for text in app.markdown)


def test_no_overlap_is_one_sentence(shown: list[Shown]) -> None:
    app = opened(x="Cross-entropy on a target", y="Language discrimination")
    assert not shown
    assert [each.value for each in app.info if "have no two pairs of languages in common" in each.value]


def test_an_empty_workspace_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    app = opened()
    assert [each.value for each in app.info] == ["Relations sets scores against scores, and none are computed yet."]


def test_covariates_that_are_kept_can_be_chosen(shown: list[Shown], tmp_path: Path) -> None:
    from isogloss.backend.corpora.covariates import library, reader

    rows: list[Any] = [
        f"{tag},{place}" for place, tag in enumerate(("ar", "de", "el", "en", "es", "fi", "hi", "ja", "ru", "zh"))
    ]
    library.keep(reader.read("\n".join(["language,words", *rows]).encode(), "a.csv"), "Sizes", tmp_path)
    opened(x="Sizes: words (target)", y="IGap")
    (each,) = shown
    assert each.data.set_index(["source", "target"]).loc[("de", "zh"), "words_target"] == 9.0
    assert each.drawn.layout.xaxis.title.text == "words of the target (table Sizes)"
    app = opened(unit="Language", x="Sizes: words", y="Language discrimination")
    assert shown[-1].data.set_index("language").loc["zh", "words"] == 9.0
    assert not [label for label in app.selectbox(key="x").options if label.endswith(("(source)", "(target)"))]


def test_each_printed_combination_is_labelled_and_can_be_drawn(shown: list[Shown]) -> None:
    """0.77, 0.53 and 0.73 of one pair of measures: the paper contradicts itself, so each says which layers it may be of."""
    app = opened(**LD_IGAP)
    said = " ".join(each.value for each in app.markdown)
    for value, what in (
        ("0.77", "both over all layers? The text suggests retrieval at the last, for which note 6 has 0.53"),
        ("0.53", "MD over all layers, retrieval at the last"),
        ("0.73", "MD and retrieval, both at the last layer"),
        ("−0.74, Pearson −0.68", "LD and MD over pairs × checkpoints"),
    ):
        assert any(f"{value}**" in each.value and what in each.value.replace("\\", "") for each in app.markdown), (value, said)
    where = {"retrieval": ("", ""), "retrieval, last against all layers": ("", "AND layer = 4")}
    where |= {"retrieval, last layer": ("AND layer = 4", "AND layer = 4")}
    for quantity, (x, y) in where.items():
        shown.clear()
        app.button(key=f"printed-{quantity}").click().run()
        assert not app.exception
        own = demo(
            f"SELECT source, target, avg(value) FILTER (metric = 'abx_meaning' {x}) AS x, "
            f"avg(value) FILTER (metric = 'retrieval_top1' {y}) AS y FROM scores "
            "WHERE step = 2000 AND model LIKE '%contrast' AND experiment = 'abx' GROUP BY ALL"
        )
        drawn = shown[-1].data
        assert drawn["abx_meaning"].corr(drawn["retrieval_top1"]) == pytest.approx(own["x"].corr(own["y"])), quantity
    app.button(key="printed-all checkpoints").click().run()
    assert len(shown[-2].data) == 8 * 45
    app.button(key="printed-all layers").click().run()
    assert len(shown[-2].data) == 5 * 45


def test_what_a_unit_runs_over_is_said(shown: list[Shown]) -> None:
    for unit, said in (("Layer", "last checkpoint, each layer"), ("Checkpoint", "each checkpoint, mean of layers")):
        app = opened(unit=unit, x="Language discrimination", y="Meaning discrimination", **OF)
        assert any(said in each.value for each in app.caption), [each.value for each in app.caption]


def test_an_outcome_without_layers_follows_none(shown: list[Shown]) -> None:
    app = opened(view="Where does it predict?", **LD_IGAP)
    assert app.selectbox(key="outcome_at").options == ["As chosen"]
    app = opened(view="Where does it predict?", **OF, x="Language discrimination", y="Meaning discrimination")
    assert len(app.selectbox(key="outcome_at").options) == 4


def test_an_outcome_without_value_at_the_unit_is_said_and_comes_back(shown: list[Shown]) -> None:
    app = opened(**LD_IGAP)
    app.selectbox(key="unit").set_value("Layer").run()
    assert not app.exception
    assert app.selectbox(key="y").value not in ("IGap", "Language discrimination")
    said = f"IGap has no values by layer: {app.selectbox(key='y').value} stands in its place."
    assert said in [each.value for each in app.sidebar.caption]
    app.selectbox(key="unit").set_value("Pair of languages").run()
    assert (app.selectbox(key="x").value, app.selectbox(key="y").value) == ("Language discrimination", "IGap")
    assert not any("stands in its place" in each.value for each in app.caption)
    app.selectbox(key="unit").set_value("Layer").run()
    app.selectbox(key="y").set_value("Meaning discrimination").run()
    app.selectbox(key="unit").set_value("Pair of languages").run()
    assert app.selectbox(key="y").value == "Meaning discrimination"  # chosen since


def test_a_link_to_a_measure_that_the_unit_lacks_says_so(shown: list[Shown]) -> None:
    app = opened(**LD_IGAP, unit="Layer")
    assert any(each.value.startswith("IGap has no values by layer") for each in app.caption)
    assert app.selectbox(key="y").value != app.selectbox(key="x").value
    assert not [each.value for each in app.info if "lacks" in each.value]


def test_a_measure_says_nothing_of_itself(shown: list[Shown]) -> None:
    """But of itself in another model, or at another layer."""
    app = opened(**OF, x="Language discrimination", y="Language discrimination")
    assert "same numbers" in app.info[0].value
    assert not shown
    app.selectbox(key="y_layer").set_value("0").run()
    assert not app.exception
    assert [each.name for each in shown] == ["Language discrimination against language discrimination"]
    distance = "Genetic distance"
    app = opened(**OF, x=distance, y=distance)
    assert distance not in app.selectbox(key="y").options  # it can be read in one way alone
    assert any(each.value.startswith(f"{distance} is the predictor") for each in app.caption)


def test_another_task_is_drawn_beside_the_outcome(shown: list[Shown]) -> None:
    """Figure 15: the same predictor against each of two tasks, each with its own rows and recipe."""
    app = opened(view="Scatter", **LD_IGAP)
    beside = app.selectbox(key="task_beside").options[1]
    alone = shown[0].data
    shown.clear()
    opened(view="Scatter", **LD_IGAP, task_beside=beside)
    first, second = shown
    for each in (first, second):
        check(each)
    pd.testing.assert_frame_equal(first.data, alone)
    assert second.name.startswith(beside)
    assert not second.data.equals(first.data)


def test_models_stand_in_a_table_as_their_rows_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    tables = record_beside(monkeypatch)
    app = opened(view="Models", ranked_by="Meaning discrimination", beside_it=["Retrieval top-1"])
    each, ranks = tables
    pd.testing.assert_frame_equal(run(each.recipe), each.data)
    (table,) = (found.value for found in app.dataframe if found.value.index.name == "Model")
    heads = {"abx_meaning": "Meaning discrimination ↑", "retrieval_top1": "Retrieval top-1 ↑"}
    assert set(each.data["measure"]) == {*heads}
    assert set(ranks.data["measure"]) == {"abx_meaning"}
    for row in each.data.to_dict("records"):
        own = table.loc[row["model"], heads[row["measure"]]]
        assert own["Mean"] == pytest.approx(row["value"], nan_ok=True)
        assert own["Alike"] == row["group"]
        assert own["Rank, 95%"] == f"{row['rank_low']:.0f} – {row['rank_high']:.0f}"
    assert any("Mean over the pairs of 10 languages that all models have" in caption.value for caption in app.caption)


@pytest.mark.parametrize(("languages", "over"), [(["German · de"], "others"), ([], "pairs")])
def test_the_ranks_and_differences_of_models(shown: list[Shown], languages: list[str], over: str) -> None:
    chosen = {"models_languages": languages} if languages else {}
    opened(view="Models", ranked_by="Meaning discrimination", **chosen)
    opened(view="Models", side_by_side="Differences", ranked_by="Meaning discrimination", **chosen)
    ranks, differences = shown
    check(ranks)
    check(differences)
    assert set(ranks.data["over"]) == {over}
    matrix = next(trace for trace in differences.drawn.data if trace.type == "heatmap")
    first, *_, last = ranks.data["value"]
    assert matrix.z[0][-1] == pytest.approx(first - last, rel=1e-5)
