"""Parallel text as tokens: the pairs that a translation model is tuned on, and those that are held out to score it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import CorpusError
from isogloss.backend.files import digest
from isogloss.backend.training.language_model.tokenizer import cached_bpe
from isogloss.backend.training.resumable.folder import content_digest
from isogloss.backend.training.translation.options import END, START

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from isogloss.backend.training.translation.options import TranslationOptions

AT_ONCE = 1000
"""Pairs tokenised together."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Sentences as token ids, one after the other: sentence `k` is `ids[starts[k] : starts[k + 1]]`."""

    ids: NDArray[np.int32]
    """`[tokens]`, each sentence from its start to its end."""
    starts: NDArray[np.int64]
    """`[sentences + 1]`"""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """`[sentences]`, in tokens."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class TranslationText:
    """What is tuned on and what is translated."""

    sources: Rows
    """To tune on."""
    targets: Rows
    """Their translations."""
    test: Rows
    """What is translated to be scored."""
    test_sources: tuple[str, ...]
    """The same as text."""
    references: tuple[str, ...]
    """Its translations as they were given, but for spaces around them."""
    tuned: NDArray[np.int64]
    """Which pairs are tuned on, by their places in what was given."""
    tested: NDArray[np.int64]
    """Which pairs are translated."""
    repeated: int
    """Pairs that are neither, because their source or their target is also that of a held-out pair."""
    tokenizer: Tokenizer
    """Of both languages."""

    def digest(self) -> str:
        """Equal for equal tokens, references and tokenisers."""
        rows = (self.sources, self.targets, self.test)
        arrays = content_digest([array for each in rows for array in (each.ids, each.starts)])
        return digest([arrays, self.test_sources, self.references, self.tokenizer.to_str()])


def translation_text(
    source_texts: Sequence[str], target_texts: Sequence[str], options: TranslationOptions, kept_in: Path | None = None
) -> TranslationText:
    """Split parallel text, train one tokeniser of both languages and tokenise (`docs/definitions.md`, "Machine translation").

    No pair is tuned on whose source or target is also that of a held-out pair. Sentences are cut to the context, references are
    not.

    Args:
        source_texts: Sentences of the language to translate from.
        target_texts: Their translations, row by row. A pair with an empty side is left out.
        options: Vocabulary, context, budget and share held out.
        kept_in: Folder that keeps trained tokenisers; None to train each time.

    Raises:
        CorpusError: Rows without partners, or too few pairs to tune on some and score others.
    """
    if len(source_texts) != len(target_texts):
        raise CorpusError(
            f"There are {len(source_texts):,} sentences to translate and {len(target_texts):,} translations.",
            remedy="Choose a parallel corpus: row by row the same sentences.",
        )
    pairs = [(source.strip(), target.strip()) for source, target in zip(source_texts, target_texts, strict=True)]
    order = np.random.default_rng(0).permutation(len(pairs))
    held_out = order[: math.ceil(options.held_out * len(pairs))]
    tested = np.sort([place for place in held_out if all(pairs[place])][: options.test_pairs]).astype(np.int64)
    tuned, repeated = _tunable(pairs, held_out)
    if not len(tuned) or not len(tested):
        raise CorpusError(
            f"{len(pairs):,} pairs are too few to tune on some and translate others.",
            remedy="Choose a longer parallel corpus.",
        )
    tokenizer = cached_bpe([text for place in tuned for text in pairs[place]], options.architecture.symbols, kept_in)
    sources, targets = _to_tune_on([pairs[place] for place in tuned[: options.tuning.pairs]], tokenizer, options)
    test_sources, references = zip(*(pairs[place] for place in tested), strict=True)
    test = _rows(_tokenised(test_sources, tokenizer, options))
    return TranslationText(sources, targets, test, test_sources, references, tuned[: len(sources)], tested, repeated, tokenizer)


def _tunable(pairs: Sequence[tuple[str, str]], held_out: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the places of pairs that share no side with a held-out one, and how many do though they are not held out."""
    apart = set(held_out.tolist())
    sources, targets = ({pairs[place][side] for place in apart} for side in (0, 1))
    others = [place for place in range(len(pairs)) if place not in apart and all(pairs[place])]
    tuned = [place for place in others if pairs[place][0] not in sources and pairs[place][1] not in targets]
    return np.asarray(tuned, np.int64), len(others) - len(tuned)


def _to_tune_on(pairs: Sequence[tuple[str, str]], tokenizer: Tokenizer, options: TranslationOptions) -> tuple[Rows, Rows]:
    """Return the first of the pairs, until their sources have the budget's tokens."""
    sources: list[list[int]] = []
    targets: list[list[int]] = []
    left = options.tuning.tokens
    for first in range(0, len(pairs), AT_ONCE):
        for source, target in zip(
            *(_tokenised(side, tokenizer, options) for side in zip(*pairs[first : first + AT_ONCE], strict=True)), strict=True
        ):
            if left <= 0:
                return _rows(sources), _rows(targets)
            sources.append(source)
            targets.append(target)
            left -= len(source)
    return _rows(sources), _rows(targets)


def _tokenised(texts: Sequence[str], tokenizer: Tokenizer, options: TranslationOptions) -> list[list[int]]:
    """Return each text from its start to its end, cut to the context."""
    start, end = options.architecture.symbols + START, options.architecture.symbols + END
    most = options.architecture.context - 2
    encoded = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    return [[start, *one.ids[:most], end] for one in encoded]


def _rows(rows: Sequence[Sequence[int]]) -> Rows:
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows], dtype=np.int64)])
    return Rows(np.asarray([each for row in rows for each in row], np.int32), starts)
