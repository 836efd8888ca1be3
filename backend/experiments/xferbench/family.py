"""XferBench (Boldt & Mortensen 2024): its experiment in words and its command. Its page is that of emergent languages."""

from __future__ import annotations

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import POSITIVE, Experiment, Family, Measure
from isogloss.backend.experiments.sources import compute
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.experiments.xferbench import shard, work
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.backend.option import words_of_run


def title(spec: Fields) -> str:
    """Count sources and targets, and name the preset."""
    return f"XferBench · {words.counts(spec, 'source', 'target')} ({spec['preset']})"


def details(spec: Fields, _names: Names) -> list[str]:
    """List sources, targets, protocol and the number of seeds."""
    parsed = XferBenchSpec.model_validate(spec)
    sources = f"from {words.several([source.label for source in parsed.sources])}"
    targets = f"to {words.several([target.label for target in parsed.targets])}"
    options = words_of_run(XferBenchSpec, spec, leave=("preset",))  # which the title has
    return [sources, targets, *options, words.count(len(parsed.seeds), "seed")]


XFERBENCH = Family(
    name="xferbench",
    experiments=(
        Experiment(
            XferBenchSpec,
            shard.compute,
            title=title,
            details=details,
            work=work.xferbench,
            missing=compute.missing,
            piece="training",
        ),
    ),
    measures={
        "cross_entropy": Measure(
            "Cross-entropy on a target", "nats per token", "lower", task=True, directed=True, bounds=POSITIVE
        )
    },
    commands={"xferbench": "isogloss.backend.experiments.xferbench.command:xferbench"},
)
