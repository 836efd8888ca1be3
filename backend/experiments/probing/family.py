"""Probing (de Seyssel et al. 2025, section 5): its experiments in words, its commands, its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import POSITIVE, SHARE, SIGNED, Family, Measure, Menu, of_model
from isogloss.backend.experiments.probing import shard, work
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingSpec, ProbingWordsSpec, sizes_of
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.option import words_of_run
from isogloss.backend.training.probe.options import ProbeOptions

if TYPE_CHECKING:
    from collections.abc import Callable


def details(kind: type[ProbingSpec]) -> Callable[[Fields, Names], list[str]]:
    """Return what lists data, languages and options of a probing experiment of this kind."""

    def told(spec: Fields, names: Names) -> list[str]:
        targets = f"to {words.languages(spec['targets'])}" if spec["targets"] else "each in its own language"
        tested = [words.corpus_of({"corpus": spec["tested"]}, names).replace("on ", "tested on ", 1)] if spec["tested"] else []
        data = [words.corpus_of(spec, names), *tested, f"from {words.languages(spec['sources'])}", targets]
        probe = [*sizes_of(ProbeOptions.model_validate(spec["probe"])), *words_of_run(ProbeOptions, spec["probe"])]
        return [*data, *words_of_run(kind, spec), *words.prefix_of(spec), *probe]

    return told


PROBING = Family(
    name="probing",
    menu=Menu("Probing", ":material/troubleshoot:", "what a probe reads off each layer"),
    experiments=(
        of_model(
            ProbingWordsSpec, shard.compute, "Probing words", details(ProbingWordsSpec), work.words, "training", work.missing
        ),
        of_model(
            ProbingSentencesSpec,
            shard.compute,
            "Probing sentences",
            details(ProbingSentencesSpec),
            work.sentences,
            "training",
            work.missing,
        ),
    ),
    measures={
        "probe_accuracy": Measure(
            "Probing accuracy", "share of words or examples", "higher", task=True, directed=True, bounds=SHARE
        ),
        "probe_f1": Measure("Probing entity F1", "share of names", "higher", task=True, directed=True, bounds=SHARE),
        "control_accuracy": Measure("Accuracy of the control task", "share of words", "neither", directed=True, bounds=SHARE),
        "selectivity": Measure("Selectivity", "difference of shares", "higher", task=True, directed=True, bounds=SIGNED),
        "majority_accuracy": Measure("Most frequent tag", "share of words", "neither", directed=True, bounds=SHARE),
        "word_majority_accuracy": Measure(
            "Most frequent tag of each word", "share of words", "neither", directed=True, bounds=SHARE
        ),
        "description_length": Measure(
            "Description length", "bits of all training words", "lower", task=True, directed=True, bounds=POSITIVE
        ),
        "compression": Measure("Compression of tags", "1 = uniform code", "higher", task=True, directed=True, bounds=POSITIVE),
    },
    commands={
        "probing-words": "isogloss.backend.experiments.probing.command:words",
        "probing-sentences": "isogloss.backend.experiments.probing.command:sentences",
    },
    cites=(
        "de-seyssel-etal-2025-discriminating",
        "hewitt-liang-2019-designing",
        "voita-titov-2020-information",
    ),
)
