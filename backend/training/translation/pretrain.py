"""Pre-train a translation model on a source corpus by text infilling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.training.language_model.source import budget_windows
from isogloss.backend.training.resumable.run import MODEL, PretrainedModel, TrainingControls, run_pretraining
from isogloss.backend.training.translation.model import save_model
from isogloss.backend.training.translation.run import TranslationRun, begin_pretraining, fresh_model

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.training.translation.options import TranslationOptions


def source_windows(corpus: EmergentCorpus, options: TranslationOptions) -> NDArray[np.int32]:
    """Return the corpus cut or repeated to the budget of pre-training, `[windows, context]`: as XferBench's own models get it.

    Raises `SpecError` where it has more symbols than there are ids beside the special tokens (`options.architecture.symbols`).
    """
    shape = options.architecture
    return budget_windows(corpus, shape.symbols, shape.context, options.pretraining.tokens, options.seed)


def pretrain(
    corpus: EmergentCorpus, options: TranslationOptions, folder: Path, **following: Unpack[TrainingControls]
) -> PretrainedModel:
    """Pre-train a BART on `corpus`: as `backend.training.language_model.pretrain.pretrain` a GPT-2."""
    windows = source_windows(corpus, options)

    def begin(device: torch.device) -> TranslationRun:
        return begin_pretraining(fresh_model(options.architecture, options.seed), windows, options, device)

    def save(run: TranslationRun) -> None:
        save_model(folder / MODEL, run.model)

    return run_pretraining(windows, options, folder, "pre-training run of a translation model", begin, save, following)
