"""Whole runs of pre-training and tuning, tiny: what they leave, and that a stop does not change it."""

from __future__ import annotations

import json
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from isogloss.backend.errors import SpecError
from isogloss.backend.training.language_model.evaluate import cross_entropy
from isogloss.backend.training.language_model.pretrain import pretrain
from isogloss.backend.training.language_model.run import batch_rows, begin, forget_embeddings, fresh_model, train_step
from isogloss.backend.training.language_model.source import source_windows
from isogloss.backend.training.language_model.target import target_text
from isogloss.backend.training.language_model.tune import TunedScore, tune
from isogloss.backend.training.language_model.weights import load_model, save_model
from isogloss.backend.training.resumable import folder as kept
from isogloss.backend.training.resumable.log import learning_curve
from isogloss.backend.training.resumable.loop import TrainingProgress
from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.resumable.run import PretrainedModel
from tests.training.equal_folders import assert_equal_folders
from tests.training.language_model.language_modelling import tiny_options, tiny_source, tiny_texts


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `base`, pre-trained, and `cell`, tuned from it."""
    folder = tmp_path_factory.mktemp("unbroken")
    base = pretrain(tiny_source(), tiny_options(), folder / "base")
    assert (base.finished, base.step, base.steps) == (True, 14, 14)
    assert tune(base.model, target_text(tiny_texts(), tiny_options()), tiny_options(), folder / "cell").finished
    return folder


def test_pretraining_is_its_steps(unbroken: Path, tmp_path: Path) -> None:
    options = tiny_options()
    run = begin(
        "pre-training",
        fresh_model(options.architecture, 3),
        source_windows(tiny_source(), options),
        options,
        torch.device("cpu"),
    )
    losses = [train_step(run, step).item() for step in range(1, 15)]
    save_model(tmp_path / "model", run.model, options.architecture)
    assert_equal_folders(tmp_path / "model", unbroken / "base" / "model")
    lines = [json.loads(line) for line in (unbroken / "base" / kept.LOG).read_text().split("\n")[:-1]]
    assert [line["step"] for line in lines] == list(range(1, 15))
    assert [line["loss"] for line in lines] == pytest.approx(losses, abs=1e-5)
    assert losses[-1] < losses[0] - 1  # it learns
    assert sorted(path.name for path in (unbroken / "base").iterdir()) == ["finished.json", "log.jsonl", "model", "run.json"]


def test_a_score_is_that_of_the_tuned_model(unbroken: Path) -> None:
    options = tiny_options()
    target = target_text(tiny_texts(), options)
    model = load_model(unbroken / "base" / "model", options.architecture)
    forget_embeddings(model, "correct", 3)
    run = begin("tuning", model, target.tuning, options, torch.device("cpu"))
    before = cross_entropy(model, target.test, 12, "correct")
    for step in range(1, 15):
        train_step(run, step)
    score = tune(unbroken / "base" / "model", target, options, unbroken / "cell")
    assert (score.finished, score.step, score.steps) == (True, 14, 14)
    assert score.cross_entropy == pytest.approx(cross_entropy(model, target.test, 12, "correct", batch=8), abs=1e-9)
    assert score.cross_entropy < before - 0.5
    assert sorted(path.name for path in (unbroken / "cell").iterdir()) == ["finished.json", "log.jsonl", "run.json"]


def test_no_pretraining_is_a_source_like_any_other(unbroken: Path, tmp_path: Path) -> None:
    """It equals tuning from a model that was saved before its first step."""
    options = tiny_options()
    target = target_text(tiny_texts(), options)
    none = tune(None, target, options, tmp_path / "none")
    torch.manual_seed(0)
    save_model(tmp_path / "fresh", fresh_model(options.architecture, 3), options.architecture)
    assert tune(tmp_path / "fresh", target, options, tmp_path / "saved").cross_entropy == none.cross_entropy
    other = json.loads((unbroken / "cell" / kept.FINISHED).read_text())["cross_entropy"]
    assert other != none.cross_entropy


def test_options_of_tuning_share_a_base_and_seeds_protocols_and_sources_do_not_share_results(
    unbroken: Path, tmp_path: Path
) -> None:
    base, source, texts = unbroken / "base", tiny_source(), tiny_texts()
    other = tiny_options(tuning=Stage(tokens=50, epochs=1), evaluation_tokens=50, protocol="released")
    assert pretrain(source, other, base) == PretrainedModel(True, 14, 14, base / "model")
    for options, corpus, what in (
        (tiny_options(seed=4), source, "corpus and options|options"),  # repeated in another order
        (tiny_options(), tiny_source(1), "corpus"),
        (tiny_options(precision="bfloat16"), source, "options"),
    ):
        with pytest.raises(SpecError, match=f"a pre-training run with other ({what})"):
            pretrain(corpus, options, base)
    scores = set()
    for name, changes in (("a", {}), ("b", {"seed": 4}), ("c", {"protocol": "released"})):
        options = tiny_options(**changes)
        score = tune(base / "model", target_text(texts, options), options, tmp_path / name)
        scores.add(score.cross_entropy)
    assert len(scores) == 3
    with pytest.raises(SpecError, match="a tuning run with other weights"):
        tune(None, target_text(texts, tiny_options()), tiny_options(), tmp_path / "a")
    with pytest.raises(SpecError, match="a tuning run with other data"):
        tune(base / "model", target_text(tiny_texts(1), tiny_options()), tiny_options(), tmp_path / "a")


@pytest.mark.parametrize("stops", [[5, 6]])
def test_stopped_and_continued_equals_unbroken(unbroken: Path, tmp_path: Path, stops: list[int]) -> None:
    target = target_text(tiny_texts(), tiny_options())

    def whole(name: str, **arguments: Any) -> PretrainedModel | TunedScore:
        if name == "base":
            return pretrain(tiny_source(), tiny_options(), tmp_path / name, **arguments)
        return tune(unbroken / "base" / "model", target, tiny_options(), tmp_path / name, **arguments)

    for name in ("base", "cell"):
        taken: list[int] = []
        for stop in stops:
            result = whole(
                name,
                progress=lambda told, taken=taken: taken.append(told.step),
                should_stop=lambda stop=stop, taken=taken: bool(taken) and taken[-1] >= stop - 1,
            )
            assert (result.finished, result.step) == (False, max(stop, 2))
            assert len((tmp_path / name / kept.LOG).read_text().split("\n")) == max(stop, 2) + 1
        assert whole(name, progress=lambda told, taken=taken: taken.append(told.step)).finished
        assert taken == list(range(1, 15))  # none twice
        assert_equal_folders(tmp_path / name, unbroken / name)


def test_a_stop_within_the_evaluation_keeps_the_tuned_model(unbroken: Path, tmp_path: Path) -> None:
    target, told = target_text(tiny_texts(), tiny_options()), []
    arguments: dict[str, Any] = {"progress": told.append}
    asked = iter(range(100))
    result = tune(
        unbroken / "base" / "model",
        target,
        tiny_options(),
        tmp_path / "cell",
        should_stop=lambda: next(asked) == 14,
        **arguments,
    )
    assert result == TunedScore(False, 14, 14, None)
    assert (tmp_path / "cell" / kept.STATE).exists()
    assert tune(unbroken / "base" / "model", target, tiny_options(), tmp_path / "cell", **arguments).finished
    assert [one.step for one in told] == list(range(1, 15))
    assert_equal_folders(tmp_path / "cell", unbroken / "cell")


def test_progress_and_curves(unbroken: Path, tmp_path: Path) -> None:
    told: list[TrainingProgress] = []
    target = target_text(tiny_texts(), tiny_options())
    tune(unbroken / "base" / "model", target, tiny_options(), tmp_path / "cell", progress=told.append)
    assert [(one.doing, one.step, one.steps) for one in told] == [("tuning", k, 14) for k in range(1, 15)]
    assert all(one.tokens_per_second > 0 for one in told)
    losses = [one.loss for one in told]
    log = tmp_path / "cell" / kept.LOG
    assert learning_curve(log) == [(k, pytest.approx(loss, abs=1e-5)) for k, loss in enumerate(losses, 1)]
    assert [step for step, _ in learning_curve(log, 3)] == [5, 10, 14]
    assert [value for _, value in learning_curve(log, 3)] == pytest.approx(
        [np.mean(losses[:5]), np.mean(losses[5:10]), np.mean(losses[10:])], abs=1e-5
    )
    assert learning_curve(tmp_path / "nowhere" / kept.LOG) == []


def test_every_epoch_has_all_windows_in_an_order_of_its_own() -> None:
    options = tiny_options(pretraining=Stage(tokens=250, epochs=3, batch=8))
    windows = source_windows(tiny_source(), options)  # 21
    model = fresh_model(options.architecture, 0)
    run = begin("pre-training", model, windows, options, torch.device("cpu"))
    batches = [batch_rows(run, step).tolist() for step in range(1, 10)]
    assert [len(batch) for batch in batches] == [8, 8, 5] * 3
    epochs = [tuple(chain(*batches[k : k + 3])) for k in (0, 3, 6)]
    assert all(sorted(epoch) == list(range(21)) for epoch in epochs)
    other = begin("tuning", model, windows, options.model_copy(update={"tuning": options.pretraining}), torch.device("cpu"))
    assert len({*epochs, tuple(chain(*(batch_rows(other, k).tolist() for k in (1, 2, 3))))}) == 4


def test_products_in_bfloat16_leave_weights_in_float32_and_scores_near(unbroken: Path, tmp_path: Path) -> None:
    options = tiny_options(precision="bfloat16")
    stop = iter([False] * 3 + [True] + [False] * 100)
    assert not pretrain(tiny_source(), options, tmp_path / "base", should_stop=lambda: next(stop)).finished
    assert {value.dtype for value in load_file(tmp_path / "base" / kept.STATE).values()} == {torch.float32}
    base = pretrain(tiny_source(), options, tmp_path / "base")
    assert pretrain(tiny_source(), options, tmp_path / "again").finished
    assert_equal_folders(tmp_path / "base", tmp_path / "again")
    score = tune(base.model, target_text(tiny_texts(), options), options, tmp_path / "cell").cross_entropy
    exact = json.loads((unbroken / "cell" / kept.FINISHED).read_text())["cross_entropy"]
    assert score != exact
    assert score == pytest.approx(exact, abs=0.1)


def test_compiled_training_is_the_same_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """What torch.compile makes of it, run without its slow code generator: no part is left out, none breaks the graph."""
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager", fullgraph=True))
    losses = []
    for compiled in (False, True):
        options = tiny_options(compile=compiled, pretraining=Stage(tokens=170, epochs=1, batch=4))
        model, windows = fresh_model(options.architecture, 1), source_windows(tiny_source(), options)
        run = begin("pre-training", model, windows, options, torch.device("cpu"))
        losses.append([train_step(run, step).item() for step in range(1, 5)])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert len(set(losses[1])) == 4
