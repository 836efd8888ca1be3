"""Alignment of words and sentences (Gaschi et al. 2022): its experiments in words, its commands, its page."""

from __future__ import annotations

from backend.corpora.languages.languages import name_of
from backend.experiments import words
from backend.experiments.alignment import price, sentences, static, static_sentences
from backend.experiments.alignment.words import distributions, errors, pair_counts, pair_precision, shard
from backend.experiments.alignment.words.spec import WordAlignmentSpec
from backend.experiments.family import Experiment, Family, Measure, Menu, of_model
from backend.experiments.words import Fields, Names

TASKS = {
    "weak": "weak",
    "strong": "strong",
    "strong_self": "strong (self a neighbour)",
    "strong_released": "strong (both languages)",
}
UNIQUE = {"source": "unique by source word", "once": "each word once"}
SIMILARITIES = {"cosine": "cosine", "l2": "Euclidean distance"}
SWITCHES = {
    "centred": "language-centred",
    "masked": "masked words",
    "repeated": "repeated pairs",
    "self_neighbour": "self a neighbour",
}


def details_of_sampling(spec: Fields) -> str:
    """How many word pairs a run takes at most, and how many runs there are."""
    return draws(spec, f"{spec['n_pairs']:,} word pairs")


def draws(spec: Fields, taken: str) -> str:
    """What a run takes, and how many runs there are."""
    runs = spec.get("runs", 1)
    return taken + (f" per run, {runs} runs" if runs > 1 else "")


def options(spec: Fields) -> list[str]:
    """What was asked for beside the defaults, in the words of the page."""
    found = [SIMILARITIES[spec["similarity"]]] if spec.get("similarity") in SIMILARITIES else []
    found += [UNIQUE[spec["unique"]]] if spec.get("unique") in UNIQUE else []
    found += [said for key, said in SWITCHES.items() if spec.get(key)]
    return [*found, *words.pooling_of(spec), *words.prefix_of(spec)]


def of_words(spec: Fields, names: Names) -> list[str]:
    """List corpus, pairs, draws and options of a word alignment."""
    return [words.corpus_of(spec, names), words.pairs(spec["pairs"]), details_of_sampling(spec), *options(spec)]


def of_sentences(spec: Fields, names: Names) -> list[str]:
    """List corpus, languages, draws (where any are made) and options of a sentence alignment."""
    drawn = [draws(spec, f"{spec['n_sentences']:,} sentences")] if spec.get("n_sentences") else []
    languages = [words.languages(spec["languages"]), *words.listed_pairs(spec.get("listed"))]
    return [words.corpus_of(spec, names), *languages, *drawn, *options(spec)]


def of_errors(spec: Fields, names: Names) -> list[str]:
    """List corpus, direction, task, draws and options of word errors."""
    pair = f"{name_of(spec['pair']['source'])} → {name_of(spec['pair']['target'])}"
    return [words.corpus_of(spec, names), pair, TASKS[spec["task"]], details_of_sampling(spec), *options(spec)]


def of_one_pair(spec: Fields, names: Names) -> list[str]:
    """List corpus, pair, draws (where any are made), pooling and prefix of a run on one pair of languages."""
    counted = [details_of_sampling(spec)] if "n_pairs" in spec else []
    return [
        words.corpus_of(spec, names),
        words.pairs([spec["pair"]]),
        *counted,
        *words.pooling_of(spec),
        *words.prefix_of(spec),
    ]


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
        of_model(WordAlignmentSpec, shard.compute, "Word alignment", of_words, price.word_alignment),
        of_model(
            sentences.SentenceAlignmentSpec, sentences.compute, "Sentence alignment", of_sentences, price.sentence_alignment
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
        of_model(errors.WordErrorsSpec, errors.compute, "Word errors", of_errors, price.word_errors),
        of_model(
            distributions.WordDistributionsSpec,
            distributions.compute,
            "Similarity of words",
            of_one_pair,
            price.word_distributions,
        ),
        of_model(
            pair_precision.PairPrecisionSpec, pair_precision.compute, "Sources of word pairs", of_one_pair, price.pair_precision
        ),
        Experiment(
            pair_counts.PairCountsSpec,
            pair_counts.compute,
            title=lambda _spec: "Number of word pairs",
            details=of_one_pair,
            piece=None,
        ),
    ),
    measures=MEASURES,
    commands={
        "words": "backend.experiments.alignment.command:words",
        "sentences": "backend.experiments.alignment.command:sentences",
    },
)
