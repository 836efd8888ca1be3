"""What an XferBench run is: language models pre-trained on sources, each tuned on and scored in targets. Imports no torch.

One shard pre-trains on a source, another tunes from there on a target, for each seed. Source: Boldt & Mortensen 2024,
"XferBench: a Data-Driven Benchmark for Emergent Language".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.sources.source import (
    InText,
    Name,
    Preset,
    Pretraining,
    SourcesSpec,
    Tuning,
    Variant,
    distinct,
)
from isogloss.backend.files import ContentId, digest
from isogloss.backend.training.language_model.options import PROTOCOL, LanguageModelOptions, Protocol, preset

EXPERIMENT = "xferbench"
VERSION = 1
"""Raised when a score would come out otherwise: older files then no longer serve."""


class Target(InText):
    """A language of a saved parallel corpus, its texts taken one by one."""

    corpus: ContentId
    language: str = Field(min_length=1)
    """BCP-47."""
    name: Name = ""

    @property
    def label(self) -> str:
        """What people call it."""
        return name_of(self.language)


@dataclass(frozen=True)
class Cell(Tuning[LanguageModelOptions]):
    """One tuning from a source on a target, and its score."""

    experiment = EXPERIMENT
    version = VERSION
    target: Target

    @property
    def label(self) -> str:
        """Source, target and seed, in few words."""
        return f"{self.source.label} → {self.target.label}, training seed {self.options.seed}"

    def provenance(self) -> dict[str, Any]:
        """Return what the score depends on, and nothing else."""
        return super().provenance() | {"target": self.target.key, "preset": self.variant.preset}


Piece = Pretraining[LanguageModelOptions] | Cell


class XferBenchSpec(SourcesSpec):
    """Sources, targets, and how often."""

    experiment: Literal["xferbench"] = "xferbench"
    targets: tuple[Target, ...] = Field(min_length=1)
    protocol: Annotated[Protocol, PROTOCOL] = "correct"
    custom: LanguageModelOptions | None = None
    """The options, for the preset `custom` alone; its protocol is that of the spec, and its seed stands at 0."""

    @field_validator("targets")
    @classmethod
    def _distinct_targets(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return distinct(values)

    @model_validator(mode="after")
    def _whole(self) -> XferBenchSpec:
        self.check_custom(self.custom)
        if self.custom is not None and self.custom.protocol != self.protocol:
            raise ValueError(f"the protocol is '{self.protocol}', that of custom '{self.custom.protocol}': say the same twice")
        both = {source.key for source in self.sources} & {target.key for target in self.targets}
        if both:
            found = next(target for target in self.targets if target.key in both)
            raise ValueError(
                f"{found.label} is source and target with the same text, so what is held out would be seen: "
                "choose another text for one of them"
            )
        return self

    def options(self, seed: int) -> LanguageModelOptions:
        """Return what one seed's models are trained with."""
        if self.custom is not None:
            return self.custom.model_copy(update={"seed": seed})
        assert self.preset != "custom"
        return preset(self.preset, protocol=self.protocol, seed=seed)

    @property
    def variant(self) -> Variant:
        """Scores of another variant compare with none of these."""
        return variant(self.preset, self.options(0))

    def tunings(self, seed: int) -> list[Cell]:
        """Target by target."""
        options = self.options(seed)
        own = variant(self.preset, options)
        return [Cell(source, own, options, target) for target in self.targets for source in self.sources]


def variant(preset: Preset, options: LanguageModelOptions) -> Variant:
    """Return the variant of scores with these options; the seed is of no account."""
    rest = options.model_dump(mode="json", exclude={"protocol", "seed"})
    return Variant(preset, options.protocol, digest([VERSION, rest])[:6])
