"""Whole fine-tuning runs, tiny: what is recorded, where, and that neither windows nor stops change it."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from isogloss.backend.errors import SpecError
from isogloss.backend.training.finetune import run as run_module
from isogloss.backend.training.finetune.evaluate import predict, stream_of
from isogloss.backend.training.finetune.loop import FinetuneProgress, FinetuneResult, finetune
from isogloss.backend.training.finetune.records import unpack
from isogloss.backend.training.finetune.run import batch_rows, begin, inputs_of, train_step
from isogloss.backend.training.resumable import folder as kept
from tests.training.equal_folders import assert_equal_tensors, tensors_of
from tests.training.finetune.finetuning import tiny_loaded, tiny_options, tiny_task

if TYPE_CHECKING:
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.options import FinetuneOptions


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return tiny_loaded(tmp_path_factory.mktemp("model"), "qwen3")  # it learns fast, with no dropout


@pytest.fixture(scope="module")
def with_dropout(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return tiny_loaded(tmp_path_factory.mktemp("model"), "xlm-roberta")


def assert_equal_states(one: Path, other: Path) -> None:
    """Weights and moments to the last bit."""
    assert_equal_tensors(one / kept.STATE, other / kept.STATE)
    assert {name.split("/")[0] for name in tensors_of(one / kept.STATE)[1]} == {"weights", "step", "exp_avg", "exp_avg_sq"}


@pytest.fixture(scope="module")
def unbroken(loaded: Loaded, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken")
    assert finetune(loaded, tiny_task(), tiny_options(), folder, fingerprint="f").finished
    return folder


def table(result: FinetuneResult) -> dict[tuple[int, str, str], float]:
    return {(one.step, one.split, one.language): one.error for one in result.records}


def plain_igap(result: FinetuneResult, at: float, epsilon: float) -> dict[str, float]:
    """The least gap over the models in the window; nan where there is none."""
    errors = table(result)
    gaps: dict[str, list[float]] = {"de": [], "ru": []}
    for step in {one.step for one in result.records}:
        train = errors[step, "train", "en"]
        if at <= train < at + epsilon:
            for language, values in gaps.items():
                values.append(errors[step, "train", language] - train)
    return {language: min(values, default=math.nan) for language, values in gaps.items()}


def test_every_record_is_what_the_model_of_that_step_says(loaded: Loaded, unbroken: Path) -> None:
    """Steps taken one by one, evaluated plainly: equal predictions at every record point, and the same errors."""
    data, options = tiny_task(), tiny_options()
    result = finetune(loaded, data, options, unbroken, fingerprint="f")
    assert (result.finished, result.reason, result.step, result.classes) == (True, "epochs", 24, 3)
    points = [*range(3, 25, 3)]
    parts = [
        ("train", "en"),
        ("train", "de"),
        ("train", "ru"),
        ("validation", "en"),
        ("validation", "de"),
        ("validation", "ru"),
    ]
    assert [(one.step, one.split, one.language) for one in result.records] == [(k, *part) for k in points for part in parts]
    assert [one.epoch for one in result.records[::6]] == [math.ceil(k / 3) for k in points]
    run = begin(loaded, inputs_of(loaded, data, options), options, 3)
    records = iter(result.records)
    for step in range(1, 25):
        train_step(run, step)
        for part in (run.inputs.source, *run.inputs.others) if step in points else ():
            one = next(records)
            made = predict(run.classifier, stream_of([part], loaded), torch.float32)[0]
            kept = unpack(one.predictions, one.n, 3)
            assert kept.tolist() == made.tolist()
            gold = data.labels if part.split == "train" else data.validation_labels[part.language]
            assert (one.errors, one.n) == (int((kept != gold).sum()), len(gold))
    assert len({one.error for one in result.records if one.split == "train"}) > 3  # it did learn, and not at once


def test_windows_and_evaluating_always_give_the_same_igap(loaded: Loaded, tmp_path: Path) -> None:
    windows = ((0.0, 0.05), (0.3, 0.1), (0.5, 0.125))
    changes: dict[str, Any] = {"epochs": 20, "patience": 4}
    always = finetune(loaded, tiny_task(), tiny_options(**changes), tmp_path / "all", fingerprint="f")
    asked = finetune(loaded, tiny_task(), tiny_options(**changes, windows=windows), tmp_path / "some", fingerprint="f")
    source = [one for one in always.records if (one.split, one.language) == ("train", "en")]
    assert [one for one in asked.records if (one.split, one.language) == ("train", "en")] == source
    assert set(asked.records) <= set(always.records)
    inside = [one.step for one in source if any(at <= one.error < at + epsilon for at, epsilon in windows)]
    last = [source[-1].step]
    for language in ("de", "ru"):
        assert [one.step for one in asked.records if (one.split, one.language) == ("train", language)] == sorted(
            {*inside, *last}
        )
    assert 0 < len(inside) < len(source)
    found = [plain_igap(always, *window) for window in windows]
    errors = table(asked)
    train = {step: error for (step, split, language), error in errors.items() if (split, language) == ("train", "en")}
    for (at, epsilon), expected in zip(windows, found, strict=True):
        for language in ("de", "ru"):
            gaps = [errors[step, "train", language] - e for step, e in train.items() if at <= e < at + epsilon]
            assert min(gaps, default=math.nan) == pytest.approx(expected[language], nan_ok=True)
    assert any(math.isfinite(value) for one in found for value in one.values())


def test_a_callable_decides_where_targets_are_evaluated(loaded: Loaded, tmp_path: Path) -> None:
    seen: list[float] = []

    def needed(error: float) -> bool:
        seen.append(error)
        return len(seen) == 2

    result = finetune(loaded, tiny_task(), tiny_options(), tmp_path / "run", fingerprint="f", needed=needed)
    assert {one.step for one in result.records if one.language == "de"} == {6, 24}
    assert seen == [one.error for one in result.records if (one.split, one.language) == ("train", "en")][:7]


def test_it_stops_once_nothing_is_wrong_any_more(loaded: Loaded, tmp_path: Path) -> None:
    options = tiny_options(epochs=200, patience=3, windows=((0.9, 0.05),), learning_rate=2e-3)
    told: list[FinetuneProgress] = []
    result = finetune(loaded, tiny_task(12, 2), options, tmp_path / "run", fingerprint="f", progress=told.append)
    source = [one.error for one in result.records if (one.split, one.language) == ("train", "en")]
    assert result.reason == "no errors left"
    assert source[-3:] == [0, 0, 0]
    assert not any(source[k : k + 3] == [0, 0, 0] for k in range(len(source) - 3))
    assert [one.step for one in result.records if one.language == "de"] == [result.step] * 2  # the last is always evaluated
    assert (told[-1].step, told[-1].steps, told[-1].train_error) == (result.step, 400, 0.0)
    assert [one.step for one in told] == list(range(1, result.step + 1))


def test_additional_examples_are_trained_on_and_not_counted(loaded: Loaded, tmp_path: Path) -> None:
    result = finetune(loaded, tiny_task(extra=20), tiny_options(epochs=2), tmp_path / "run", fingerprint="f")
    assert result.step == 2 * math.ceil(44 / 8)
    assert {one.n for one in result.records if one.split == "train"} == {24}
    without = finetune(loaded, tiny_task(), tiny_options(epochs=2), tmp_path / "without", fingerprint="f")
    assert without.step == 6
    task = tiny_task(extra=20)
    swapped = replace(task, extra_labels=(task.extra_labels + 1) % 3)
    assert finetune(loaded, swapped, tiny_options(epochs=2), tmp_path / "other", fingerprint="f").records != result.records


def until(last: int | None, loaded: Loaded, options: FinetuneOptions, folder: Path) -> FinetuneResult:
    """Train in `folder` until the step after `last`, or to the end."""
    steps: list[int] = []
    return finetune(
        loaded,
        tiny_task(),
        options,
        folder,
        fingerprint="f",
        progress=lambda told: steps.append(told.step),
        should_stop=lambda: last is not None and bool(steps) and steps[-1] >= last,
    )


@pytest.fixture(scope="module", params=["vanilla", "gaussian", "xtune"])
def paused(request: pytest.FixtureRequest, with_dropout: Loaded, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder named after an algorithm: its run `at 17`, stopped at that step alone, and `whole`, taken up from there."""
    folder = tmp_path_factory.mktemp("paused") / request.param
    options = tiny_options(algorithm=request.param)
    assert not until(16, with_dropout, options, folder / "at 17").finished
    shutil.copytree(folder / "at 17", folder / "whole")
    assert until(None, with_dropout, options, folder / "whole").finished
    return folder


@pytest.mark.parametrize("stop", [13])
def test_stopped_and_continued_equals_unbroken(with_dropout: Loaded, paused: Path, tmp_path: Path, stop: int) -> None:
    """The records, and the state after step 17."""
    options = tiny_options(algorithm=paused.name)
    for last in (stop, 16):
        assert not until(last, with_dropout, options, tmp_path / "broken").finished
    assert_equal_states(tmp_path / "broken", paused / "at 17")
    assert until(None, with_dropout, options, tmp_path / "broken").finished
    for folder in (tmp_path / "broken", paused / "whole"):
        assert sorted(path.name for path in folder.iterdir()) == ["finished.json", "records.jsonl", "run.json"]
    assert (tmp_path / "broken" / kept.RECORDS).read_bytes() == (paused / "whole" / kept.RECORDS).read_bytes()


def test_a_stop_within_an_evaluation_loses_nothing(loaded: Loaded, unbroken: Path, tmp_path: Path) -> None:
    taken: list[int] = []
    for asked in range(1, 24, 3):
        calls = iter(range(1000))
        finetune(
            loaded,
            tiny_task(),
            tiny_options(),
            tmp_path / "run",
            fingerprint="f",
            progress=lambda told: taken.append(told.step),
            should_stop=lambda calls=calls, asked=asked: next(calls) >= asked,
        )
    result = finetune(
        loaded, tiny_task(), tiny_options(), tmp_path / "run", fingerprint="f", progress=lambda told: taken.append(told.step)
    )
    assert result.finished
    assert taken == list(range(1, 25))  # none twice
    assert (tmp_path / "run" / kept.RECORDS).read_bytes() == (unbroken / kept.RECORDS).read_bytes()


def test_what_was_recorded_after_the_state_is_recorded_again(loaded: Loaded, unbroken: Path, tmp_path: Path) -> None:
    """As a kill leaves it after a state that was saved on the way: lines beyond the state's step, the last one cut short."""

    class KilledError(BaseException):
        pass

    steps: list[int] = []

    def killed(told: FinetuneProgress) -> None:
        if told.step == 11:
            raise KilledError

    with pytest.raises(KilledError):
        finetune(loaded, tiny_task(), tiny_options(), tmp_path / "run", fingerprint="f", progress=killed, save_every=0)
    lines = (unbroken / kept.RECORDS).read_text().splitlines(keepends=True)
    there = (tmp_path / "run" / kept.RECORDS).read_text()
    assert there == "".join(lines[:3])
    beyond = lines[3].replace('"train", "en", ', '"train", "en", 1') + lines[4][:50]
    (tmp_path / "run" / kept.RECORDS).write_text(there + beyond)
    (tmp_path / "run" / ".tmp-left").write_text("half a state")
    finetune(
        loaded, tiny_task(), tiny_options(), tmp_path / "run", fingerprint="f", progress=lambda told: steps.append(told.step)
    )
    assert steps == list(range(11, 25))
    assert (tmp_path / "run" / kept.RECORDS).read_text() == "".join(lines)
    assert not (tmp_path / "run" / ".tmp-left").exists()


def test_every_epoch_has_all_examples_in_an_order_of_its_own() -> None:
    options = tiny_options(epochs=3, batch=8)
    orders = [np.concatenate([batch_rows(21, 3 * epoch + k, options) for k in (1, 2, 3)]).tolist() for epoch in range(3)]
    assert all(sorted(order) == list(range(21)) for order in orders)
    other = np.concatenate([batch_rows(21, k, tiny_options(epochs=3, batch=8, seed=4)) for k in (1, 2, 3)]).tolist()
    assert len({tuple(order) for order in [*orders, other]}) == 4
    assert len(batch_rows(21, 9, options)) == 5


def test_another_run_is_refused(loaded: Loaded, unbroken: Path) -> None:
    with pytest.raises(SpecError, match="other options"):
        finetune(loaded, tiny_task(), tiny_options(seed=4), unbroken, fingerprint="f")
    with pytest.raises(SpecError, match="other data"):
        finetune(loaded, tiny_task(seed=1), tiny_options(), unbroken, fingerprint="f")
    with pytest.raises(SpecError, match="other weights"):
        finetune(loaded, tiny_task(), tiny_options(), unbroken, fingerprint="g")


def test_seeds_algorithms_and_the_callers_state(loaded: Loaded, unbroken: Path, tmp_path: Path) -> None:
    before = {name: value.clone() for name, value in loaded.module.state_dict().items()}
    torch.manual_seed(1)
    random = torch.random.get_rng_state()
    logs = {"": (unbroken / kept.RECORDS).read_text()}
    for name, changes in (("seed", {"seed": 4}), ("gaussian", {"algorithm": "gaussian"}), ("xtune", {"algorithm": "xtune"})):
        finetune(loaded, tiny_task(), tiny_options(**changes, noise=0.5), tmp_path / name, fingerprint="f")
        logs[name] = (tmp_path / name / kept.RECORDS).read_text()
    assert len(set(logs.values())) == 4
    assert torch.equal(torch.random.get_rng_state(), random)
    assert all(torch.equal(value, before[name]) for name, value in loaded.module.state_dict().items())
    assert not loaded.module.training
    assert np.unique([not parameter.requires_grad for parameter in loaded.module.parameters()]).tolist() == [True]


def test_products_in_bfloat16_leave_weights_and_moments_in_float32(
    with_dropout: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "choose_dtype", lambda _: (torch.bfloat16, "as on a GPU that has it"))
    steps: list[int] = []
    for name, stop in (("stopped", 4), ("stopped", 9), ("unbroken", 9)):
        finetune(
            with_dropout,
            tiny_task(),
            tiny_options(),
            tmp_path / name,
            fingerprint="f",
            progress=lambda told: steps.append(told.step),
            should_stop=lambda stop=stop: steps[-1:] == [stop],
        )
    assert_equal_states(tmp_path / "stopped", tmp_path / "unbroken")
    assert {value.dtype for value in tensors_of(tmp_path / "stopped" / kept.STATE)[1].values()} == {torch.float32}
