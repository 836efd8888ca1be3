"""How much work a shard of the alignment of words or of sentences is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from isogloss.backend.corpora.dictionaries import library as lexicons
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.experiments.pricing.estimate import Work, compared, corpus_of, model_of, read_cached, scored, size_of
from isogloss.backend.experiments.vectors import kept_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
    from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
    from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
    from isogloss.backend.experiments.alignment.words.pair_precision import PairPrecisionSpec
    from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.models.entry import Checkpoint

PAIRS_A_SENTENCE = 2.0
"""Different word pairs of 2,000 news sentences for each of them: 0.6 (English and Chinese) to 2.4 (English and German)."""


def sentence_alignment(spec: SentenceAlignmentSpec, shard: str, place: Place) -> Work | None:
    """Return the texts to encode; where all are kept, the similarities of every run."""
    checkpoint = spec.shards()[shard]
    model, corpus = model_of(checkpoint, spec.model, place.workspaces), corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    languages = sorted({tag for pair in spec.pairs for tag in pair})
    whole = spec.n_sentences is None or spec.n_sentences >= corpus.sentences
    runs, sentences = (1, corpus.sentences) if whole else (spec.runs, spec.n_sentences or 0)
    return kept_vectors.work(
        checkpoint,
        model,
        corpus,
        kept_vectors.sentence_digests(spec.corpus, languages, None, place.workspaces),
        kept_vectors.poolings(languages, spec.poolings),
        place,
        prefix=spec.prefix,
        scoring=scored(model) * len(spec.pairs) * len(spec.poolings) * runs * compared(sentences),
        options=("sentences", *map(spec.variant, spec.poolings)),
    )


def word_alignment(spec: WordAlignmentSpec, shard: str, place: Place) -> Work | None:
    """Return the sentences to encode; where their words are kept, the similarities of every run and pair.

    Where a dictionary has no more word pairs than a run takes, all runs are one.
    """
    sizes = {entry.id: entry.pairs for entry in read_cached("lexicons/*", place.workspaces, lexicons.entries)}
    sizes |= {entry.id: entry.links for entry in read_cached("alignments/*", place.workspaces, alignments.entries)}
    n = min(spec.n_pairs, max(sizes.get(pair.dictionary, spec.n_pairs) for pair in spec.pairs))
    runs = spec.runs if n == spec.n_pairs else 1
    return _of_words(spec, spec.shards()[shard], spec.model, spec.pairs, n, place, runs=runs, **_of_vectors(spec))


def word_errors(spec: WordErrorsSpec, _shard: str, place: Place) -> Work | None:
    """Return the work of one run of one pair, whose vectors were kept with its scores unless words are masked."""
    return _of_words(spec, spec.checkpoint, None, [spec.pair], spec.n_pairs, place, **_of_vectors(spec))


def _of_vectors(spec: WordAlignmentSpec | WordErrorsSpec) -> dict[str, bool]:
    return {"masked": spec.masked, "without_first": spec.vector == "without_first"}


def word_distributions(spec: WordDistributionsSpec, _shard: str, place: Place) -> Work | None:
    """Return the work for the cosines of one pair."""
    return _of_words(spec, spec.checkpoint, None, [spec.pair], spec.n_pairs, place)


def pair_precision(spec: PairPrecisionSpec, _shard: str, place: Place) -> Work | None:
    """Return the work for the word pairs of one pair of languages: to encode their sentences, hardly to score."""
    return _of_words(spec, spec.checkpoint, None, [spec.pair], 2, place)


def _of_words(
    spec: WordAlignmentSpec | WordErrorsSpec | WordDistributionsSpec | PairPrecisionSpec,
    checkpoint: Checkpoint,
    name: str | None,
    pairs: Sequence[DictionaryPair],
    n: int,
    place: Place,
    *,
    runs: int = 1,
    masked: bool = False,
    without_first: bool = False,
) -> Work | None:
    """Return the work on the words of some pairs of languages, `n` word pairs a run.

    Words of an aligner may be others than ours, which are kept: none of theirs counts as kept. Masked words are never kept, and
    a sentence is encoded for each.
    """
    model, corpus = model_of(checkpoint, name, place.workspaces), corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    tags = sorted({tag for pair in pairs for tag in (pair.source, pair.target)})
    ours = {entry.id for entry in read_cached("lexicons/*", place.workspaces, lexicons.entries)}
    keepable = not masked and ours.issuperset(pair.dictionary for pair in pairs)
    scoring = scored(model) * len(pairs) * runs * compared(n)
    work_of_words = kept_vectors.work(
        checkpoint,
        model,
        corpus,
        kept_vectors.sentence_digests(spec.corpus, tags, None, place.workspaces) if keepable else None,
        kept_vectors.word_kinds(tags, without_first=without_first),
        place,
        prefix=spec.prefix,
        scoring=scoring,
        options=("masked words" if masked else "words",),
    )
    if not masked:
        return work_of_words
    characters = sum(each.characters for each in corpus.languages if each.tag in tags) / max(1, corpus.sentences * len(tags))
    texts = 2 * len(pairs) * min(runs * n, PAIRS_A_SENTENCE * corpus.sentences)
    return replace(work_of_words, amount=texts * characters * size_of(model))
