"""From the statistics of several corpora to what the figures show: a frame each, its column `corpus` the corpus' name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.experiments.emergent.meanings import MEASURES
from isogloss.backend.metrics.corpus import bias
from isogloss.backend.recipe_mark import holds_texts, in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.experiments.emergent.statistics import Statistics
    from isogloss.backend.metrics.corpus.statistics import CorpusStatistics

    Found = Mapping[str, Statistics]


@in_recipes
def overview(found: Found, measures: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row per corpus. Entropies, `bits_per_token`: bits; `unique`: a share; alpha, beta: nan where there is no law.

    corpus, tokens, utterances, unique, vocabulary, mean_length, entropy (of symbols), conditional (of a symbol when the one
    before is known, by the plug-in estimate, which is too low), corrected (the same without that bias), information (what it
    says of its neighbour beyond a shuffled corpus), alpha, beta, bits_per_token, ratio. With `measures`, those of
    `meanings.measures_of`, also topographic_similarity, posdis and bosdis: nan of a corpus without meanings.
    """
    rows = []
    for name, each in found.items():
        numbers = each.corpus
        law = not numbers.zipf.at_bound
        rows.append(
            {
                "corpus": name,
                "tokens": numbers.tokens,
                "utterances": numbers.utterances,
                "unique": numbers.distinct_utterances / numbers.utterances if numbers.utterances else np.nan,
                "vocabulary": numbers.types,
                "mean_length": numbers.lengths.mean,
                "entropy": numbers.entropy,
                "conditional": numbers.entropies[1].conditional if numbers.entropies[1].windows else np.nan,
                "corrected": _corrected(numbers),
                "information": numbers.structure.excess if numbers.structure.pairs else np.nan,
                "alpha": numbers.zipf.alpha if law else np.nan,
                "beta": numbers.zipf.beta if law else np.nan,
                "bits_per_token": numbers.compression.bits_per_token,
                "ratio": numbers.compression.ratio,
            }
        )
    table = pd.DataFrame(rows)
    if measures is None:
        return table
    values = {(row["corpus"], row["measure"]): float(row["value"]) for row in measures.to_dict("records")}
    return table.assign(**{each: [values.get((name, each), np.nan) for name in table["corpus"]] for each in MEASURES})


def _corrected(own: CorpusStatistics) -> float:
    """Conditional entropy and its bias: what neighbours share in the shuffled corpus, where they truly share nothing."""
    known = own.entropies[1].windows and own.structure.pairs
    return min(own.entropies[1].conditional + own.structure.shuffled, own.entropy) if known else np.nan


def warnings(found: Found) -> pd.DataFrame:
    """Return one row per warning: corpus, kind, message."""
    rows = [(name, each.kind, each.message) for name, own in found.items() for each in own.corpus.warnings]
    return pd.DataFrame(rows, columns=["corpus", "kind", "message"])


@in_recipes
def ranks(found: Found) -> pd.DataFrame:
    """Return how often the symbol of each rank occurs, thinned by ratio: corpus, rank, count, share, fitted (share by the law).

    `fitted` is nan where no Zipf–Mandelbrot law fits (see `ZipfMandelbrot.at_bound`).
    """
    parts = []
    for name, each in found.items():
        own = each.corpus
        lawful = not own.zipf.at_bound and np.isfinite(own.zipf.alpha)
        fitted = own.zipf.shares(own.ranks.ranks) if lawful else np.full(len(own.ranks.ranks), np.nan)
        share = own.ranks.counts / own.tokens
        parts.append({"corpus": name, "rank": own.ranks.ranks, "count": own.ranks.counts, "share": share, "fitted": fitted})
    return _together(parts, ["corpus", "rank", "count", "share", "fitted"])


@in_recipes
def type_token(found: Found) -> pd.DataFrame:
    """Return the type–token curve: corpus, tokens, types."""
    curves = {name: each.corpus.curve for name, each in found.items()}
    parts = [{"corpus": name, "tokens": curve.tokens, "types": curve.types} for name, curve in curves.items()]
    return _together(parts, ["corpus", "tokens", "types"])


@in_recipes
def lengths(found: Found, bins: int = 64) -> pd.DataFrame:
    """Return how long utterances are, in bins that all corpora share: corpus, low, high (tokens), middle, utterances, share.

    Both ends of a bin are in it. Every length is a bin where there are few, and an empty bin stands before and after them;
    longer spans are cut into about `bins` equally wide ones.
    """
    known = {name: each.corpus.lengths for name, each in found.items() if len(each.corpus.lengths.lengths)}
    least = min((int(own.lengths[0]) for own in known.values()), default=1)
    most = max((int(own.lengths[-1]) for own in known.values()), default=1)
    width = -(-(most - least + 1) // bins)
    low = np.arange(least - width, most + width + 1, width)
    parts = []
    for name, own in known.items():
        counts = np.zeros(len(low), np.int64)
        np.add.at(counts, (own.lengths - low[0]) // width, own.counts)
        share = counts / own.counts.sum()
        edges = {"low": low, "high": low + width - 1, "middle": low + (width - 1) / 2}
        parts.append({"corpus": name} | edges | {"utterances": counts, "share": share})
    return _together(parts, ["corpus", "low", "high", "middle", "utterances", "share"])


@in_recipes
def entropies(found: Found) -> pd.DataFrame:
    """By the order of n-grams: corpus, order, entropy and conditional (bits, plug-in estimates), windows, distinct.

    Then entropy_corrected and conditional_corrected, with the Miller–Madow correction, and enough: whether n-grams are many
    enough to believe these. Bits are nan where no utterance is so long.
    """
    rows: list[dict[str, Any]] = []
    for name, each in found.items():
        symbols = each.corpus.entropies[0].distinct
        before = 1  # of order 1, nothing is known before: one context, the empty one
        for one in each.corpus.entropies:
            known = one.windows > 0
            bits = {"entropy": one.entropy if known else np.nan, "conditional": one.conditional if known else np.nan}
            most = np.log2(max(symbols, 1))
            added = bias.miller_madow(one.distinct, one.windows)
            # Contexts at the end of an utterance are counted too, so this adds a little less than it might.
            last = max(0.0, added - bias.miller_madow(before, one.windows))
            corrected = {
                "entropy_corrected": min(bits["entropy"] + added, one.order * most) if known else np.nan,
                "conditional_corrected": min(bits["conditional"] + last, most) if known else np.nan,
                "enough": bias.is_enough(one.distinct, one.windows),
            }
            counts = {"windows": one.windows, "distinct": one.distinct}
            rows.append({"corpus": name, "order": one.order} | bits | counts | corrected)
            before = one.distinct
    return pd.DataFrame(rows)


@in_recipes
def positions(found: Found, *, from_end: bool = False) -> pd.DataFrame:
    """Entropy at each position, from 1 (the first token, or the last): corpus, position, entropy (bits), utterances."""
    parts = []
    for name, each in found.items():
        own = each.ends if from_end else each.corpus.positions
        at = np.arange(1, len(own.entropy) + 1)
        parts.append({"corpus": name, "position": at, "entropy": own.entropy, "utterances": own.utterances})
    return _together(parts, ["corpus", "position", "entropy", "utterances"])


@in_recipes
@holds_texts
def most_frequent(found: Found, order: int | None, most: int = 20) -> pd.DataFrame:
    """Return the most frequent n-grams of an order, or utterances (None), `most` a corpus.

    corpus, place (from 1), symbols (as the source has them), length, count, share (of all of that order, or utterances).
    """
    rows = []
    for name, each in found.items():
        own = each.corpus.frequent_utterances if order is None else each.corpus.frequent_ngrams[order - 1]
        for place, one in enumerate(own[:most], start=1):
            rows.append((name, place, each.text(one), one.length, one.count, one.share))
    return pd.DataFrame(rows, columns=["corpus", "place", "symbols", "length", "count", "share"])


@in_recipes
def versions(found: Found, shuffled: Found) -> pd.DataFrame:
    """`entropies` of the corpora and of their shuffled versions.

    Columns: corpus, version (`original` or `shuffled`), order and the rest of `entropies`.
    """
    parts = [
        entropies({name: each[name]}).assign(version=version)
        for name in found
        for version, each in (("original", found), ("shuffled", shuffled))
    ]
    both = pd.concat(parts, ignore_index=True)
    return both[["corpus", "version", *(column for column in both if column not in ("corpus", "version"))]]


def _together(parts: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)[columns]
