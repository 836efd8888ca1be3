"""A training from its first step to what comes of it, in a folder: begun, or gone on with after a stop or a kill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar

from isogloss.backend.models.device import choose_device
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.resumable.folder import claim, content_digest
from isogloss.backend.training.resumable.loop import Trainable, TrainingProgress, train
from isogloss.backend.training.resumable.reproducible import deterministically, fitting, reproducible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from isogloss.backend.training.resumable.options import Stage

RunT = TypeVar("RunT", bound=Trainable)

MODEL = "model"
"""The folder of a pre-trained model, within its run's."""
SAVE_EVERY = 60.0


class TrainingControls(TypedDict, total=False):
    """Where a training runs, how a caller follows it and how it ends it: keyword arguments of each `pretrain` and `tune`."""

    device: str
    """`auto` (unless said), `cpu`, `cuda`, `cuda:1`."""
    progress: Callable[[TrainingProgress], None] | None
    """Called after every step on a CPU, every few on a GPU."""
    should_stop: Callable[[], bool] | None
    """Asked after every step, and between the batches of an evaluation; once it says true, the state is kept and the training
    ends. The same call goes on."""
    save_every: float
    """Seconds between two savings of the state, about the most that a kill can lose: 60 unless said."""


@dataclass(frozen=True)
class Outcome:
    """Where a training ended."""

    step: int
    found: dict[str, Any] | None
    """What `finish` gave; None where it was asked to stop, before the last step or while it finished."""


def run_training(
    folder: Path,
    provenance: Mapping[str, Any],
    what: str,
    stage: Stage,
    begin: Callable[[torch.device], RunT],
    finish: Callable[[RunT], dict[str, Any]],
    following: TrainingControls,
) -> Outcome:
    """Train what `begin` makes, and `finish` it once; where both are done, only what was found is read.

    On one device (and on a CPU with as many threads) equal `provenance` give equal results, however often interrupted. What all
    trainings share and raise: `docs/definitions.md`, "Trainings". The folder of a run whose `provenance` differs is refused, by
    the name of `what`; too little memory, by the batch of `stage`. `begin` makes the run at its first step on the device; its
    errors pass. `finish` gets the trained run and may raise `StoppedError`; what it returns is kept as JSON in `finished.json`.
    """
    device = choose_device(following.get("device", "auto"))
    with claim(folder, provenance, what=what) as claimed:
        result = claimed.result()
        if result is None:
            with reproducible(device), fitting(f"Training with batches of {stage.batch} windows", device):
                run = begin(device)
                save_every = following.get("save_every", SAVE_EVERY)
                step = train(run, claimed, save_every, following.get("progress"), following.get("should_stop"))
                if step < run.steps:
                    return Outcome(step, None)
                try:
                    result = {"step": step, **deterministically(lambda: finish(run))}
                except StoppedError:  # the state of the last step is there
                    return Outcome(step, None)
                claimed.finish(result)
        claimed.remove_state()
        return Outcome(result["step"], result)


@dataclass(frozen=True)
class PretrainedModel:
    """What pre-training left in its folder."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    steps: int
    model: Path | None
    """A folder for `tune`, which `transformers` loads too; None where it has not finished."""


class PretrainingOptions(Protocol):
    """What pre-training reads of a model's options."""

    @property
    def pretraining(self) -> Stage:
        """Batch, epochs and learning rate."""

    def pretraining_provenance(self) -> dict[str, Any]:
        """Return what the weights depend on, besides the source."""
        ...


def run_pretraining(
    windows: NDArray[np.int32],
    options: PretrainingOptions,
    folder: Path,
    what: str,
    begin: Callable[[torch.device], RunT],
    save: Callable[[RunT], None],
    following: TrainingControls,
) -> PretrainedModel:
    """Pre-train what `begin` makes on `windows` `[windows, context]`, or go on with it, and `save` it to `model/`.

    Options that agree in `pretraining_provenance()` share a folder. Other arguments, and what is raised, as for `run_training`.
    """

    def finish(run: RunT) -> dict[str, Any]:
        save(run)
        return {}

    provenance = {"corpus": content_digest([windows]), "options": options.pretraining_provenance()}
    end = run_training(folder, provenance, what, options.pretraining, begin, finish, following)
    steps, finished = options.pretraining.steps(len(windows)), end.found is not None
    return PretrainedModel(finished, end.step, steps, folder / MODEL if finished else None)
