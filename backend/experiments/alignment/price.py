"""What alignment of words and of sentences will cost before it starts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from backend.corpora.dictionaries import library as lexicons
from backend.corpora.word_alignments import library as alignments
from backend.experiments import kept_vectors
from backend.experiments.alignment.rows import FAMILY
from backend.experiments.estimate import (
    FIRST_TOKENS,
    Encoding,
    Estimate,
    encoding_of,
    estimate_of_shards,
    read_cached,
    retrieval_seconds,
    sentence_retrieval,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from backend.experiments.alignment.sentences import SentenceAlignmentSpec
    from backend.experiments.alignment.words.distributions import WordDistributionsSpec
    from backend.experiments.alignment.words.errors import WordErrorsSpec
    from backend.experiments.alignment.words.pair_precision import PairPrecisionSpec
    from backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
    from backend.experiments.speed import Speed
    from backend.models.entry import Checkpoint

PAIRS_A_SENTENCE = 2.0
"""Different word pairs of 2,000 news sentences for each of them: 0.6 (English and Chinese) to 2.4 (English and German)."""
WORDS_OVERHEAD = 1.3
"""Pooling and storing words beside sentences."""
EXTRACTING_SECONDS = 0.3
"""Reading a dictionary and finding a pair of languages' words, once a worker."""


def word_alignment(spec: WordAlignmentSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for every checkpoint and pair of `spec`; None where no worker has measured its speed.

    Where a dictionary has no more word pairs than a run takes, all runs are one.
    """
    tags = {tag for pair in spec.pairs for tag in (pair.source, pair.target)}
    found = encoding_of(spec.checkpoints[0], spec.corpus, tags, speed, workspaces, model=spec.model, family=FAMILY)
    if found is None:
        return None
    found = _without_kept(found, spec.checkpoints, spec, spec.pairs, workspaces)
    sizes = {entry.id: entry.pairs for entry in read_cached("lexicons/*", workspaces, lexicons.entries)}
    sizes |= {entry.id: entry.links for entry in read_cached("alignments/*", workspaces, alignments.entries)}
    n = min(spec.n_pairs, max(sizes.get(pair.dictionary, spec.n_pairs) for pair in spec.pairs))
    runs = spec.runs if n == spec.n_pairs else 1
    return word_retrieval(found, len(spec.checkpoints), len(spec.pairs), n, runs, masked=spec.masked)


def sentence_alignment(spec: SentenceAlignmentSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for every checkpoint and pair of languages of `spec`; None as `word_alignment`."""
    languages = sorted({tag for pair in spec.pairs for tag in pair})
    found = encoding_of(spec.checkpoints[0], spec.corpus, languages, speed, workspaces, model=spec.model, family=FAMILY)
    if found is None:
        return None
    sentences = kept_vectors.own(spec.corpus, languages, None, workspaces)
    needed = kept_vectors.poolings(languages, spec.poolings)
    found = kept_vectors.without_kept(found, spec.checkpoints, spec.corpus, sentences, needed, spec.prefix, workspaces)
    one = sentence_retrieval(found, len(spec.checkpoints), pairs=len(spec.pairs))
    if spec.n_sentences is None or spec.n_sentences >= found.sentences:
        return one
    # The same encoding, but as many scorings as runs, of as many sentences as each takes.
    whole = retrieval_seconds(found, found.sentences)
    drawn = spec.runs * retrieval_seconds(found, spec.n_sentences)
    scored = len(spec.checkpoints) * len(spec.pairs) * (1 + FIRST_TOKENS)
    return replace(one, seconds=max(one.seconds + scored * (drawn - whole), drawn))


def word_errors(spec: WordErrorsSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for one run of one pair, whose vectors were kept with its scores unless words are masked."""
    found = _of_pair(spec, speed, workspaces)
    if found is None:
        return None
    found = _without_kept(found, [spec.checkpoint], spec, [spec.pair], workspaces)
    return word_retrieval(found, 1, 1, spec.n_pairs, 1, masked=spec.masked)


def word_distributions(spec: WordDistributionsSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for the cosines of one pair, priced as one run of it."""
    found = _of_pair(spec, speed, workspaces)
    if found is None:
        return None
    found = _without_kept(found, [spec.checkpoint], spec, [spec.pair], workspaces)
    return word_retrieval(found, 1, 1, spec.n_pairs, 1)


def pair_precision(spec: PairPrecisionSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for the word pairs of one pair of languages, which are encoded (none is counted as kept) and hardly scored."""
    found = _of_pair(spec, speed, workspaces)
    return word_retrieval(found, 1, 1, 2, 1) if found else None


def _of_pair(
    spec: WordErrorsSpec | WordDistributionsSpec | PairPrecisionSpec, speed: Speed | None, workspaces: Sequence[Path]
) -> Encoding | None:
    ends = (spec.pair.source, spec.pair.target)
    return encoding_of(spec.checkpoint, spec.corpus, ends, speed, workspaces, family=FAMILY)


def _without_kept(
    encoding: Encoding,
    checkpoints: Sequence[Checkpoint],
    spec: WordAlignmentSpec | WordErrorsSpec | WordDistributionsSpec,
    pairs: Sequence[DictionaryPair],
    workspaces: Sequence[Path],
) -> Encoding:
    """Return what is left to encode of words. Those of an aligner may be others than ours, which are kept: all of theirs."""
    tags = sorted({tag for pair in pairs for tag in (pair.source, pair.target)})
    ours = {entry.id for entry in read_cached("lexicons/*", workspaces, lexicons.entries)}
    if not ours.issuperset(pair.dictionary for pair in pairs):
        return encoding
    sentences = kept_vectors.own(spec.corpus, tags, None, workspaces)
    words = kept_vectors.words(tags)
    return kept_vectors.without_kept(encoding, checkpoints, spec.corpus, sentences, words, spec.prefix, workspaces)


def word_retrieval(
    encoding: Encoding, shards: int, pairs: int, n_pairs: int, runs: int, *, masked: bool = False, kept: bool = False
) -> Estimate:
    """Seconds to encode words and to retrieve them, `n_pairs` word pairs and `runs` of each of `pairs` pairs of languages.

    `masked` encodes a sentence for each word; `kept` says that the words' vectors are there already (those of masked words are
    never kept).
    """
    there = max(2, round(PAIRS_A_SENTENCE * encoding.sentences))  # how many there are is known only once they are found
    n, distinct = (n_pairs, runs) if n_pairs < there else (there, 1)
    scoring = pairs * distinct * retrieval_seconds(encoding, n)
    if masked:
        texts = 2 * pairs * min(n * distinct, there)
        characters = round(encoding.characters / max(1, encoding.texts) * texts)
        encoding = replace(encoding, languages=1, sentences=texts, characters=characters, lacking=None)
    found = estimate_of_shards(encoding, shards, scoring, kept=kept and not masked, dearer=WORDS_OVERHEAD)
    return replace(found, seconds=found.seconds + EXTRACTING_SECONDS * pairs)
