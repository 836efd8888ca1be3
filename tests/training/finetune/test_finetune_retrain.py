"""The model of one step, fine-tuned again: as when it was recorded, whatever was evaluated or interrupted on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from isogloss.backend.errors import SpecError
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.finetune.loop import finetune
from isogloss.backend.training.finetune.records import Record
from isogloss.backend.training.finetune.retrain import retrain
from isogloss.backend.training.resumable import folder as kept
from tests.training.finetune.finetuning import tiny_loaded, tiny_options, tiny_task

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.options import Algorithm, FinetuneOptions


def options_of(algorithm: Algorithm = "vanilla") -> FinetuneOptions:
    """It learns something, so that steps differ."""
    return tiny_options(algorithm=algorithm, learning_rate=1e-2, epochs=16, patience=None)


@pytest.fixture(scope="module")
def with_dropout(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return tiny_loaded(tmp_path_factory.mktemp("model"), "xlm-roberta")


@pytest.fixture(scope="module")
def recorded(with_dropout: Loaded, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Record, ...]]:
    """The records of whole runs, by algorithm."""
    return {
        algorithm: finetune(
            with_dropout, tiny_task(), options_of(algorithm), tmp_path_factory.mktemp(algorithm), fingerprint="f"
        ).records
        for algorithm in ("vanilla", "xtune")
    }


@pytest.mark.parametrize("algorithm", ["vanilla", "xtune"])
@pytest.mark.parametrize("step", [3, 42, 48])
def test_its_records_are_those_of_the_run(
    with_dropout: Loaded, recorded: dict[str, tuple[Record, ...]], tmp_path: Path, algorithm: str, step: int
) -> None:
    told: list[int] = []
    options = options_of(algorithm)
    with retrain(step, with_dropout, tiny_task(), options, tmp_path / "run", fingerprint="f", progress=told.append) as trained:
        assert list(trained.records) == [one for one in recorded[algorithm] if one.step == step]
    assert told == [*range(1, step + 1)]


def test_steps_have_models_of_their_own(recorded: dict[str, tuple[Record, ...]]) -> None:
    """Or the comparison above would show nothing."""
    said = {tuple(one.predictions for one in recorded["vanilla"] if one.step == step) for step in (3, 42, 48)}
    assert len(said) == 3


def test_the_source_alone(with_dropout: Loaded, recorded: dict[str, tuple[Record, ...]], tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"fingerprint": "f", "everywhere": False}
    with retrain(6, with_dropout, tiny_task(), options_of(), tmp_path / "run", **arguments) as trained:
        assert list(trained.records) == [next(one for one in recorded["vanilla"] if one.step == 6)]


@pytest.mark.parametrize("stop", [7])
def test_stopped_and_continued(
    with_dropout: Loaded, recorded: dict[str, tuple[Record, ...]], tmp_path: Path, stop: int
) -> None:
    taken: list[int] = []
    arguments: dict[str, Any] = {"fingerprint": "f", "progress": taken.append}

    def stopping() -> bool:
        return taken[-1:] == [stop]

    with (
        pytest.raises(StoppedError),
        retrain(12, with_dropout, tiny_task(), options_of(), tmp_path / "run", should_stop=stopping, **arguments),
    ):
        pass
    assert (tmp_path / "run" / kept.STATE).exists()
    with retrain(12, with_dropout, tiny_task(), options_of(), tmp_path / "run", **arguments) as trained:
        assert list(trained.records) == [one for one in recorded["vanilla"] if one.step == 12]
    assert taken == [*range(1, 13)]  # none twice


def test_a_step_that_the_run_has_not(with_dropout: Loaded, tmp_path: Path) -> None:
    for step in (0, 49):
        with (
            pytest.raises(SpecError, match="steps 1 to 48"),
            retrain(step, with_dropout, tiny_task(), options_of(), tmp_path / "run", fingerprint="f"),
        ):
            pass


def test_the_folder_of_another_step_is_refused(with_dropout: Loaded, tmp_path: Path) -> None:
    def train(step: int) -> None:
        with retrain(step, with_dropout, tiny_task(), options_of(), tmp_path / "run", fingerprint="f"):
            pass

    train(3)
    with pytest.raises(SpecError, match="holds a model to keep with other step"):
        train(4)


def test_the_callers_model_and_randomness_are_left_alone(with_dropout: Loaded, tmp_path: Path) -> None:
    before = {name: value.clone() for name, value in with_dropout.module.state_dict().items()}
    torch.manual_seed(1)
    random = torch.random.get_rng_state()
    with retrain(3, with_dropout, tiny_task(), options_of(), tmp_path / "run", fingerprint="f"):
        pass
    assert torch.equal(torch.random.get_rng_state(), random)
    assert all(torch.equal(value, before[name]) for name, value in with_dropout.module.state_dict().items())


def test_it_computes_on_as_many_threads_as_the_run_did(with_dropout: Loaded, tmp_path: Path) -> None:
    before, seen = torch.get_num_threads(), []
    wanted = before + 1
    arguments: dict[str, Any] = {
        "fingerprint": "f",
        "on_threads": wanted,
        "progress": lambda _: seen.append(torch.get_num_threads()),
    }
    with retrain(2, with_dropout, tiny_task(), options_of(), tmp_path / "run", **arguments) as trained:
        assert trained.threads == wanted
    assert seen == [wanted, wanted]
    assert torch.get_num_threads() == before
