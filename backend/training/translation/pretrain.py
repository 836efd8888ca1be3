"""Pre-train a translation model on a source corpus by text infilling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.models.device import choose_device
from backend.training.language_model.pretrain import PretrainedModel
from backend.training.language_model.source import budget_windows
from backend.training.resumable.folder import content_digest
from backend.training.resumable.loop import MODEL, LanguageModelProgress
from backend.training.resumable.run import Watch, run_whole
from backend.training.translation.model import save_model
from backend.training.translation.run import TranslationRun, begin_pretraining, fresh_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from backend.corpora.emergent.corpus import EmergentCorpus
    from backend.training.translation.options import TranslationOptions


def source_windows(corpus: EmergentCorpus, options: TranslationOptions) -> NDArray[np.int32]:
    """The corpus cut or repeated to the budget of pre-training, `[windows, context]`: as XferBench's own models get it.

    Raises `SpecError` where it has more symbols than there are ids beside the special tokens (`options.architecture.symbols`).
    """
    shape = options.architecture
    return budget_windows(corpus, shape.symbols, shape.context, options.pretraining.tokens, options.seed)


def pretrain(
    corpus: EmergentCorpus,
    options: TranslationOptions,
    folder: Path,
    *,
    device: str = "auto",
    progress: Callable[[LanguageModelProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> PretrainedModel:
    """Pre-train on `corpus`, or go on with a run that was stopped or killed.

    Only `options.pretraining_about()` matters here: options that agree in it, such as the settings of a preset, share a folder.
    On one device (and on a CPU with the same number of threads) equal corpora and options give equal weights, however often the
    run was interrupted.

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

    def start() -> TranslationRun:
        return begin_pretraining(fresh_model(options.architecture, options.seed), windows, options, place)

    def finish(run: TranslationRun) -> dict[str, Any]:
        save_model(folder / MODEL, run.model)
        return {}

    watch = Watch(progress, should_stop, save_every)
    end = run_whole(folder, about, "pre-training run of a translation model", stage, place, start, finish, watch)
    finished = end.found is not None
    return PretrainedModel(finished, end.step, stage.steps(len(windows)), folder / MODEL if finished else None)
