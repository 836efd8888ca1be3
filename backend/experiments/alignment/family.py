"""Alignment of words and sentences (Gaschi et al. 2022): its experiments in words, its commands, its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments import words
from isogloss.backend.experiments.alignment import sentences, static, static_sentences, work
from isogloss.backend.experiments.alignment.words import distributions, errors, pair_counts, pair_precision, shard
from isogloss.backend.experiments.alignment.words.spec import WordAlignmentSpec
from isogloss.backend.experiments.family import SHARE, SIGNED, Details, Experiment, Family, Measure, Menu, details_of, of_model

if TYPE_CHECKING:
    from isogloss.backend.experiments.spec import Spec


of_words = details_of(WordAlignmentSpec, lambda spec: [words.pairs(spec["pairs"])])
of_sentences = details_of(
    sentences.SentenceAlignmentSpec,
    lambda spec: [words.languages(spec["languages"]), *words.listed_pairs(spec.get("listed"))],
)
of_errors = details_of(
    errors.WordErrorsSpec, lambda spec: [f"{name_of(spec['pair']['source'])} → {name_of(spec['pair']['target'])}"]
)


def of_one_pair(kind: type[Spec]) -> Details:
    """Return what lists corpus, pair, options and prefix of a run on one pair of languages."""
    return details_of(kind, lambda spec: [words.pairs([spec["pair"]])])


MEASURES = {
    f"{unit}_{kind}": Measure(f"{name} alignment of {unit}s{pool}", f"share of {unit}s", "higher", directed=True, bounds=SHARE)
    for unit in ("word", "sentence")
    for kind, name, pool in (
        ("weak", "Weak", ""),
        ("strong", "Strong", ""),
        ("strong_self", "Strong", ", self a neighbour"),
        ("strong_released", "Strong", ", both languages"),
    )
} | {
    "cosine_translations": Measure("Similarity of translations", "cosine", "neither", bounds=SIGNED),
    "cosine_random": Measure("Similarity of random pairs", "cosine", "neither", bounds=SIGNED),
    "overlap_random": Measure("Overlap with random pairs", "share", "lower", bounds=SHARE),
    "overlap_random_within": Measure("Overlap with random pairs of the same sentences", "share", "lower", bounds=SHARE),
}

ALIGNMENT = Family(
    name="alignment",
    menu=Menu("Alignment", ":material/join_inner:", "alignment"),
    experiments=(
        of_model(WordAlignmentSpec, shard.compute, "Word alignment", of_words, work.word_alignment),
        of_model(
            sentences.SentenceAlignmentSpec, sentences.compute, "Sentence alignment", of_sentences, work.sentence_alignment
        ),
        Experiment(
            static.StaticAlignmentSpec,
            static.compute,
            title=lambda spec: f"Static vectors · {spec['model']}",
            details=of_words,
            piece=None,
        ),
        Experiment(
            static_sentences.StaticSentencesSpec,
            static_sentences.compute,
            title=lambda spec: f"Static vectors of sentences · {spec['model']}",
            details=of_sentences,
            piece=None,
        ),
        of_model(errors.WordErrorsSpec, errors.compute, "Word errors", of_errors, work.word_errors),
        of_model(
            distributions.WordDistributionsSpec,
            distributions.compute,
            "Similarity of words",
            of_one_pair(distributions.WordDistributionsSpec),
            work.word_distributions,
        ),
        of_model(
            pair_precision.PairPrecisionSpec,
            pair_precision.compute,
            "Sources of word pairs",
            of_one_pair(pair_precision.PairPrecisionSpec),
            work.pair_precision,
        ),
        Experiment(
            pair_counts.PairCountsSpec,
            pair_counts.compute,
            title=lambda _spec: "Number of word pairs",
            details=of_one_pair(pair_counts.PairCountsSpec),
            piece=None,
        ),
    ),
    measures=MEASURES,
    commands={
        "words": "isogloss.backend.experiments.alignment.command:words",
        "sentences": "isogloss.backend.experiments.alignment.command:sentences",
    },
    cites=("gaschi-etal-2022-multilingual",),
)
