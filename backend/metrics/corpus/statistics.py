"""Everything that is said of an emergent-language corpus before any training, from its two arrays.

Entropies are in bits, by the plug-in estimate. Each statistic is defined in the module that it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.metrics.corpus.codes import code
from isogloss.backend.metrics.corpus.compression import Compression, compression
from isogloss.backend.metrics.corpus.frequent import Frequent, frequent_ngrams, frequent_utterances
from isogloss.backend.metrics.corpus.growth import TypeTokenCurve, type_token_curve
from isogloss.backend.metrics.corpus.ngrams import NgramEntropy, ngram_entropy, ngrams
from isogloss.backend.metrics.corpus.positions import PositionalEntropy, positional_entropy
from isogloss.backend.metrics.corpus.structure import BigramStructure, bigram_structure
from isogloss.backend.metrics.corpus.utterances import UtteranceLengths, distinct_utterances, utterance_lengths
from isogloss.backend.metrics.corpus.warnings import BUDGET, CorpusWarning, corpus_warnings
from isogloss.backend.metrics.corpus.zipf import RankFrequency, ZipfMandelbrot, fit_zipf_mandelbrot, rank_frequency

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class CorpusStatistics:
    """Of one corpus. Ids are those of the corpus that was given."""

    tokens: int
    types: int
    """Symbols that occur: the vocabulary."""
    utterances: int
    distinct_utterances: int
    lengths: UtteranceLengths
    curve: TypeTokenCurve
    entropies: tuple[NgramEntropy, ...]
    """From single symbols upwards, one an order."""
    ranks: RankFrequency
    zipf: ZipfMandelbrot
    frequent_ngrams: tuple[tuple[Frequent, ...], ...]
    """By order, as `entropies`: the first are the most frequent symbols."""
    frequent_utterances: tuple[Frequent, ...]
    positions: PositionalEntropy
    compression: Compression
    structure: BigramStructure
    warnings: tuple[CorpusWarning, ...]

    @property
    def entropy(self) -> float:
        """Bits per symbol."""
        return self.entropies[0].entropy


def corpus_statistics(
    ids: ArrayLike, starts: ArrayLike, orders: int = 4, most: int = 20, seed: int = 0, budget: int = BUDGET
) -> CorpusStatistics:
    """Return the statistics of tokens `ids` [tokens] in utterances that begin at `starts` [utterances + 1].

    n-grams are counted up to `orders` symbols, and the `most` frequent kept; `seed` is for the shuffles of `structure`;
    `budget` are the tokens that pre-training would use, for the warning of too few. Every corpus has an outcome, also one
    without tokens or without utterances. Raises ValueError where the arrays are no corpus, or `orders` is not at least 1.
    """
    if orders < 1:
        raise ValueError(f"n-grams are counted up to at least one symbol, not {orders}.")
    corpus = code(ids, starts)
    entropies, frequent = [], []
    for order in range(1, orders + 1):
        grams = ngrams(corpus, order)
        entropies.append(ngram_entropy(grams))
        frequent.append(tuple(frequent_ngrams(corpus, grams, most)))
        del grams  # of 20 million tokens, up to 320 MB
    distinct = distinct_utterances(corpus)
    utterances = len(distinct.first)
    structure = bigram_structure(corpus, seed)
    counts = corpus.counts()
    return CorpusStatistics(
        tokens=corpus.tokens,
        types=corpus.types,
        utterances=corpus.utterances,
        distinct_utterances=utterances,
        lengths=utterance_lengths(corpus),
        curve=type_token_curve(corpus),
        entropies=tuple(entropies),
        ranks=rank_frequency(counts),
        zipf=fit_zipf_mandelbrot(counts),
        frequent_ngrams=tuple(frequent),
        frequent_utterances=tuple(frequent_utterances(corpus, distinct, most)),
        positions=positional_entropy(corpus),
        compression=compression(corpus),
        structure=structure,
        warnings=corpus_warnings(corpus.tokens, corpus.types, corpus.utterances, utterances, structure, budget),
    )
