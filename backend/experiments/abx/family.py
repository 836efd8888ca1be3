"""ABX discrimination (de Seyssel et al. 2025): its experiments in words, its command, its page."""

from __future__ import annotations

from backend.corpora.languages.languages import name_of
from backend.experiments import words
from backend.experiments.abx import confusions, price, shard
from backend.experiments.family import Family, Measure, Menu, of_model
from backend.experiments.words import Fields, Names

PROTOCOLS = {"exact": "all triplets", "control": "control that must come out at 0.5"}


def protocol(spec: Fields) -> str:
    """Which triplets are counted."""
    kind = str(spec.get("protocol", "exact"))
    if kind == "sampled":
        return f"{spec['n_triplets']:,} sampled triplets a pair, seed {spec['seed']}"
    return PROTOCOLS.get(kind, kind)


def details(spec: Fields, names: Names) -> list[str]:
    """List corpus, languages, protocol and pooling of an ABX run."""
    return [words.corpus_of(spec, names), words.languages(spec["languages"]), protocol(spec), *words.pooling_of(spec)]


def details_of_confusions(spec: Fields, names: Names) -> list[str]:
    """List corpus, pair of languages and pooling of a search for confused sentences."""
    pair = f"{name_of(spec['source'])} and {name_of(spec['target'])}"
    return [words.corpus_of(spec, names), pair, *words.pooling_of(spec)]


ABX = Family(
    name="abx",
    menu=Menu("ABX", ":material/grid_on:", "ABX discrimination"),
    experiments=(
        of_model(shard.AbxSpec, shard.compute, "ABX", details, price.abx),
        of_model(confusions.ConfusionsSpec, confusions.compute, "Confused sentences", details_of_confusions, price.confusions),
    ),
    measures={
        "abx_language": Measure("Language discrimination", "share of triplets, chance 0.5", "neither"),
        "abx_meaning": Measure("Meaning discrimination", "share of triplets, chance 0.5", "higher"),
        "retrieval_top1": Measure("Retrieval top-1", "share of sentences", "higher"),
    },
    commands={"abx": "backend.experiments.abx.command:abx"},
)
