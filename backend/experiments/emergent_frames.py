"""From the statistics of several corpora to what the figures show: a frame each, its column `corpus` the corpus' name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Mapping

    from backend.experiments.emergent_statistics import Statistics

    Found = Mapping[str, Statistics]


def overview(found: Found) -> pd.DataFrame:
    """A row a corpus. Entropies and `bits_per_token` in bits, `unique` a share; alpha and beta nan where there is no law.

    corpus, tokens, utterances, unique, vocabulary, mean_length, entropy (of symbols), conditional (of a symbol when the one
    before is known), information (what it says of its neighbour beyond a shuffled corpus), alpha, beta, bits_per_token, ratio.
    """
    rows = []
    for name, each in found.items():
        own = each.corpus
        law = not own.zipf.at_bound
        rows.append(
            {
                "corpus": name,
                "tokens": own.tokens,
                "utterances": own.utterances,
                "unique": own.distinct_utterances / own.utterances if own.utterances else np.nan,
                "vocabulary": own.types,
                "mean_length": own.lengths.mean,
                "entropy": own.entropy,
                "conditional": own.entropies[1].conditional if own.entropies[1].windows else np.nan,
                "information": own.structure.excess if own.structure.pairs else np.nan,
                "alpha": own.zipf.alpha if law else np.nan,
                "beta": own.zipf.beta if law else np.nan,
                "bits_per_token": own.compression.bits_per_token,
                "ratio": own.compression.ratio,
            }
        )
    return pd.DataFrame(rows)


def warnings(found: Found) -> pd.DataFrame:
    """A row a warning: corpus, kind, message."""
    rows = [(name, each.kind, each.message) for name, own in found.items() for each in own.corpus.warnings]
    return pd.DataFrame(rows, columns=["corpus", "kind", "message"])


def ranks(found: Found) -> pd.DataFrame:
    """How often the symbol of each rank occurs, thinned by ratio: corpus, rank, count, share, fitted (share by the law).

    `fitted` is nan where no Zipf–Mandelbrot law fits (see `ZipfMandelbrot.at_bound`).
    """
    parts = []
    for name, each in found.items():
        own = each.corpus
        lawful = not own.zipf.at_bound and np.isfinite(own.zipf.alpha)
        fitted = own.zipf.shares(own.ranks.ranks) if lawful else np.full(len(own.ranks.ranks), np.nan)
        share = own.ranks.counts / own.tokens
        parts.append({"corpus": name, "rank": own.ranks.ranks, "count": own.ranks.counts, "share": share, "fitted": fitted})
    return _together(parts)


def type_token(found: Found) -> pd.DataFrame:
    """The type–token curve: corpus, tokens, types."""
    return _together(
        [{"corpus": name, "tokens": each.corpus.curve.tokens, "types": each.corpus.curve.types} for name, each in found.items()]
    )


def lengths(found: Found) -> pd.DataFrame:
    """How long utterances are: corpus, length (tokens), utterances, share."""
    parts = []
    for name, each in found.items():
        own = each.corpus.lengths
        parts.append(
            {"corpus": name, "length": own.lengths, "utterances": own.counts, "share": own.counts / each.corpus.utterances}
        )
    return _together(parts)


def entropies(found: Found) -> pd.DataFrame:
    """By the order of n-grams: corpus, order, entropy and conditional (bits), windows, distinct.

    Both are nan where no utterance is so long.
    """
    rows: list[dict[str, Any]] = []
    for name, each in found.items():
        for one in each.corpus.entropies:
            known = one.windows > 0
            bits = {"entropy": one.entropy if known else np.nan, "conditional": one.conditional if known else np.nan}
            rows.append({"corpus": name, "order": one.order} | bits | {"windows": one.windows, "distinct": one.distinct})
    return pd.DataFrame(rows)


def positions(found: Found, *, from_end: bool = False) -> pd.DataFrame:
    """Entropy at each position, from 1 (the first token, or the last): corpus, position, entropy (bits), utterances."""
    parts = []
    for name, each in found.items():
        own = each.ends if from_end else each.corpus.positions
        at = np.arange(1, len(own.entropy) + 1)
        parts.append({"corpus": name, "position": at, "entropy": own.entropy, "utterances": own.utterances})
    return _together(parts)


def frequent(found: Found, order: int | None) -> pd.DataFrame:
    """The most frequent n-grams of an order, or utterances (None): corpus, place, ids, length, count, share."""
    rows = []
    for name, each in found.items():
        own = each.corpus.frequent_utterances if order is None else each.corpus.frequent_ngrams[order - 1]
        for place, one in enumerate(own, start=1):
            rows.append((name, place, one.ids, one.length, one.count, one.share))
    return pd.DataFrame(rows, columns=["corpus", "place", "ids", "length", "count", "share"])


def _together(parts: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)
