"""Pre-train a language model on a source corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.training.language_model import run
from isogloss.backend.training.language_model.source import source_windows
from isogloss.backend.training.language_model.weights import save_model
from isogloss.backend.training.resumable.run import MODEL, PretrainedModel, TrainingControls, run_pretraining

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    import torch

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.training.language_model.options import LanguageModelOptions


def pretrain(
    corpus: EmergentCorpus, options: LanguageModelOptions, folder: Path, **following: Unpack[TrainingControls]
) -> PretrainedModel:
    """Pre-train a GPT-2 on `corpus`, or go on with a run that was stopped or killed.

    Ids of the corpus beyond the vocabulary are numbered from 0. The folder gets `model/` at the end. Options that agree in
    `options.pretraining_provenance()` share it. Raises `SpecError` where there are more symbols than embeddings, and what
    `backend.training.resumable.run.run_training` raises.
    """
    windows, shape = source_windows(corpus, options), options.architecture

    def begin(device: torch.device) -> run.Run:
        return run.begin("pre-training", run.fresh_model(shape, options.seed), windows, options, device)

    def save(trained: run.Run) -> None:
        save_model(folder / MODEL, trained.model, shape)

    return run_pretraining(windows, options, folder, "pre-training run", begin, save, following)
