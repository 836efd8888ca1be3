"""Words that translate each other where they stand, found with a bilingual dictionary.

Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation", section on word pairs:
a word is paired with the one word of the translated sentence that the dictionary gives for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from isogloss.backend.corpora.languages.words import fold, segment
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

SCHEMA = pa.schema(
    [
        ("sentence_id", pa.string()),
        ("source_start", pa.int32()),  # in characters of the source sentence
        ("source_end", pa.int32()),
        ("source_word", pa.string()),  # as it stands there
        ("target_start", pa.int32()),
        ("target_end", pa.int32()),
        ("target_word", pa.string()),
    ]
)
Unique = Literal["both", "source", "once"]
"""Which words count, see `extract`: with one candidate on both sides, on the source's alone, or on both and each word once."""
UNIQUE: dict[Unique, str] = {
    "both": "One candidate, both ways",
    "source": "One candidate of the first word",
    "once": "One candidate, each word once",
}


@dataclass(frozen=True)
class WordPairs:
    """Pairs of words (`SCHEMA`) in the order of the sentences and, within one, of the source words; and how they came about."""

    table: pa.Table
    source: str
    target: str
    sentences: int
    """Sentences that were looked through."""
    source_words: int
    """Words of the source sentences, each occurrence counted."""
    ambiguous: int
    """Links that were left out because a word had several candidates."""
    repeated: int
    """Pairs left out because the same two words (with `unique="once"`, one of them) were paired before, after folding."""


@dataclass(frozen=True)
class Sample:
    """Which pairs each run takes: indices into the table, sorted, `[n]` int64 each."""

    runs: tuple[NDArray[np.int64], ...]
    asked: int
    available: int

    @property
    def note(self) -> str | None:
        """A sentence where there are no more pairs than were asked for; None otherwise."""
        if self.available > self.asked:
            return None
        few = "fewer than" if self.available < self.asked else "exactly"
        return (
            f"There are {self.available:,} word pairs, {few} the {self.asked:,} asked for: "
            "every run takes all of them, so that the runs do not differ."
        )


def extract(
    corpus: ParallelCorpus, dictionary: Dictionary, source: str, target: str, *, repeated: bool = False, unique: Unique = "both"
) -> WordPairs:
    """Word pairs of a parallel corpus that a dictionary gives, each in its sentences.

    A pair is kept only if its source word has exactly one candidate in the translated sentence and, but for
    `unique="source"`, its target word is the candidate of no other source word; `unique="source"` is the paper's wording read
    literally. See `docs/definitions.md`.

    Each pair of words (as `fold` writes them) is kept once, where it first occurs; with `repeated`, wherever it does; with
    `unique="once"`, as in the authors' code, only where neither word was in a pair before. The dictionary may lead either way.
    Raises `CorpusError` for a dictionary of other languages and languages the corpus lacks, ValueError for "once" repeated.
    """
    if repeated and unique == "once":
        raise ValueError("each word once and every pair as often as it occurs exclude each other")
    entries = dictionary.between(source, target).entries
    ids, texts = corpus.align([source, target])
    links_found: list[tuple[str, str, str, Span, Span]] = []
    words = ambiguous = 0
    for sentence_id, left, right in zip(ids, texts[source], texts[target], strict=True):
        source_spans, target_spans = segment(left, source), segment(right, target)
        sources = [fold(left[start:end], source) for start, end in source_spans]
        targets = [fold(right[start:end], target) for start, end in target_spans]
        links, dropped = one_to_one(candidates(sources, targets, entries), unique)
        words, ambiguous = words + len(sources), ambiguous + dropped
        links_found += [(sentence_id, left, right, source_spans[i], target_spans[j]) for i, j in links]
    counts = {"sentences": len(ids), "source_words": words, "ambiguous": ambiguous}
    return collect(links_found, source, target, repeated=repeated, once=unique == "once", **counts)


def candidates(
    sources: Sequence[str], targets: Sequence[str], entries: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[int, int]]:
    """Every (source place, target place) of two sentences of folded words that the dictionary allows."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(targets):
        places.setdefault(word, []).append(place)
    for place, word in enumerate(sources):
        for translation in entries.get(word, ()):
            for other in places.get(translation, ()):
                yield place, other


def one_to_one(links: Iterable[tuple[int, int]], unique: Unique) -> tuple[list[tuple[int, int]], int]:
    """Return the links of words that have only this one, and how many links were dropped. `links` are all different."""
    links = list(links)
    from_source, to_target = Counter(i for i, _ in links), Counter(j for _, j in links)
    chosen = [(i, j) for i, j in links if from_source[i] == 1 and (unique == "source" or to_target[j] == 1)]
    return chosen, len(links) - len(chosen)


def collect(
    links: Iterable[tuple[str, str, str, Span, Span]],
    source: str,
    target: str,
    *,
    repeated: bool,
    sentences: int,
    source_words: int,
    ambiguous: int,
    once: bool = False,
) -> WordPairs:
    """Return the frame of pairs given as (sentence id, source text, target text, source span, target span), in that order.

    Without `repeated`, of pairs that are the same after folding only the first; with `once`, of pairs with a word of an earlier
    one none.
    """
    rows: list[tuple[str, int, int, str, int, int, str]] = []
    seen: set[tuple[str, str]] = set()
    taken_sources, other = set[str](), set[str]()
    again = 0
    for sentence_id, left, right, (start, end), (other_start, other_end) in links:
        word, translation = left[start:end], right[other_start:other_end]
        key = fold(word, source), fold(translation, target)
        if (not repeated and key in seen) or (once and (key[0] in taken_sources or key[1] in other)):
            again += 1
            continue
        seen.add(key)
        taken_sources.add(key[0])
        other.add(key[1])
        rows.append((sentence_id, start, end, word, other_start, other_end, translation))
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    table = pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)
    return WordPairs(table, source, target, sentences, source_words, ambiguous, again)


def sample(pairs: WordPairs, n: int = 5000, *, seed: int, runs: int = 10) -> Sample:
    """`runs` draws of `n` pairs, each without replacement; all pairs each time where there are no more (see `Sample.note`).

    Run r depends on `seed`, r and the number of pairs alone. Raises `CorpusError` where there are no pairs, `ValueError` where
    `n` or `runs` is less than 1.
    """
    if n < 1 or runs < 1:
        raise ValueError(f"n and runs must be at least 1, not {n} and {runs}")
    available = pairs.table.num_rows
    if not available:
        raise CorpusError(
            f"The dictionary gives no pair of words for {pairs.source} and {pairs.target} in these sentences.",
            remedy="Choose another dictionary or a larger corpus.",
        )
    taken = min(n, available)
    draws = (np.random.default_rng([seed, run]).choice(available, taken, replace=False) for run in range(runs))
    return Sample(tuple(np.sort(draw).astype(np.int64) for draw in draws), n, available)
