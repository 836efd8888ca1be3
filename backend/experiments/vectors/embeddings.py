"""Embeddings of a corpus for one checkpoint: kept ones are read, missing ones computed in one pass and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.device_memory import pinned
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.experiments.vectors.keeping import Keeping
from isogloss.backend.experiments.vectors.one_pass import Text
from isogloss.backend.store import embeddings as store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch

    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.experiments.vectors.one_pass import EncodedBatch
    from isogloss.backend.models.entry import Checkpoint, Pooling
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.settings import Settings
    from isogloss.backend.store.embeddings import SentenceVectors


@dataclass
class CorpusEmbeddings:
    """Vectors of aligned sentences."""

    of: dict[Pooling, dict[str, SentenceVectors]] = field(default_factory=dict)
    """Pooling asked for → language → its sentences, in the order of the ids."""
    tokens: int = 0
    """Tokens encoded now; 0 where everything was saved already."""
    texts: int = 0
    """Texts (a sentence in a language) encoded now."""

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

    def layer(
        self, layer: int, pooling: Pooling, languages: Sequence[str], settings: Settings, *, true_length: bool = False
    ) -> torch.Tensor:
        """Return one layer as float32 `[languages, sentences, dims]`, on the GPU where there is one.

        Vectors may be scaled by a power of two (`backend.models.encoding.half`), which no cosine notices; with `true_length`,
        for what needs magnitudes, they are multiplied by 2^`exponents`.
        """
        import torch

        from isogloss.backend.models.device import choose_device

        device, rows = choose_device(settings.device), [self.of[pooling][language].vectors[:, layer] for language in languages]
        # One copy, out of all layers, into what a GPU reads by itself.
        shape = (len(rows), *rows[0].shape)
        host = pinned(shape, torch.float16) if device.type == "cuda" else torch.empty(shape, dtype=torch.float16)
        np.stack(rows, out=host.numpy())
        found = host.to(device, non_blocking=True).float()
        if not true_length:
            return found
        exponents = np.stack([self.of[pooling][language].exponents[:, layer] for language in languages])
        return torch.ldexp(found, torch.from_numpy(exponents).to(found.device)[..., None])

    def add(self, given: EncodedBatch, language: str, poolings: Sequence[Pooling]) -> None:
        """Add what a pass gave of a language now."""
        for pooling in poolings:
            self.of[pooling][language] = given.sentences[pooling]
        self.tokens += given.tokens
        self.texts += given.texts

    def merge(self, other: CorpusEmbeddings) -> CorpusEmbeddings:
        """Return these languages and those of `other`, in the same poolings."""
        of = {pooling: languages | other.of[pooling] for pooling, languages in self.of.items()}
        return CorpusEmbeddings(of, self.tokens + other.tokens, self.texts + other.texts)

    def _all(self) -> list[SentenceVectors]:
        return [found for languages in self.of.values() for found in languages.values()]


def of_corpus(
    checkpoint: Checkpoint,
    corpus: str,
    ids: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    poolings: Sequence[Pooling],
    context: Context,
    prefix: str = "",
) -> CorpusEmbeddings:
    """Return the embeddings of `texts` (language → sentences in the order of `ids`), from the workspaces or computed and kept.

    The model reads `prefix` before every sentence. It is loaded only where something is missing, and runs once for all
    `poolings`. What is kept is never computed again, and what is computed is what will be read: the same bytes.
    Raises what loading and encoding raise.
    """
    kept_embeddings = CorpusEmbeddings({pooling: {} for pooling in poolings})
    precision = one_pass.precision_of(context.settings)
    asked = [
        Text(checkpoint, corpus, language, ids, sentences, prefix=prefix, precision=precision)
        for language, sentences in texts.items()
    ]
    missing = [text for text in asked if _missing(kept_embeddings, text, context)]
    if missing:
        with Keeping(context) as keeping:
            _compute(kept_embeddings, missing, keeping, context)
    return kept_embeddings


def of_languages(
    checkpoint: Checkpoint,
    corpus: str,
    texts: Mapping[str, Mapping[str, str]],
    poolings: Sequence[Pooling],
    context: Context,
    prefix: str = "",
) -> CorpusEmbeddings:
    """Return, as `of_corpus`, the embeddings of languages (one at least) that need not have the same sentences: id → text."""
    groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for tag, found in texts.items():
        groups.setdefault(tuple(found), {})[tag] = list(found.values())
    return reduce(
        CorpusEmbeddings.merge,
        (of_corpus(checkpoint, corpus, ids, group, poolings, context, prefix) for ids, group in groups.items()),
    )


def _missing(kept_embeddings: CorpusEmbeddings, text: Text, context: Context) -> list[Pooling]:
    """Fill in what the workspaces keep of a text, and return the poolings that they do not."""
    lacking = [pooling for pooling, languages in kept_embeddings.of.items() if text.language not in languages]
    for pooling in lacking.copy():
        kept = (store.load(workspace, text.key(pooling)) for workspace in context.workspaces)
        if (vectors := next((each for each in kept if each is not None), None)) is not None:
            kept_embeddings.of[pooling][text.language] = vectors
            lacking.remove(pooling)
    return lacking


def _compute(kept_embeddings: CorpusEmbeddings, missing: Sequence[Text], keeping: Keeping, context: Context) -> None:
    loaded, waiting, met = one_pass.load(missing[0].checkpoint, context), list(missing), False
    if loaded.layered is not None:
        _compute_together(kept_embeddings, missing, loaded, keeping, context)
        return
    while waiting:
        # Two workers at the same texts: the one that comes second begins at the other end.
        text = waiting.pop(-1 if met else 0)
        position = len(missing) - len(waiting) - 1
        # Looked at again: another worker may have kept it meanwhile.
        if not (poolings := _missing(kept_embeddings, text, context)):
            met = True
            continue

        # One language at a time: some models are told the language, and a killed worker loses two languages at most: the one
        # that it encodes and the one before, which is being written.
        def report(done: int, total: int, position: int = position, language: str = text.language) -> None:
            context.step(f"encoding {language}", 0.5 * (position + done / max(total, 1)) / len(missing))

        words = None if keeping.full else _words_beside(loaded, text, len(missing), context)
        given = one_pass.run(loaded, text, poolings, words, report, context, keeping=keeping)
        met = met or given.was_kept
        kept_embeddings.add(given, text.language, poolings)


def _compute_together(
    kept_embeddings: CorpusEmbeddings, missing: Sequence[Text], loaded: Loaded, keeping: Keeping, context: Context
) -> None:
    """Encode all languages at once: the weights of a model that is run layer by layer are then read once."""
    lacking = [(text, _missing(kept_embeddings, text, context)) for text in missing]
    texts = [
        (text, poolings, None if keeping.full else _words_beside(loaded, text, len(missing), context))
        for text, poolings in lacking
        if poolings
    ]

    def report(done: float) -> None:
        layer = min(loaded.layers, 1 + int(done * loaded.layers))
        context.step(f"encoding all languages, layer {layer} of {loaded.layers}", 0.5 * done)

    for (text, poolings, _), given in zip(texts, one_pass.run_together(loaded, texts, report, context, keeping), strict=True):
        kept_embeddings.add(given, text.language, poolings)


def _words_beside(loaded: Loaded, text: Text, languages: int, context: Context) -> list[list[Span]] | None:
    """The words to keep from this pass, so that a question about words needs none of its own; None where they are too many."""
    if one_pass.words_kept(text, context):
        return None
    words = text.words()
    return words if one_pass.worth_keeping(loaded, words, languages, context) else None
