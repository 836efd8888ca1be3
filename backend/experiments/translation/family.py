"""The machine-translation check (Boldt & Mortensen 2024, section 5.2): its experiment in words and its command."""

from __future__ import annotations

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import Experiment, Family, Measure
from isogloss.backend.experiments.sources import compute
from isogloss.backend.experiments.translation import shard, work
from isogloss.backend.experiments.translation.spec import TranslationSpec
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.option import words_of_run


def title(spec: Fields) -> str:
    """Count sources and settings, and name the preset."""
    return f"Machine translation · {words.counts(spec, 'source', 'setting')} ({spec['preset']})"


def details(spec: Fields, _names: Names) -> list[str]:
    """List sources, languages, settings and the number of seeds."""
    parsed = TranslationSpec.model_validate(spec)
    sources = f"from {words.several([source.label for source in parsed.sources])}"
    options = words_of_run(TranslationSpec, spec, leave=("preset",))  # which the title has
    return [sources, parsed.text.label, *options, words.count(len(parsed.seeds), "seed")]


TRANSLATION = Family(
    name="translation",
    experiments=(
        Experiment(
            TranslationSpec,
            shard.compute,
            title=title,
            details=details,
            work=work.translation,
            missing=compute.missing,
            piece="training",
        ),
    ),
    measures={
        "chrf": Measure("chrF of translations", "percent", "higher", task=True, directed=True, bounds=(0.0, 100.0)),
        "bleu": Measure("BLEU of translations", "percent", "higher", task=True, directed=True, bounds=(0.0, 100.0)),
    },
    commands={"translation": "isogloss.backend.experiments.translation.command:translation"},
)
