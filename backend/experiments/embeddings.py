"""Embeddings of a corpus for one checkpoint: kept ones are read, missing ones computed in one pass and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from backend.experiments.spec import Cancelled
from backend.store import embeddings as store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch
    from numpy.typing import NDArray

    from backend.experiments.spec import Context
    from backend.models.entry import Checkpoint, Pooling
    from backend.settings import Settings


@dataclass
class CorpusEmbeddings:
    """Vectors of aligned sentences: language → float16 `[sentences, layers + 1, dims]` (layer 0 is the input embedding)."""

    vectors: dict[str, NDArray[np.float16]] = field(default_factory=dict)
    tokens: int = 0
    """Tokens encoded now; 0 where every language was kept already."""
    truncated: int = 0
    """Sentences longer than the model's maximum, among those encoded now."""
    device: str = "kept embeddings"
    precision: str = "float16"

    @property
    def layers(self) -> int:
        return int(next(iter(self.vectors.values())).shape[1])

    def layer(self, layer: int, languages: Sequence[str], settings: Settings) -> torch.Tensor:
        """One layer as float32 `[languages, sentences, dims]`, on the GPU where there is one."""
        import torch

        from backend.models.device import choose_device

        stacked = np.stack([self.vectors[language][:, layer] for language in languages])
        return torch.from_numpy(stacked).to(choose_device(settings.device)).float()


def of_corpus(
    checkpoint: Checkpoint,
    corpus: str,
    ids: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    pooling: Pooling,
    context: Context,
) -> CorpusEmbeddings:
    """The embeddings of `texts` (language → sentences in the order of `ids`), from the workspaces or computed and kept.

    The model is loaded only where something is missing. Vectors may be scaled by a power of two (`backend.models.half`), which
    no cosine notices.
    Raises what loading and encoding raise.
    """
    sentences = store.sentences_digest(ids)
    found = CorpusEmbeddings()
    missing: list[str] = []
    for language in texts:
        key = store.EmbeddingKey(checkpoint.fingerprint, corpus, language, pooling, sentences)
        for workspace in context.workspaces:
            kept = store.load(workspace, key)
            if kept is not None:
                found.vectors[language] = kept
                break
        else:
            missing.append(language)
    if missing:
        _compute(found, checkpoint, corpus, ids, {language: texts[language] for language in missing}, pooling, context)
    return found


def _compute(
    found: CorpusEmbeddings,
    checkpoint: Checkpoint,
    corpus: str,
    ids: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    pooling: Pooling,
    context: Context,
) -> None:
    from backend.models.encode import StoppedError, encode
    from backend.models.load import load

    context.step("loading the model", 0.0)
    loaded = load(checkpoint, context.settings)
    found.device, found.precision = str(loaded.device), str(loaded.dtype).removeprefix("torch.")
    for position, language in enumerate(texts):
        # One language at a time: some models are told the language, and a killed worker loses one language at most.
        def report(done: int, total: int, position: int = position, language: str = language) -> None:
            context.step(f"encoding {language}", 0.5 * (position + done / max(total, 1)) / len(texts))

        try:
            encoded = encode(
                loaded, texts[language], [pooling], language=language, progress=report, should_stop=context.should_stop
            )
        except StoppedError as error:
            raise Cancelled from error
        found.tokens += encoded.tokens
        found.truncated += int(encoded.truncated.sum())
        found.vectors[language] = encoded.vectors[pooling]
        if context.settings.embeddings_gib > 0:
            key = store.EmbeddingKey(checkpoint.fingerprint, corpus, language, pooling, store.sentences_digest(ids))
            store.save(context.workspace, key, ids, encoded.vectors[pooling])
    store.keep_within(context.workspace, context.settings.embeddings_gib)
