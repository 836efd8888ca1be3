"""Matrices, best sources and examples on the transfer page: a recipe gives its figure's very rows, and a cell is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.experiments.transfer import directions as transfer_directions
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.store import records
from isogloss.pages.transfer.views import examples as examples_view
from tests.pages.abx.abx_page import DEMO, Shown, check_rows, record_beside
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer.transfer_workspace import LABELS, NAME, fill, small_task

Query = dict[str, str]
GAUSSIAN, VANILLA = "Demo MLM, gaussian", "Demo MLM, vanilla"
VIEWS: list[tuple[str, int, Query]] = [
    ("Matrix", 2, {}),
    ("Matrix", 2, {"at": "0.15", "epsilon": "0.1", "shared_scale": "false", "order": "mean"}),
    ("Matrix", 2, {"transfer": "Test accuracy", "order": "clustering"}),
    ("Matrix", 2, {"transfer": "Transfer gap", "order": "family"}),
    ("Matrix", 2, {"transfer": "Asymmetry"}),
    ("Matrix", 2, {"transfer": "Asymmetry", "asymmetry": "Test accuracy"}),
    ("Matrix", 3, {"compared": VANILLA}),
    ("Matrix", 3, {"compared": GAUSSIAN, "transfer": "Transfer gap"}),
    ("Matrix", 3, {"compared": GAUSSIAN, "transfer": "Asymmetry", "order": "script"}),
    ("Matrix", 3, {"figure6": "true", "order": "mean"}),
    ("Best source", 1, {}),
    ("Best source", 1, {"best_by": "IGap", "best_for": "German · de"}),
    ("Best source", 1, {"best_by": "Transfer gap", "best_for": "German · de", "at_model": VANILLA}),
    ("Examples", 1, {}),
    ("Examples", 1, {"at_part": "Validation", "at_record": "Last step", "pair_source": "Chinese · zh"}),
    ("Examples", 1, {"at": "0.3", "epsilon": "0.2", "pair_target": "Chinese · zh", "kind": "Right in both"}),
]


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Every figure and table from now on, on made-up runs of the small task."""
    on_the_demo(monkeypatch, tmp_path)
    fill(tmp_path, DEMO)
    return record_beside(monkeypatch)


def open_transfer(**query: str) -> AppTest:
    app = opened("transfer", {"data": NAME, "model": "Demo MLM"} | query)
    assert not app.error, app.error
    return app


def alone(workspace: Path) -> None:
    """The runs on English of the small task, as if its training part were in English alone."""
    task = small_task()
    others = pc.and_(pc.not_equal(task.table["language"], "en"), pc.equal(task.table["split"], "train"))
    kept = task_library.keep(replace(task, table=task.table.filter(pc.invert(others))), "Alone", workspace)
    for file in records.files([workspace]):
        if file.provenance["source"] == "en":
            table, run = pq.read_table(file.path), f"alone-{file.run}"
            table = table.set_column(table.schema.get_field_index("run"), "run", pa.array([run] * len(table)))
            own = pc.or_(pc.equal(table["split"], "validation"), pc.equal(table["language"], "en"))
            records.write(workspace, run, table.filter(own), file.provenance | {"corpus": kept.id})


@pytest.mark.parametrize("measure", ["Test accuracy", "Transfer gap"])
def test_without_translations_the_matrix_opens_on_what_there_is(shown: list[Shown], tmp_path: Path, measure: str) -> None:
    alone(tmp_path)
    chosen = {"transfer_tested": measure} if measure != "Test accuracy" else {}
    app = open_transfer(view="Matrix", data="Alone", transfer="IGap", **chosen)
    assert [each.options for each in app.selectbox if each.key == "transfer_tested"] == [["Test accuracy", "Transfer gap"]]
    assert [name for _, name, _, _ in shown] == [f"{measure} {each} source by target" for each in (GAUSSIAN, VANILLA)]
    for _, _, data, _ in shown:
        assert set(data["source"]) == {"en"}
        assert data["value"].notna().all()


@pytest.mark.parametrize(("view", "figures", "query"), VIEWS, ids=[f"{view} {query}" for view, _, query in VIEWS])
def test_the_snippet_gives_the_figures_rows(shown: list[Shown], view: str, figures: int, query: Query) -> None:
    open_transfer(view=view, **query)
    assert len(shown) == figures
    for each in shown:
        check_rows(each)
        drawn, name, data, recipe = each
        assert (drawn is None) == (recipe.chart is None), name
        if drawn is not None and drawn.data[0].type == "heatmap":
            cells = drawn.data[0].z
            assert np.allclose(np.sort(cells[np.isfinite(cells)]), np.sort(data["percent"].to_numpy(np.float32)), atol=1e-4)
            assert "percent" in drawn.layout.coloraxis.colorbar.title.text


def cell(drawn: go.Figure, row: str, column: str) -> tuple[int, int]:
    return list(drawn.layout.yaxis.ticktext).index(row), list(drawn.layout.xaxis.ticktext).index(column)


def test_a_cell_has_its_number_and_the_best_source_its_frame(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    open_transfer(order="mean")
    drawn, _, data, _ = shown[0]
    assert drawn is not None
    assert all(trace.line.color != "#FFFFFF" for trace in drawn.data if trace.type == "scatter")  # 40 examples tell none apart
    shown.clear()
    monkeypatch.setattr(transfer_directions, "leading", lambda ranked, **_: ranked[ranked["rank"] == 1])
    open_transfer(order="mean")
    drawn, _, data, _ = shown[0]
    assert drawn is not None
    values = data.set_index(["source", "target"])["value"]
    for source, target in (("en", "de"), ("zh", "de"), ("en", "zh"), ("zh", "en")):
        names = {"en": "English", "de": "German", "zh": "Chinese"}
        place = cell(drawn, names[source], names[target])
        assert drawn.data[0].z[place] == pytest.approx(100 * values[source, target], abs=1e-4)
    best = min(("en", "zh"), key=lambda source: values[source, "de"])
    row, column = cell(drawn, {"en": "English", "zh": "Chinese"}[best], "German")
    frames = next(trace for trace in drawn.data if trace.type == "scatter" and trace.line.color == "#FFFFFF")
    corners = {(round(y), round(x)) for x, y in zip(frames.x, frames.y, strict=True) if x is not None}
    other = cell(drawn, {"en": "Chinese", "zh": "English"}[best], "German")
    assert (row, column) in corners
    assert other not in corners


def test_an_empty_window_says_so_and_so_does_a_language_never_trained_on(shown: list[Shown]) -> None:
    app = open_transfer(at="0.999")
    assert any(
        "8 of 8 directions have no IGap at E′ = 99.9%, ε = 0.1%." in each.value.replace("\\", "") for each in app.markdown
    )
    drawn = shown[0][0]
    assert drawn is not None
    hovers = next(trace for trace in drawn.data if trace.name == "cells").hovertext
    assert sum("no model in the window" in each for each in hovers) == 4
    assert len(hovers) == 4
    assert any(each.value.startswith("No run is trained on ") and each.value.endswith(": no row.") for each in app.caption)
    assert {trace.name for trace in drawn.data} >= {"no value"}


def test_a_window_wider_than_what_was_evaluated_says_how_many_models_are_lacking() -> None:
    from isogloss.pages.transfer.shared import directions

    assert directions.why_empty(0, 0) == "no model in the window"
    asked = directions.Asked("igap", at=0.1, epsilon=0.05)
    ends = {(0.2, 0.5): "least training error 20%, widen", (0.0, 0.09): "greatest training error 9%, choose a lower E′"}
    ends |= {(0.05, 0.1583): "training errors from 5% to 15.83%, widen the window", (0.15, 0.15): "least training error 15%"}
    for reached, says in ends.items():
        assert directions.why_empty(0, 0, reached, asked).startswith(f"no model in the window: {says}")
    assert directions.why_empty(5, 3).startswith("3 of the 5 models in the window evaluated")
    assert directions.why_empty(1, 0).startswith("0 of the 1 model in the window")


def test_one_scale_for_all_models_or_one_each(shown: list[Shown]) -> None:
    open_transfer(fitted="false")
    ends = [(drawn.layout.coloraxis.cmin, drawn.layout.coloraxis.cmax) for drawn, *_ in shown if drawn]
    assert ends[0] == ends[1]
    low, high = (end(end(data["percent"]) for _, _, data, _ in shown) for end in (min, max))
    chance = 66.7  # of three classes: colours go from nothing lost to chance at least
    assert ends[0] == (pytest.approx(min(0.0, low), abs=1e-4), pytest.approx(max(chance, high), abs=1e-4))
    assert sum("chance" in each for each in shown[0][0].layout.coloraxis.colorbar.ticktext) == 1  # type: ignore[union-attr]
    shown.clear()
    open_transfer(shared_scale="false", transfer="Test accuracy", fitted="false")
    for drawn, _, data, _ in shown:
        assert drawn is not None
        assert drawn.layout.coloraxis.cmax == 100
        assert drawn.layout.coloraxis.cmin == pytest.approx(min(33.3, data["percent"].min()), abs=1e-4)


def test_the_papers_figure_is_there_where_nothing_is_computed(shown: list[Shown], tmp_path: Path) -> None:
    for file in (tmp_path / records.FOLDER).glob("*.parquet"):
        file.unlink()
    app = open_transfer()
    assert any("No run of this selection" in each.value for each in app.info)
    [(drawn, name, data, _)] = shown
    assert "as printed" in name
    assert drawn is not None
    assert "as printed" in drawn.layout.title.text
    row, column = cell(drawn, "English", "Swahili")
    assert drawn.data[0].z[row, column] == pytest.approx(13.1)
    assert len(data) == len(printed.transfer_gaps()) == 225
    shown.clear()
    for view in ("Best source", "Examples"):
        assert any("No run of this selection" in each.value for each in open_transfer(view=view).info)
    open_transfer(figure6="false")
    assert shown == []


def test_random_labels_have_no_accuracy(shown: list[Shown], tmp_path: Path) -> None:
    """The same records said to be of random labels, without a validation part."""
    from isogloss.backend.corpora.parallel import library

    corpus = next(each for each in library.entries([DEMO]) if {"de", "en", "zh"} <= set(each.tags))
    random_labels(tmp_path, corpus.id)
    names = next(each for each in open_transfer().selectbox if each.label == "Data").options
    query = {
        "data": next(each for each in names if each.endswith("random labels")),
        "to": ["German · de", "English · en", "Chinese · zh"],
    }
    for measure in ("Test accuracy", "Transfer gap"):
        shown.clear()
        app = open_transfer(**query | {"transfer": measure})  # type: ignore[arg-type]
        assert any(each.value.startswith("Random labels leave nothing to be tested") for each in app.info)
        assert shown == []
    app = open_transfer(**query | {"view": "Best source", "best_for": "German · de"})  # type: ignore[arg-type]
    assert any(each.value.startswith("## For German") and "IGap" in each.value for each in app.markdown)
    assert not [each for each in app.get("button_group") if each.label == "By"]


def random_labels(workspace: Path, corpus: str) -> None:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    for file in records.files([workspace]):
        table = pq.read_table(file.path)
        provenance = dict(file.provenance) | {"data": "parallel", "corpus": corpus, "validation_share": None}
        file.path.unlink()
        records.write(workspace, file.run, table.filter(pc.equal(table["split"], "train")), provenance)


def test_the_answer_is_the_ranking_s_first(shown: list[Shown]) -> None:
    app = open_transfer(view="Best source", best_for="German · de", best_by="IGap")
    [(_, _, data, _)] = shown
    best, other = data.iloc[0], data.iloc[1]
    assert best["value"] <= other["value"]
    [answer] = [each.value.replace("\\", "") for each in app.markdown if each.value.startswith("## ")]
    name = {"en": "English", "zh": "Chinese"}[best["source"]]
    assert f"For German {name} is first, not told apart: IGap {best['percent']:.1f} points (95% interval" in answer
    assert "n = 40)" in answer
    [basis] = [each.value.replace("\\", "") for each in app.caption if each.value.startswith("Rests on")]
    assert basis.startswith("Rests on 4 runs in 2 source languages, IGap at 0% ≤ training error < 0.1%.")


def test_the_target_itself_is_beside_the_ranking(shown: list[Shown]) -> None:
    app = open_transfer(view="Best source", best_for="English · en")
    assert any("Trained on English itself" in each.value for each in app.caption)
    assert any("only Chinese can be judged" in each.value for each in app.markdown)


def test_examples_are_those_of_the_igap(shown: list[Shown], tmp_path: Path) -> None:
    app = open_transfer(view="Examples", pair_source="English · en", pair_target="German · de", at_model=GAUSSIAN)
    open_transfer()
    data, matrix = shown[0][2], shown[1][2]
    value = matrix.set_index(["source", "target"]).loc[("en", "de"), "value"]
    lost, gained = (data["kind"] == "lost").sum(), (data["kind"] == "gained").sum()
    assert (lost - gained) / len(data) == pytest.approx(value)
    assert any(f"**{lost} of 40 examples** did not transfer" in each.value for each in app.markdown)
    html = " ".join(each.proto.body for each in app.get("html"))
    first = data[data["kind"] == "lost"].iloc[0]
    for text in (first["source_text"], first["source_pair"], first["target_text"], first["target_pair"]):
        assert text in html
    assert f"gold: {first['gold']} · predicted: {first['source_predicted']}" in html
    assert html.count('lang="de"') == html.count('lang="en"') == 2 * lost
    [table] = [each.value for each in app.dataframe]
    assert table.to_numpy().sum() == 40
    assert np.trace(table.to_numpy()) == 40 - data["kind"].isin(["lost", "wrong"]).sum()


def test_filters_of_the_examples() -> None:
    rows = pd.DataFrame(
        {
            "source_text": ["A cat", "A dog", "A cow"],
            "source_pair": [None, "An animal", None],
            "target_text": ["Eine Katze", "Ein Hund", "Eine Kuh"],
            "target_pair": [None, "Ein Tier", None],
            "target_gold": ["yes", "no", "yes"],
            "target_predicted": ["no", "yes", "maybe"],
            "kind": ["lost", "lost", "kept"],
        }
    )
    found = examples_view.filter_examples
    assert list(found(rows, "lost", "", [], []).index) == [0, 1]
    assert list(found(rows, "lost", " HUND ", [], []).index) == [1]
    assert list(found(rows, "lost", "tier", [], []).index) == [1]
    assert list(found(rows, "lost", "(", [], []).index) == []
    assert list(found(rows, "lost", "", ["yes"], []).index) == [0]
    assert list(found(rows, "lost", "", [], ["yes"]).index) == [1]
    assert list(found(rows, "kept", "", ["yes"], ["maybe"]).index) == [2]


@pytest.mark.parametrize(
    "query",
    [
        {"view": "Examples", "at": "0.999"},
        {"view": "Examples", "example_filter": "zzzz"},
        {"view": "Examples", "from": "English · en", "to": "English · en"},
        {"view": "Examples", "gold": "unheard-of", "kind": "unheard-of", "example_page": "99"},
        {"view": "Examples", "at_record": "Last step", "at_run": "unheard-of", "at_model": "unheard-of"},
        {"view": "Best source", "at": "0.999", "best_by": "IGap"},
        {"view": "Best source", "at": "0.999", "best_by": "IGap", "best_for": "German · de"},
        {"view": "Best source", "from": "English · en", "best_for": "English · en"},
        {"view": "Best source", "from": "English · en"},
        {"view": "Matrix", "from": "German · de", "order": "clustering"},
        {"view": "Matrix", "from": "English · en", "transfer": "Asymmetry"},
        {"view": "Matrix", "at": "0.999", "order": "clustering", "compared": VANILLA},
        {"view": "Matrix", "at": "0.999", "transfer": "Asymmetry"},
        {"view": "Matrix", "compared": "unheard-of", "order": "unheard-of", "transfer": "unheard-of"},
        {"view": "Matrix", "from": "English · en", "to": "German · de", "order": "mean", "figure6": "true"},
    ],
    ids=str,
)
def test_whatever_is_chosen_there_is_a_page(shown: list[Shown], query: Query) -> None:
    app = open_transfer(**query)
    assert app.get("plotly_chart") or app.dataframe or app.info
    words = " ".join(each.value for each in (*app.markdown, *app.caption, *app.info))
    assert "nan" not in words.lower().split()


def test_labels_of_a_task_may_be_anything(shown: list[Shown]) -> None:
    app = open_transfer(view="Examples", at_part="Validation", at_record="Last step", gold=LABELS[0])
    data = shown[0][2]
    wanted = data[(data["kind"] == "lost") & (data["target_gold"] == LABELS[0])]
    html = [each for each in app.get("html") if 'lang="de"' in each.proto.body]
    assert len(html) == 2 * len(wanted)


def test_many_languages_are_groups_that_open(shown: list[Shown], monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("isogloss.pages.widgets.choosing.opened", "isogloss.backend.figures.collapsed_directions"):
        monkeypatch.setattr(f"{module}.MANY", 2)
    app = open_transfer(view="Matrix", order="family", transfer="Test accuracy", compared=VANILLA)
    difference, first, *_ = (each.drawn for each in shown)
    assert list(first.data[0].z.shape) == [2, 2]
    assert "+ Indo-European (2)" in first.layout.xaxis.ticktext
    assert any("no cell is hatched" in each.value for each in app.caption)
    assert list(difference.data[0].z.shape) == [2, 2]
    shown.clear()
    open_transfer(view="Matrix", order="family", transfer="Test accuracy", opened=["Indo-European"])
    assert list(shown[0].drawn.data[0].z.shape) == [2, 4]  # one source of the family, two targets
