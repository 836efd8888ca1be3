"""Where word pairs come from, and how many of each source are right: table II, with recall and error rate beside precision.

The sources are a dictionary (`word_pairs.extract`), an aligner's file (`links.pairs`) and the model itself; all
give `WordPairs`, which `judge` holds against a gold alignment.
Source: Gaschi et al. 2022, table II; Och & Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models".
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.languages.words import Span
from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments.alignment.words import every_word
from isogloss.backend.experiments.alignment.words.shard import text_of
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.metrics.retrieval.word_alignment import quality

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.word_alignments.tokens import Gold
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.metrics.retrieval.word_alignment import Quality
    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.store.word_embeddings import WordVectors


def judge(pairs: WordPairs, gold: Gold, sentences: Collection[str] | None = None) -> Quality:
    """Precision, recall and alignment error rate of `pairs` by `gold`; `sentences` (ids) restricts both.

    A pair has a gold link where its words share characters with the link's two tokens, since the two may be segmented
    differently (`docs/definitions.md`, "Word pairs"). Give `pairs` with every repetition: recall counts every occurrence.
    Raises `CorpusError` where the languages differ.
    """
    if (pairs.source, pairs.target) != (gold.source, gold.target):
        raise CorpusError(
            f"The pairs are of '{pairs.source}' and '{pairs.target}', the gold links of '{gold.source}' and '{gold.target}'.",
            remedy="Choose a gold alignment of the same direction.",
        )
    covered = {i: links for i, links in gold.links.items() if sentences is None or i in sentences}
    of_sentence: dict[str, list[tuple[Span, Span]]] = {i: [] for i in covered}
    for row in pairs.table.to_pylist():
        if row["sentence_id"] in covered:
            place = (row["source_start"], row["source_end"]), (row["target_start"], row["target_end"])
            of_sentence[row["sentence_id"]].append(place)
    return quality((_hits(of_sentence[sentence], links), _sure(links)) for sentence, links in covered.items())


def _hits(pairs: Sequence[tuple[Span, Span]], links: Sequence[tuple[Span, Span, bool]]) -> NDArray[np.bool_]:
    """Return which pairs share characters with both tokens of which links: `[pairs, links]`."""
    hits = [[_share(pair, (source, target)) for source, target, _ in links] for pair in pairs]
    return np.array(hits, bool).reshape(len(pairs), len(links))


def _sure(links: Sequence[tuple[Span, Span, bool]]) -> NDArray[np.bool_]:
    return np.array([sure for _, _, sure in links], bool)


def model_pairs_by_layer(
    checkpoint: Checkpoint,
    corpus: ParallelCorpus,
    corpus_id: str,
    ends: tuple[str, str],
    context: Context,
    *,
    layers: Sequence[int] | None = None,
    sentences: Collection[str] | None = None,
    repeated: bool = False,
    prefix: str = "",
) -> Iterator[tuple[int, WordPairs]]:
    """Pair the words that are each other's nearest in their sentences (SimAlign's argmax), a layer at a time.

    The words of `sentences` (ids; all by default) are encoded once. Pairs are of `ends`, `layers` are all by default.
    Raises `SpecError` for a layer that the model lacks, and what loading and encoding raise.
    """
    shared, texts = corpus.align(ends)
    places = [i for i, each in enumerate(shared) if sentences is None or each in sentences]
    wanted: list[int] = list(layers or ())
    linked: dict[int, list[tuple[int, Span, Span]]] = defaultdict(list)  # place, span of the first and of the second
    words = 0
    precision = one_pass.precision_of(context.settings)
    of = [text_of(corpus, corpus_id, checkpoint, tag, prefix, precision) for tag in ends]
    for part in every_word.parts(of, [shared[i] for i in places], context):
        there = part[0].vectors.shape[1]
        wanted = wanted or list(range(there))
        if max(wanted) >= there:
            raise SpecError(f"The model has layers 0 to {there - 1}; layer {max(wanted)} was asked for.")
        words += len(part[0].lost)
        for layer in wanted:
            linked[layer] += _linked(part, layer, context)
    for layer in wanted:
        rows = []
        for place, own, other in linked.pop(layer):
            left, right = (texts[tag][places[place]] for tag in ends)
            rows.append((shared[places[place]], left, right, own, other))
        yield layer, word_pairs.collect(rows, *ends, repeated=repeated, sentences=len(places), source_words=words, ambiguous=0)


def _linked(part: Sequence[WordVectors], layer: int, context: Context) -> Iterator[tuple[int, Span, Span]]:
    """The words of a part that are each other's nearest: the sentence's place, and where both words stand in it."""
    rows, links = every_word.mutual_links(part, layer, context)
    ends = [side.places[of[chosen]].tolist() for side, of, chosen in zip(part, rows, (links.rows, links.others), strict=True)]
    for (sentence, *own), (_, *other) in zip(*ends, strict=True):
        yield sentence, (own[0], own[1]), (other[0], other[1])


def _share(pair: tuple[Span, Span], link: tuple[Span, Span]) -> bool:
    """Return whether both words share characters with the tokens."""
    return all(word[0] < token[1] and token[0] < word[1] for word, token in zip(pair, link, strict=True))
