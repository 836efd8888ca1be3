"""Tune a pre-trained language model on a target language and score it: one cell of XferBench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backend.files import file_digest
from backend.models.device import choose_device
from backend.training.language_model.evaluate import cross_entropy
from backend.training.language_model.run import begin, forget_embeddings, fresh_model
from backend.training.language_model.weights import WEIGHTS, load_model
from backend.training.resumable.run import Watch, run_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backend.training.language_model.options import LanguageModelOptions
    from backend.training.language_model.run import Run
    from backend.training.language_model.target import TargetText
    from backend.training.resumable.loop import LanguageModelProgress


@dataclass(frozen=True)
class TunedScore:
    """What tuning gave. The tuned model is not kept."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    steps: int
    cross_entropy: float | None
    """Of the held-out text, in nats a token; None where it has not finished. Lower is better."""


def tune(
    base: Path | None,
    target: TargetText,
    options: LanguageModelOptions,
    folder: Path,
    *,
    device: str = "auto",
    progress: Callable[[LanguageModelProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> TunedScore:
    """Give a model fresh embeddings, tune it on a target and score it there, or go on where a run was stopped or killed.

    The folder gets `run.json`, `log.jsonl` and, at the end, `finished.json`. On one device (and on a CPU with the same number
    of threads) equal weights, texts and options give equal scores, however often the run was interrupted.

    Args:
        base: What `pretrain` left in `.model`; None for a fresh model, the source "no pre-training".
        target: From `backend.training.language_model.target.target_text`, with the same options.
        options: How.
        folder: Made if needed. One that holds another run is refused.
        device: `auto`, `cpu`, `cuda`, `cuda:1`.
        progress: Called after every step on a CPU, every few on a GPU.
        should_stop: Asked after every step and between the batches of the evaluation.
        save_every: Seconds between two savings of the state, about the most that a kill can lose.

    Raises:
        SpecError: The folder belongs to another run, or another process is training in it.
        ModelError: Training diverged, the base model is damaged or of another shape, or the model does not fit in memory.
        StoreError: The folder cannot be written.
    """
    asked = options.model_dump(mode="json", exclude={"pretraining"})
    about = {"weights": file_digest(base / WEIGHTS) if base else None, "data": target.digest(), "options": asked}
    place, stage = choose_device(device), options.tuning

    def start() -> Run:
        model = load_model(base, options.architecture) if base else fresh_model(options.architecture, options.seed)
        forget_embeddings(model, options.protocol, options.seed)
        return begin("tuning", model, target.tuning, options, place)

    def finish(run: Run) -> dict[str, Any]:
        return {"cross_entropy": _score(run, target, options, should_stop)}

    watch = Watch(progress, should_stop, save_every)
    end = run_whole(folder, about, "tuning run", stage, place, start, finish, watch)
    value = None if end.found is None else float(end.found["cross_entropy"])
    return TunedScore(value is not None, end.step, stage.steps(len(target.tuning)), value)


def _score(run: Run, target: TargetText, options: LanguageModelOptions, should_stop: Callable[[], bool] | None) -> float:
    return cross_entropy(
        run.model,
        target.test,
        options.architecture.context,
        options.protocol,
        precision=run.precision,
        batch=options.tuning.batch,
        should_stop=should_stop,
    )
