"""Vectors of chosen words of a corpus for one checkpoint: kept ones are read, missing ones come from one pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import ModelError
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.experiments.vectors.keeping import Keeping
from isogloss.backend.experiments.vectors.one_pass import EncodedBatch, Text
from isogloss.backend.store.word_embeddings import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch
    from numpy.typing import NDArray

    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.settings import Settings

Place = tuple[int, int, int]
"""The number of a sentence, and a word's start and end in its characters."""


@dataclass(frozen=True, eq=False)
class Words(WordVectors):
    """Chosen words of one language, in the order they were asked for, and what was encoded now to have them."""

    tokens: int = 0
    texts: int = 0
    """Sentences."""

    @property
    def layers(self) -> int:
        """Count the layers, that of the input embeddings included."""
        return int(self.vectors.shape[1])

    def layer(self, layer: int, rows: NDArray[np.int64], settings: Settings, *, true_length: bool = False) -> torch.Tensor:
        """Return one layer of `rows` as float32 `[rows, dims]`, on the GPU where there is one; with `true_length` unscaled."""
        import torch

        from isogloss.backend.models.device import choose_device

        found = torch.from_numpy(self.vectors[rows, layer]).to(choose_device(settings.device)).float()
        if not true_length:
            return found
        assert self.exponents is not None, "a Pass that needs lengths gives them"
        return torch.ldexp(found, torch.from_numpy(self.exponents[rows, layer]).to(found.device)[:, None])


class WordEncoder:
    """Gives words of one checkpoint; loads its weights once, and only if something is missing."""

    def __init__(self, context: Context, languages: int, *, share: float = 0.0, lengths: bool = False) -> None:
        """Set what keeping and progress depend on.

        `languages` is how many will be asked for: whether their words are worth keeping depends on it. `share` is how much of
        the shard one language's words are, for progress. `lengths`: true lengths are needed, which old files lack.
        """
        self.context, self.languages, self.share, self.lengths = context, languages, share, lengths
        self._loaded: Loaded | None = None
        self._expected: dict[str, list[Sequence[Place]]] = {}
        self._held: dict[str, WordVectors] = {}

    def expect(self, language: str, wanted: Sequence[Place]) -> None:
        """Say that these will be asked for, once: a language that several pairs share is then encoded once for all of them."""
        self._expected.setdefault(language, []).append(wanted)

    def words(self, text: Text, wanted: Sequence[Place], share: float) -> Words:
        """Look up or encode the words at `wanted`.

        Every word of the language is kept where the budget has room, else only those that are asked for and expected are
        computed; so they are where some are no words of ours, but the tokens of an aligner.

        `share` is how much of the shard is done. Raises what loading and encoding raise.
        """
        return self._given(text, wanted, share, self._encode)

    def encode_masked(self, text: Text, wanted: Sequence[Place], share: float) -> Words:
        """Vectors of the model's mask token, set in place of each word at `wanted` in turn (one encoding a word; not kept).

        Source: Gaschi et al. 2022, figure 8. Raises `ModelError` for a model without a mask token.
        """
        return self._given(text, wanted, share, self._encode_masked)

    def _given(
        self, text: Text, wanted: Sequence[Place], share: float, encode: Callable[..., tuple[WordVectors, EncodedBatch]]
    ) -> Words:
        """Return what `encode` gives at the first request, held until the last that was expected."""
        expected, given = self._expected.get(text.language, []), EncodedBatch()
        held = self._held.pop(text.language, None)
        if held is None:
            together = sorted({place for places in (wanted, *expected) for place in places})
            held, given = encode(text, together, share)
        if expected:
            expected.pop()
        if expected:
            self._held[text.language] = held
        return _taken(held, wanted, given)

    def _encode(self, text: Text, wanted: Sequence[Place], share: float) -> tuple[WordVectors, EncodedBatch]:
        kept = one_pass.kept_words(text, self.context)
        if kept is not None and kept.has(wanted) and not (self.lengths and kept.exponents is None):
            return kept, EncodedBatch()
        spans = text.words()
        ours = {(i, *span) for i, found in enumerate(spans) for span in found} >= set(wanted)
        loaded = self._load(text, share)
        keep = ours and one_pass.worth_keeping(loaded, spans, self.languages, self.context)
        if not keep:
            spans = [[] for _ in text.texts]
            for i, start, end in wanted:
                spans[i].append((start, end))

        def report(done: int, total: int) -> None:
            now = share + self.share * done / max(1, total)
            self.context.step(f"encoding {text.language} ({done} of {total} sentences)", now)

        with Keeping(self.context) as keeping:
            given = one_pass.run(loaded, text, [], spans, report, self.context, keeping=keeping, keep_words=keep)
        assert given.words is not None
        return given.words, given

    def _encode_masked(self, text: Text, wanted: Sequence[Place], share: float) -> tuple[WordVectors, EncodedBatch]:
        loaded = self._load(text, share)
        mask = getattr(loaded.tokenizer, "mask_token", None)
        if not mask:
            raise ModelError("The model has no mask token. Switch off 'Masked words', or choose a model that has one.")
        texts = [text.texts[i][:start] + mask + text.texts[i][end:] for i, start, end in wanted]
        spans = [[(start, start + len(mask))] for _, start, _ in wanted]

        def report(done: int, total: int) -> None:
            now = share + self.share * done / max(1, total)
            self.context.step(f"encoding {text.language}, masked ({done} of {total} words)", now)

        given = one_pass.run(loaded, replace(text, texts=texts, ids=[]), [], spans, report, self.context)
        assert given.words is not None
        return replace(given.words, places=np.array(wanted, np.int32).reshape(-1, 3)), given

    def _load(self, text: Text, share: float) -> Loaded:
        if self._loaded is None:
            self._loaded = one_pass.load(text.checkpoint, self.context, share)
        return self._loaded


def _taken(found: WordVectors, wanted: Sequence[Place], given: EncodedBatch) -> Words:
    return Words(**vars(found.take(wanted)), tokens=given.tokens, texts=given.texts)
