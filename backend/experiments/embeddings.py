"""Embeddings of a corpus for one checkpoint: kept ones are read, missing ones computed in one pass and kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from backend.experiments.spec import Cancelled
from backend.store import embeddings as store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from backend.experiments.spec import Context
    from backend.models.entry import Checkpoint, Pooling
    from backend.models.load import Loaded
    from backend.models.tokens import Tokens
    from backend.settings import Settings
    from backend.store.embeddings import SentenceVectors

TOGETHER: tuple[Pooling, ...] = ("mean", "first")
"""Kept from every pass, whichever was asked for: a later question about the other needs no pass of its own."""


@dataclass
class CorpusEmbeddings:
    """Vectors of aligned sentences."""

    of: dict[Pooling, dict[str, SentenceVectors]] = field(default_factory=dict)
    """Pooling asked for → language → its sentences, in the order of the ids."""
    tokens: int = 0
    """Tokens encoded now; 0 where everything was kept already."""

    @property
    def layers(self) -> int:
        """Layers with the input embedding."""
        return int(self._all()[0].vectors.shape[1])

    @property
    def truncated(self) -> int:
        """Texts (a sentence in a language) that were longer than the model's maximum and lost their end."""
        return sum(int(found.truncated.sum()) for found in next(iter(self.of.values())).values())

    @property
    def device(self) -> str:
        """What the vectors were computed on, now or before: `cpu`, or `cpu, cuda:0` where not all on the same."""
        return ", ".join(sorted({found.device for found in self._all()}))

    @property
    def precision(self) -> str:
        """What they were computed in, before the rounding to float16."""
        return ", ".join(sorted({found.precision for found in self._all()}))

    def layer(self, layer: int, pooling: Pooling, languages: Sequence[str], settings: Settings) -> torch.Tensor:
        """One layer as float32 `[languages, sentences, dims]`, on the GPU where there is one.

        Vectors may be scaled by a power of two (`backend.models.half`), which no cosine notices; multiply by
        2^`exponents` where magnitudes matter.
        """
        import torch

        from backend.models.device import choose_device

        stacked = np.stack([self.of[pooling][language].vectors[:, layer] for language in languages])
        return torch.from_numpy(stacked).to(choose_device(settings.device)).float()

    def _all(self) -> list[SentenceVectors]:
        return [found for languages in self.of.values() for found in languages.values()]


def of_corpus(
    checkpoint: Checkpoint,
    corpus: str,
    ids: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    poolings: Sequence[Pooling],
    context: Context,
) -> CorpusEmbeddings:
    """The embeddings of `texts` (language → sentences in the order of `ids`), from the workspaces or computed and kept.

    The model is loaded only where something is missing, and runs once for all `poolings`. What is kept is never computed
    again, and what is computed is what will be read: the same bytes.
    Raises what loading and encoding raise.
    """
    sentences = store.sentences_digest(ids)
    found = CorpusEmbeddings({pooling: {} for pooling in poolings})
    missing: dict[str, list[store.EmbeddingKey]] = {}
    for language in texts:
        for pooling in poolings:
            key = store.EmbeddingKey(checkpoint.fingerprint, corpus, language, pooling, sentences)
            kept = (store.load(workspace, key) for workspace in context.workspaces)
            if (vectors := next((each for each in kept if each is not None), None)) is not None:
                found.of[pooling][language] = vectors
            else:
                missing.setdefault(language, []).append(key)
    if missing:
        _compute(found, checkpoint, ids, texts, missing, context)
    return found


def _compute(
    found: CorpusEmbeddings,
    checkpoint: Checkpoint,
    ids: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[store.EmbeddingKey]],
    context: Context,
) -> None:
    from backend.models import read_ahead, shared_tokens
    from backend.models.load import load

    context.step("loading the model", 0.0)
    loaded = load(checkpoint, context.settings)
    if context.upcoming is not None:  # only now: this one's own loading had the disk to itself
        read_ahead.start(context.upcoming, context.settings, context.should_stop)
    for position, (language, keys) in enumerate(missing.items()):
        # One language at a time: some models are told the language, and a killed worker loses one language at most.
        def report(done: int, total: int, position: int = position, language: str = language) -> None:
            context.step(f"encoding {language}", 0.5 * (position + done / max(total, 1)) / len(missing))

        tokens = shared_tokens.of(loaded, texts[language], language)
        for key, vectors in _encode(loaded, tokens, [*_companions(keys, context), *keys], report, context).items():
            if key in keys:
                found.of[cast("Pooling", key.pooling)][language] = vectors
            if context.settings.embeddings_gib > 0:
                store.save(context.workspace, key, ids, vectors)
        found.tokens += tokens.count
        store.keep_within(context.workspace, context.settings.embeddings_gib)


def _encode(
    loaded: Loaded,
    tokens: Tokens,
    keys: Sequence[store.EmbeddingKey],
    progress: Callable[[int, int], None],
    context: Context,
) -> dict[store.EmbeddingKey, SentenceVectors]:
    """The vectors of `keys`, which differ in their pooling alone, from one pass over one language's tokens."""
    from backend.models.encode import StoppedError, encode

    poolings = [cast("Pooling", key.pooling) for key in keys]
    language, stop = keys[0].language, context.should_stop
    try:
        encoded = encode(loaded, tokens, poolings, language=language, progress=progress, should_stop=stop)
    except StoppedError as error:
        raise Cancelled from error
    device, precision = str(loaded.device), str(loaded.dtype).removeprefix("torch.")
    return {
        key: store.SentenceVectors(encoded.vectors[pooling], encoded.exponents[pooling], encoded.truncated, device, precision)
        for key, pooling in zip(keys, poolings, strict=True)
    }


def _companions(keys: Sequence[store.EmbeddingKey], context: Context) -> list[store.EmbeddingKey]:
    """What the same pass gives beside `keys` and nobody has kept yet; saved before them, so that it is the first to go."""
    if context.settings.embeddings_gib <= 0:
        return []
    others = [replace(keys[0], pooling=pooling) for pooling in TOGETHER]
    return [
        key for key in others if key not in keys and not any(store.exists(workspace, key) for workspace in context.workspaces)
    ]
