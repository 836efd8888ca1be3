"""The form of new runs: what each preset asks for, windows of one's own, and the options of the algorithms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.compute as pc
import pytest

from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.windows import EVALUATED
from isogloss.pages.transfer.training import form, presets, rarely, train
from tests.pages.abx.abx_page import DEMO, MLM
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer.transfer_workspace import NAME, fill, small_task

QUICK = form.PRESETS["quick"]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[TransferSpec]:
    """The specs that the form makes, in a workspace with a task of pairs in three classes."""
    on_the_demo(monkeypatch, tmp_path)
    fill(tmp_path, DEMO)
    found: list[TransferSpec] = []
    monkeypatch.setattr(train, "_offer", lambda selection, spec, *_: found.append(spec))
    return found


def open_form(**query: str | list[str]) -> list[str]:
    """Open the form; the errors that it shows."""
    asked: dict[str, str | list[str]] = {"view": "Tables", "model": MLM, "data": NAME, **query}
    return [each.value for each in opened("transfer", asked, {"train-models": True}).error]


@pytest.mark.parametrize(
    ("preset", "rates", "seeds", "epochs", "patience", "recipe", "windows"),
    [
        ("paper", (5e-6, 1e-5, 2e-5), 3, 40, None, "trainer", EVALUATED["figure1"]),
        ("mnli", (2e-5,), 3, 5, None, "trainer", ((0.03, 0.025),)),
        ("quick", (5e-4,), 1, 80, 5, "first", EVALUATED["curve"]),  # of a small model
    ],
)
def test_a_preset_fills_in_what_it_is_called_after(
    asked: list[TransferSpec],
    preset: str,
    rates: tuple[float, ...],
    seeds: int,
    epochs: int,
    patience: int | None,
    recipe: str,
    windows: object,
) -> None:
    assert open_form(preset=form.PRESETS[preset]) == []
    (spec,) = asked
    assert (spec.learning_rates, len(spec.seeds), spec.training.weight_decay) == (rates, seeds, 0.0)
    options = spec.training
    assert (options.epochs, options.patience, options.recipe, options.windows) == (epochs, patience, recipe, windows)


def test_the_points_of_figures_1a_and_7_have_a_preset_that_evaluates_every_one(asked: list[TransferSpec]) -> None:
    assert open_form(preset=form.PRESETS["scatter"]) == []
    assert open_form(preset=form.PRESETS["paper"]) == []
    scatter, paper = asked
    assert (scatter.training.windows, scatter.training.record_every) == ("all", 10)
    assert (
        scatter.model_copy(update={"training": scatter.training.model_copy(update={"windows": paper.training.windows})})
        == paper
    )


def test_stopping_is_an_option_of_the_published_preset(asked: list[TransferSpec]) -> None:
    open_form(preset=form.PRESETS["paper"], train_patience_paper="7", train_head_paper="false")
    assert (asked[0].training.patience, asked[0].training.recipe) == (7, "first")


def test_windows_of_ones_own(asked: list[TransferSpec]) -> None:
    own = rarely.EVALUATED_NAMES["own"]
    assert open_form(evaluated=own, windows="0.03+0.025, 0+0.001") == []
    assert asked[0].training.windows == ((0.0, 0.001), (0.03, 0.025))
    (error,) = open_form(evaluated=own, windows="0+0.03, 0.02+0.025")
    assert "overlap" in error


def test_noise_and_the_weight_of_the_kl_are_asked_for_where_an_algorithm_has_them(asked: list[TransferSpec]) -> None:
    open_form(train_noise="0.1", train_kl="0.5")
    open_form(train_algorithm="Gaussian", train_noise="0.1", train_kl="0.5")
    open_form(train_algorithm=["Gaussian", "xTune"], train_noise="0.1", train_kl="0.5")
    assert [(spec.training.noise, spec.training.consistency) for spec in asked] == [(0.075, 1.0), (0.1, 1.0), (0.1, 0.5)]


@pytest.mark.parametrize(
    "view", ["Matrix", "Best source", "Curves", "Scatter", "Decomposition", "Memorisation", "Ranking", "Tables"]
)
def test_a_training_part_in_one_language_is_trained_on_in_it_and_has_no_igap(
    asked: list[TransferSpec], tmp_path: Path, view: str
) -> None:
    task = small_task()
    others = pc.and_(pc.not_equal(task.table["language"], "en"), pc.equal(task.table["split"], "train"))
    alone = task_library.keep(replace(task, table=task.table.filter(pc.invert(others))), "Alone", tmp_path)
    app = opened("transfer", {"view": view, "model": MLM, "data": "Alone", "preset": form.PRESETS["mnli"]})
    (spec,) = asked
    assert (spec.corpus, spec.sources, spec.languages) == (alone.id, ("en",), ("de", "en", "zh"))
    assert (spec.training.epochs, spec.training.record_every) == (5, 10)
    assert any("Trained on English alone" in each.value and "no IGap" in each.value for each in app.caption)


def test_a_quick_look_at_a_large_task_takes_few_rows(asked: list[TransferSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    open_form(preset=QUICK)
    monkeypatch.setattr(form, "QUICK_ROWS", 5)
    open_form(preset=QUICK)
    open_form(preset=QUICK, train_rows_quick_few="9")
    open_form(preset=form.PRESETS["paper"])
    assert [spec.rows for spec in asked] == [None, 5, 9, None]
    assert [spec.training.epochs for spec in asked] == [80, 80, 80, 40]


def test_what_few_change_is_folded_under_a_label_that_counts_it(asked: list[TransferSpec]) -> None:
    def label(**query: str | list[str]) -> str:
        app = opened("transfer", {"view": "Tables", "model": MLM, "data": NAME, **query}, {"train-models": True})
        (found,) = [each.label for each in app.expander if each.label.startswith("More")]
        assert app.run().expander  # and with the session's values the same
        assert found in [each.label for each in app.expander]
        return found

    assert label() == label(preset=form.PRESETS["paper"]) == "More"
    assert label(train_algorithm="xTune") == "More · 1 setting changed"
    assert label(train_rate_quick_xnli="5e-05", train_rows_quick="40") == "More · 2 settings changed"
    assert asked[-1].rows == 40
    assert label(train_epochs_quick_xnli="25") == "More · 1 setting changed"
    assert label(train_batch="8", train_corruption=["50%"], evaluated=rarely.EVALUATED_NAMES["all"]).startswith(
        "More · 3 settings"
    )
    assert asked[-1].training.batch == 8
    assert asked[-1].corruptions == (0.5,)


def test_a_model_without_the_chosen_checkpoints_is_named_and_the_others_are_offered(asked: list[TransferSpec]) -> None:
    """The demo's real encoder has no `checkpoint-10`."""
    other = "multilingual-e5-small, 4-bit weights"
    app = opened(
        "transfer", {"view": "Tables", "model": [MLM, other], "data": NAME, "checkpoints": "checkpoint-10", "train_batch": "8"}
    )
    assert not app.error
    assert [spec.model for spec in asked] == [MLM]
    (said,) = [each.value for each in app.caption if "none of the chosen checkpoints" in each.value]
    assert "e5" in said


def test_a_quick_look_learns_at_a_rate_by_the_models_size_and_links_keep_theirs(asked: list[TransferSpec]) -> None:
    sizes = [1, 10_000_000, 10_000_001, 150_000_000, 150_000_001, None]
    assert [presets.quick_rate(size) for size in sizes] == [5e-4, 5e-4, 1e-4, 1e-4, 2e-5, 2e-5]
    open_form(model=[MLM, "multilingual-e5-small, 4-bit weights"])
    open_form(train_rate_quick_xnli="5e-05", train_epochs_quick_xnli="10")  # as links have it
    assert [spec.learning_rates for spec in asked] == [(5e-4,), (1e-4,), (5e-5,)]
    assert asked[-1].training.epochs == 10


def test_random_labels_are_few_in_a_quick_look_alone(asked: list[TransferSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    assert form.QUICK_ROWS == 128
    monkeypatch.setattr(form, "QUICK_ROWS", 20)
    for query in ({}, {"train_sentences_few": "16"}, {"train_sentences": "40"}, {"preset": form.PRESETS["paper"]}):
        assert open_form(data="Demo sentences, random labels", **query) == []
    assert [spec.sentences for spec in asked] == [20, 16, 40, None]
