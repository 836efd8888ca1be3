"""Pre-train a language model on a source corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backend.models.device import choose_device
from backend.training.language_model.run import Run, begin, fresh_model
from backend.training.language_model.source import source_windows
from backend.training.language_model.weights import save_model
from backend.training.resumable.folder import content_digest
from backend.training.resumable.loop import MODEL, LanguageModelProgress
from backend.training.resumable.run import Watch, run_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from backend.corpora.emergent.corpus import EmergentCorpus
    from backend.training.language_model.options import LanguageModelOptions


@dataclass(frozen=True)
class PretrainedModel:
    """What pre-training left in its folder."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    steps: int
    model: Path | None
    """A folder for `tune`, which `transformers` loads too; None where it has not finished."""


def pretrain(
    corpus: EmergentCorpus,
    options: LanguageModelOptions,
    folder: Path,
    *,
    device: str = "auto",
    progress: Callable[[LanguageModelProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> PretrainedModel:
    """Pre-train on `corpus`, or go on with a run that was stopped or killed.

    Only `options.pretraining_about()` matters here: options that differ in the rest share a folder. On one device
    (and on a CPU with the same number of threads) equal corpora and options give equal weights, however often the run was
    interrupted.

    Args:
        corpus: The source; ids beyond the vocabulary are numbered anew.
        options: How.
        folder: Made if needed; it gets `run.json`, `log.jsonl` and, at the end, `model/`. That of another run is refused.
        device: `auto`, `cpu`, `cuda`, `cuda:1`.
        progress: Called after every step on a CPU, every few on a GPU.
        should_stop: Asked after every step; once it says true, the state is kept and the call returns.
        save_every: Seconds between two savings of the state, about the most that a kill can lose.

    Raises:
        SpecError: More symbols than embeddings; the folder belongs to another run, or another process is training in it.
        ModelError: Training diverged, or the model does not fit in memory.
        StoreError: The folder cannot be written.
    """
    windows = source_windows(corpus, options)
    about = {"corpus": content_digest([windows]), "options": options.pretraining_about()}
    place, stage = choose_device(device), options.pretraining

    def start() -> Run:
        return begin("pre-training", fresh_model(options.architecture, options.seed), windows, options, place)

    def finish(run: Run) -> dict[str, Any]:
        save_model(folder / MODEL, run.model, options.architecture)
        return {}

    watch = Watch(progress, should_stop, save_every)
    end = run_whole(folder, about, "pre-training run", stage, place, start, finish, watch)
    finished = end.found is not None
    return PretrainedModel(finished, end.step, stage.steps(len(windows)), folder / MODEL if finished else None)
