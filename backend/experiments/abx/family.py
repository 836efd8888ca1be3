"""ABX discrimination (de Seyssel et al. 2025): its experiments in words, its command, its page."""

from __future__ import annotations

from typing import Any

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments import words
from isogloss.backend.experiments.abx import confusions, controls, shard, work
from isogloss.backend.experiments.family import POSITIVE, SHARE, Family, Measure, Menu, of_model
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.option import words_of_run

N = "Sentences"
BASELINE = "share of triplets, must be 0.5"
OF_TEXTS = {
    f"abx_{task}_{name}": Measure(
        f"{task.capitalize()} discrimination of {words}",
        "share of triplets, chance 0.5",
        "neither",
        of_input=True,
        bounds=SHARE,
    )
    for name, words in (("pieces", "length in pieces"), ("characters", "length in characters"), ("bytes", "a bag of bytes"))
    for task in ("language", "meaning")
}
SPREAD = "standard deviation over subsamples, share of triplets"


def details(spec: Fields, names: Names) -> list[str]:
    """List corpus, languages, options and prefix of an ABX run."""
    languages = [words.languages(spec["languages"]), *words.listed_pairs(spec.get("pairs"))]
    options = words_of_run(shard.AbxSpec, spec)
    return [words.corpus_of(spec, names), *languages, *options, *words.prefix_of(spec)]


def details_of_confusions(spec: Fields, names: Names) -> list[str]:
    """List corpus, pair of languages, pooling and prefix of a search for confused sentences."""
    pair = f"{name_of(spec['source'])} and {name_of(spec['target'])}"
    taken_out = words_of_run(confusions.ConfusionsSpec, spec)
    return [words.corpus_of(spec, names), pair, *words.pooling_of(spec), *taken_out, *words.prefix_of(spec)]


def details_of_controls(spec: Fields, names: Names) -> list[str]:
    """List corpus, languages and prefix of what length and bytes reach."""
    languages = [words.languages(spec["languages"]), *words.listed_pairs(spec.get("pairs"))]
    return [words.corpus_of(spec, names), *languages, *words.prefix_of(spec)]


def paired(*asked: Any) -> tuple[float, float] | None:
    """Return the paired interval of a difference between two checkpoints, as `compared.between` does."""
    from isogloss.backend.experiments.abx import compared  # with what it reads scores by: a command's start does without

    return compared.between(*asked)


ABX = Family(
    name="abx",
    menu=Menu("ABX", ":material/grid_on:", "ABX discrimination"),
    experiments=(
        of_model(shard.AbxSpec, shard.compute, "ABX", details, work.abx, paired=paired),
        of_model(controls.AbxControlsSpec, controls.compute, "ABX of length and bytes", details_of_controls, work.controls),
        of_model(confusions.ConfusionsSpec, confusions.compute, "Confused sentences", details_of_confusions, work.confusions),
    ),
    measures={
        "abx_language": Measure(
            "Language discrimination", "share of triplets, chance 0.5", "neither", chance=0.5, counted=N, bounds=SHARE
        ),
        "abx_meaning": Measure(
            "Meaning discrimination", "share of triplets, chance 0.5", "higher", chance=0.5, counted=N, bounds=SHARE
        ),
        "abx_language_baseline": Measure("Baseline of language discrimination", BASELINE, "neither", bounds=SHARE),
        "abx_meaning_baseline": Measure("Baseline of meaning discrimination", BASELINE, "neither", bounds=SHARE),
        "abx_language_sd": Measure("Spread of language discrimination", SPREAD, "lower", bounds=POSITIVE),
        "abx_meaning_sd": Measure("Spread of meaning discrimination", SPREAD, "lower", bounds=POSITIVE),
        "retrieval_top1": Measure("Retrieval top-1", "share of sentences", "higher", counted=N, bounds=SHARE),
        **OF_TEXTS,
    },
    commands={
        "abx": "isogloss.backend.experiments.abx.command:abx",
        "abx-controls": "isogloss.backend.experiments.abx.command:controls",
    },
    cites=("de-seyssel-etal-2025-discriminating",),
)
