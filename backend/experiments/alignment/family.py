"""Alignment of words and sentences (Gaschi et al. 2022): its experiments in words, its commands, its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.languages.languages import name_of
from backend.experiments import words
from backend.experiments.alignment import sentences, static, static_sentences, work
from backend.experiments.alignment.words import distributions, errors, pair_counts, pair_precision, shard
from backend.experiments.alignment.words.spec import WordAlignmentSpec
from backend.experiments.family import Experiment, Family, Measure, Menu, of_model
from backend.experiments.words import Fields, Names
from backend.option import words_of_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from backend.experiments.spec import Spec


def of_words(spec: Fields, names: Names) -> list[str]:
    """List corpus, pairs, draws and options of a word alignment."""
    told = words_of_run(WordAlignmentSpec, spec)
    return [words.corpus_of(spec, names), words.pairs(spec["pairs"]), *told, *words.prefix_of(spec)]


def of_sentences(spec: Fields, names: Names) -> list[str]:
    """List corpus, languages, draws (where any are made) and options of a sentence alignment."""
    languages = [words.languages(spec["languages"]), *words.listed_pairs(spec.get("listed"))]
    told = words_of_run(sentences.SentenceAlignmentSpec, spec)
    return [words.corpus_of(spec, names), *languages, *told, *words.prefix_of(spec)]


def of_errors(spec: Fields, names: Names) -> list[str]:
    """List corpus, direction, task, draws and options of word errors."""
    pair = f"{name_of(spec['pair']['source'])} → {name_of(spec['pair']['target'])}"
    return [words.corpus_of(spec, names), pair, *words_of_run(errors.WordErrorsSpec, spec), *words.prefix_of(spec)]


def of_one_pair(kind: type[Spec]) -> Callable[[Fields, Names], list[str]]:
    """Return what lists corpus, pair, options and prefix of a run on one pair of languages."""

    def details(spec: Fields, names: Names) -> list[str]:
        return [words.corpus_of(spec, names), words.pairs([spec["pair"]]), *words_of_run(kind, spec), *words.prefix_of(spec)]

    return details


MEASURES = {
    f"{unit}_{kind}": Measure(f"{name} alignment of {unit}s{pool}", f"share of {unit}s", "higher", directed=True)
    for unit in ("word", "sentence")
    for kind, name, pool in (
        ("weak", "Weak", ""),
        ("strong", "Strong", ""),
        ("strong_self", "Strong", ", self a neighbour"),
        ("strong_released", "Strong", ", both languages"),
    )
} | {
    "cosine_translations": Measure("Similarity of translations", "cosine", "neither"),
    "cosine_random": Measure("Similarity of random pairs", "cosine", "neither"),
    "overlap_random": Measure("Overlap with random pairs", "share", "lower"),
    "overlap_random_within": Measure("Overlap with random pairs of the same sentences", "share", "lower"),
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
        "words": "backend.experiments.alignment.command:words",
        "sentences": "backend.experiments.alignment.command:sentences",
    },
)
