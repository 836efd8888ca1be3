"""Bigram structure: mutual information of neighbouring symbols, against the shuffled corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.metrics.corpus.codes import CodedCorpus, entropy_bits
from isogloss.backend.metrics.corpus.ngrams import mutual_information, ngrams

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE = 1_000_000
"""Tokens that are looked at."""
SHUFFLES = 10
SPREADS = 3.0
LEAST = 0.01


@dataclass(frozen=True)
class BigramStructure:
    """Mutual information of neighbours, beside that of the same tokens shuffled. Bits."""

    information: float
    shuffled: float
    """The mean over the shuffles: what chance alone leaves."""
    spread: float
    """Standard deviation over the shuffles (n - 1)."""
    entropy: float
    """Of single symbols, in the same tokens."""
    tokens: int
    """How many were looked at."""
    pairs: int
    """Neighbours within utterances, among these."""

    @property
    def excess(self) -> float:
        """Bits that a symbol says of the next beyond chance; may be a little below 0."""
        return self.information - self.shuffled

    @property
    def exceeds_chance(self) -> bool:
        """Whether there is structure: the excess is more than 3 spreads, and more than 1% of the entropy."""
        return self.excess > max(SPREADS * self.spread, LEAST * self.entropy)


def bigram_structure(corpus: CodedCorpus, seed: int = 0, sample: int = SAMPLE, shuffles: int = SHUFFLES) -> BigramStructure:
    """Bigram structure: what symbols say of their next, against the corpus with its tokens shuffled over all utterances.

    The shuffle, in utterances of the same lengths, measures the bias of the plug-in estimate. A larger corpus is represented
    by utterances drawn at random (in their order) up to `sample` tokens; a single longer one by its beginning. Deterministic
    by `seed`. Structure beyond neighbours is not looked for. Raises ValueError for fewer than two shuffles. See
    `docs/definitions.md`.
    """
    if shuffles < 2:
        raise ValueError(f"A spread needs at least two shuffles, not {shuffles}.")
    rng = np.random.default_rng(seed)
    part = corpus if corpus.tokens <= sample else _drawn(corpus, sample, rng)
    bigrams = ngrams(part, 2)
    values = [
        mutual_information(ngrams(CodedCorpus(rng.permutation(part.codes), part.starts, part.symbols), 2))
        for _ in range(shuffles)
    ]
    return BigramStructure(
        mutual_information(bigrams),
        float(np.mean(values)),
        float(np.std(values, ddof=1)),
        entropy_bits(part.counts()),
        part.tokens,
        bigrams.windows,
    )


def _drawn(corpus: CodedCorpus, sample: int, rng: np.random.Generator) -> CodedCorpus:
    lengths = corpus.lengths()
    order = rng.permutation(corpus.utterances)
    fitting = int(np.searchsorted(np.cumsum(lengths[order]), sample, side="right"))
    chosen = np.sort(order[: max(fitting, 1)])
    own = np.minimum(lengths[chosen], sample)
    starts = np.concatenate([[0], np.cumsum(own)])
    places: NDArray[np.int64] = np.arange(starts[-1]) + np.repeat(corpus.starts[chosen] - starts[:-1], own)
    return CodedCorpus(corpus.codes[places], starts, corpus.symbols)
