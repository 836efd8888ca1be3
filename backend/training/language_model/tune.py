"""Tune a pre-trained language model on a target language and score it: one cell of XferBench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import file_digest
from isogloss.backend.training.language_model import run
from isogloss.backend.training.language_model.evaluate import cross_entropy
from isogloss.backend.training.language_model.weights import load_model
from isogloss.backend.training.resumable.checkpoint import WEIGHTS
from isogloss.backend.training.resumable.run import TrainingControls, run_training

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Unpack

    import torch

    from isogloss.backend.training.language_model.options import LanguageModelOptions
    from isogloss.backend.training.language_model.target import TargetText


@dataclass(frozen=True)
class TunedScore:
    """What tuning gave. The tuned model is not kept."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    steps: int
    cross_entropy: float | None
    """Of the held-out text, in nats per token; None where it has not finished. Lower is better."""


def tune(
    base: Path | None,
    target: TargetText,
    options: LanguageModelOptions,
    folder: Path,
    **following: Unpack[TrainingControls],
) -> TunedScore:
    """Give a model fresh embeddings, tune it on a target and score it there, or go on where a run was stopped or killed.

    Args:
        base: What `pretrain` left in `.model`; None for a fresh model, the source "no pre-training".
        target: From `backend.training.language_model.target.target_text`, with the same options.
        options: How.
        folder: Made if needed. One that holds another run is refused.
        following: Device, progress and stopping.

    Raises `ModelError` where the base model is damaged or of another shape, and what
    `backend.training.resumable.run.run_training` raises.
    """
    asked = options.model_dump(mode="json", exclude={"pretraining"})
    provenance = {"weights": file_digest(base / WEIGHTS) if base else None, "data": target.digest(), "options": asked}

    def begin(device: torch.device) -> run.Run:
        shape = options.architecture
        model = load_model(base, shape) if base else run.fresh_model(shape, options.seed)
        run.forget_embeddings(model, options.protocol, options.seed, options.fresh_deviation)
        return run.begin("tuning", model, target.tuning, options, device)

    def finish(tuned: run.Run) -> dict[str, Any]:
        return {"cross_entropy": _score(tuned, target, options, following.get("should_stop"))}

    end = run_training(folder, provenance, "tuning run", options.tuning, begin, finish, following)
    value = None if end.found is None else float(end.found["cross_entropy"])
    return TunedScore(value is not None, end.step, options.tuning.steps(len(target.tuning)), value)


def _score(tuned: run.Run, target: TargetText, options: LanguageModelOptions, should_stop: Callable[[], bool] | None) -> float:
    return cross_entropy(
        tuned.model,
        target.test,
        options.architecture.context,
        options.protocol,
        precision=tuned.precision,
        batch=options.tuning.batch,
        should_stop=should_stop,
    )
