"""The transfer page as a whole: what is needed first, what is offered and at what price, which runs are looked at, tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.models.library import library as models
from isogloss.backend.store import records
from tests.pages.abx.abx_page import DEMO, MLM, run
from tests.pages.beside import Beside, beside, on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer.transfer_workspace import NAME, fill

ONE_MODEL = {"model": MLM, "data": NAME}


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Name, data and recipe of every figure and table from now on; the demo beside an empty workspace."""
    on_the_demo(monkeypatch, tmp_path)
    return beside(monkeypatch)


def open_transfer(**query: str | list[str]) -> AppTest:
    return opened("transfer", query)


def offers(app: AppTest) -> list[str]:
    return [each.value for each in app.markdown if "to train (" in each.value]


def test_an_empty_workspace_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    app = open_transfer()
    assert any(
        "needs a labelled task or parallel corpus of two languages or more and a model" in each.value for each in app.info
    )
    assert app.dataframe[-1].value.set_index("Model").loc["XLM-R", "sw"] == pytest.approx(31.9)  # the paper needs neither


def test_one_language_is_too_few(shown: list[Any]) -> None:
    app = open_transfer(**{"from": "English · en", "to": "English · en"})
    assert any("another to evaluate in" in each.value for each in app.info)


def test_the_form_says_how_many_runs_are_missing(shown: list[Any], tmp_path: Path) -> None:
    fill(tmp_path, DEMO)
    app = opened("transfer", {"view": "Tables", **ONE_MODEL}, {"train-models": True})
    (offer,) = offers(app)
    assert "**Demo MLM**: 3 of 3 runs to train (3 languages × 1 algorithm × 1 learning rate × 1 seed)." in offer
    paper = open_transfer(view="Tables", preset="As published (table 4)", **ONE_MODEL)
    assert "27 of 27 runs" in offers(paper)[0]
    assert "3 learning rates × 3 seeds" in offers(paper)[0]


def test_runs_that_are_there_are_not_offered_again(shown: list[Any], tmp_path: Path) -> None:
    """The form's spec made to be the very one that is computed, in all but one source."""
    fill(tmp_path, DEMO, algorithms=("vanilla",), learning_rates=(5e-4,), seeds=(0,), training={"epochs": 80, "windows": "all"})
    app = opened("transfer", {"view": "Tables", **ONE_MODEL}, {"train-models": True})
    assert "1 of 3 runs to train" in offers(app)[0]
    query = {"view": "Tables", **ONE_MODEL, "from": ["English · en", "Chinese · zh"]}
    app = opened("transfer", query, {"train-models": True})
    assert offers(app) == []
    assert any("all 2 runs trained" in each.value for each in app.caption)


def test_a_bad_learning_rate_is_said(shown: list[Any], tmp_path: Path) -> None:
    fill(tmp_path, DEMO)
    for typed in ("fast", "0", "-1", "inf"):
        # Typed: a link that names what is infinite is passed over.
        app = opened("transfer", ONE_MODEL, {"train_rate_quick_xnli": [typed], "train-models": True})
        assert [each for each in app.error if "learning rate" in each.value.lower() or "learning\\_rate" in each.value], typed


def test_runs_of_another_setting_do_not_mix(shown: list[Any], tmp_path: Path) -> None:
    fill(tmp_path, DEMO)
    fill(tmp_path, DEMO, seeds=(0,), training={"epochs": 7, "windows": "all"})
    assert len(records.files([tmp_path])) == 12
    app = open_transfer(view="Tables", **ONE_MODEL)
    (setting,) = [each for each in app.selectbox if each.label == "Trained with"]
    assert [text.split(",")[0] for text in setting.options] == ["5 epochs", "7 epochs"]
    app = open_transfer(view="Tables", setting=setting.options[1], **ONE_MODEL)
    _, data, recipe = shown[-2]
    assert set(data["seeds"]) == {1}
    pd.testing.assert_frame_equal(run(recipe), data, check_like=True)


def test_filters_leave_only_their_runs(shown: list[Any], tmp_path: Path) -> None:
    fill(tmp_path, DEMO)
    open_transfer(view="Tables", **ONE_MODEL, algorithm="gaussian", seed="1")
    _, data, recipe = shown[-2]
    assert (set(data["algorithm"]), set(data["seeds"])) == ({"gaussian"}, {1})
    pd.testing.assert_frame_equal(run(recipe), data, check_like=True)


@pytest.mark.parametrize("query", [{}, {"at": "0.1", "epsilon": "0.2"}, {"table_from": "Chinese · zh"}], ids=str)
def test_ones_own_table_and_its_snippet(shown: list[Any], tmp_path: Path, query: dict[str, str]) -> None:
    fill(tmp_path, DEMO)
    app = open_transfer(view="Tables", **ONE_MODEL, **query)
    _, data, recipe = shown[-2]
    pd.testing.assert_frame_equal(run(recipe), data, check_like=True)
    table = app.dataframe[0].value
    assert list(table["Model"]) == ["Demo MLM, gaussian", "Demo MLM, vanilla"]
    row = data[(data["algorithm"] == "vanilla")]
    for _, each in row.iterrows():
        assert table.loc[1, each["target"]] == pytest.approx(100 * each["value"])
    assert table.loc[1, "Mean"] == pytest.approx(100 * row["value"].mean())
    assert table.loc[1, "Accuracy"] == pytest.approx(100 * row["accuracy"].mean())


def test_an_empty_window_is_no_value(shown: list[Any], tmp_path: Path) -> None:
    fill(tmp_path, DEMO)
    app = open_transfer(view="Tables", **ONE_MODEL, at="0.95")
    assert app.dataframe[0].value["Mean"].isna().all()
    assert any("no model in the window" in each.value for each in app.caption)


@pytest.mark.parametrize("table", ["table 2", "table 3", "table 4", "table 6", "table 7", "table 8", "table 9"])
def test_printed_tables_open_where_nothing_is_computed(shown: list[Any], tmp_path: Path, table: str) -> None:
    name = {each.split(":")[0].lower(): each for each in _names()}[table]
    app = open_transfer(
        view="Tables", printed=name, data="Demo sentences, random labels", model=MLM, checkpoints="checkpoint-10"
    )
    assert any("No run of this selection" in each.value for each in app.info)
    (_, data, recipe) = shown[-1]
    assert set(data["table"]) == {table}
    pd.testing.assert_frame_equal(run(recipe).reset_index(drop=True), data.reset_index(drop=True), check_like=True)


def test_a_printed_number_is_where_the_paper_has_it(shown: list[Any]) -> None:
    app = open_transfer(view="Tables", model=MLM, checkpoints="checkpoint-10")
    table = app.dataframe[-1].value.set_index("Model")
    assert table.loc["XLM-R", "sw"] == pytest.approx(31.9)
    assert table.loc["mBERT", "Printed average"] == pytest.approx(34.9)
    assert table.loc["mBERT", "Mean"] == pytest.approx(100 * printed.gaps("table 6").query("model == 'mBERT'")["value"].mean())


def test_the_demo_is_trained_on_every_language_of_its_corpus() -> None:
    """Its matrix is complete, and so is its curve, at every window that was evaluated."""
    from isogloss.backend.experiments.transfer import queries as transfer_queries
    from isogloss.backend.experiments.transfer import runs
    from isogloss.backend.experiments.transfer.summary import igaps

    (entry,) = corpora.entries([DEMO])
    have = records.files([DEMO])
    found = runs.runs_of_selection(have, models.entries([DEMO]), (), "parallel", entry.id, entry.tags, entry.tags)
    assert found.groupby("source").size().tolist() == [5] * 10
    assert found["setting"].nunique() == 1  # others would not be looked at together
    errors = transfer_queries.errors([file.path for file in have], entry.tags).merge(found, on="run", suffixes=("", "_run"))
    for at, epsilon in [(0.0, 0.001), *((0.05 * i, 0.025) for i in range(1, 9))]:
        gaps = igaps(errors, ["model"], at, epsilon)
        assert len(gaps) == 10 * 9
        assert gaps["value"].notna().all(), at


def _names() -> list[str]:
    from isogloss.pages.transfer.views.tables import NAMES

    return list(NAMES.values())


def test_a_run_on_a_task_is_named_by_the_task(shown: list[Any], tmp_path: Path) -> None:
    from isogloss.backend.experiments import registry

    spec = fill(tmp_path, DEMO)
    names = {each.id: each.name for each in task_library.entries([tmp_path])}
    assert registry.title(spec.model_dump(mode="json")) == "Transfer · Demo MLM (8 runs)"
    said = registry.details(spec.model_dump(mode="json"), names)
    assert said.startswith("on Small task · from English, Chinese · to German, English, Chinese · gaussian, vanilla")


def test_no_chosen_model_is_left_out_without_a_word(shown: list[Any], tmp_path: Path) -> None:
    """Two models trained otherwise are drawn, each as it was trained, and how they differ is said; so is one without runs."""
    first, second = [model for model in models.entries([DEMO]) if model.architecture == "xlm-roberta"]
    fill(tmp_path, DEMO, seeds=(0,), algorithms=("vanilla",))
    app = open_transfer(view="Tables", data=NAME, model=[first.name, second.name])
    captions = [each.value.replace("\\", "") for each in app.caption]
    assert any(f"Not trained on {NAME}: {second.name}." in each for each in captions)
    epochs = {"epochs": 7, "windows": "all"}
    other = {"model": second.name, "checkpoints": second.checkpoints[-1:]}
    fill(tmp_path, DEMO, seeds=(0,), algorithms=("vanilla",), training=epochs, **other)
    app = open_transfer(view="Tables", data=NAME, model=[first.name, second.name])
    _, data, recipe = shown[-2]
    assert set(data["model"]) == {first.name, second.name}
    pd.testing.assert_frame_equal(run(recipe), data, check_like=True)
    (said,) = [each.value for each in app.caption if "Trained with different options" in each.value]
    assert f"{first.name}: 5 epochs; {second.name}: 7 epochs." in said.replace("\\", "")
    (setting,) = [each for each in app.selectbox if each.label == "Trained with"]
    app = open_transfer(view="Tables", data=NAME, model=[first.name, second.name], setting=setting.options[1])
    assert any("is hidden: it was trained with" in each.value for each in app.caption)
