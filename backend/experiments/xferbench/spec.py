"""What an XferBench run is: language models pre-trained on sources, each tuned on and scored in targets. Imports no torch.

One shard pre-trains on a source, another tunes from there on a target, for each seed. Source: Boldt & Mortensen 2024,
"XferBench: a Data-Driven Benchmark for Emergent Language".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from backend.corpora.languages.languages import name_of
from backend.experiments.sources.source import (
    CorpusId,
    EmergentSource,
    Name,
    NoPretraining,
    Preset,
    Pretraining,
    SourcesSpec,
    TextSource,
    distinct,
)
from backend.files import digest
from backend.training.language_model.options import LanguageModelOptions, Protocol, preset

EXPERIMENT = "xferbench"
VERSION = 1
"""Raised when a score would come out otherwise: older files then no longer serve."""


class Target(BaseModel):
    """A language of a kept parallel corpus, its texts taken one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: CorpusId
    language: str = Field(min_length=1)
    """BCP-47."""
    name: Name = ""

    @property
    def key(self) -> str:
        """Of the text, as a `TextSource` of it has it."""
        return f"{self.corpus}/{self.language}"

    @property
    def label(self) -> str:
        """What people call it."""
        return name_of(self.language)


@dataclass(frozen=True)
class Cell:
    """One tuning from a source on a target, and its score."""

    source: EmergentSource | TextSource | NoPretraining
    target: Target
    preset: Preset
    options: LanguageModelOptions

    @property
    def label(self) -> str:
        """The tuning in few words."""
        return f"{self.source.label} → {self.target.label}, training seed {self.options.seed}"

    @property
    def base(self) -> Pretraining[LanguageModelOptions] | None:
        """What has to be trained first; None where nothing is."""
        if isinstance(self.source, NoPretraining):
            return None
        return Pretraining(EXPERIMENT, VERSION, self.source, self.options)

    def about(self) -> dict[str, Any]:
        """What its score depends on, and nothing else but the preset's name, which scores are filed under."""
        return {
            "experiment": EXPERIMENT,
            "version": VERSION,
            "source": self.source.key,
            "target": self.target.key,
            "preset": self.preset,
            "options": self.options.model_dump(mode="json"),
        }

    @cached_property
    def key(self) -> str:
        """Of the score and of the tuning curve (`backend.store.scores`, `.details`)."""
        return digest(self.about())


Piece = Pretraining[LanguageModelOptions] | Cell


class XferBenchSpec(SourcesSpec):
    """Sources, targets, and how often."""

    experiment: Literal["xferbench"] = "xferbench"
    targets: tuple[Target, ...] = Field(min_length=1)
    protocol: Protocol = "correct"
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

    @property
    def id(self) -> str:
        return digest(sorted(self.shards()))

    def options(self, seed: int) -> LanguageModelOptions:
        """What one seed's models are trained with."""
        if self.custom is not None:
            return self.custom.model_copy(update={"seed": seed})
        assert self.preset != "custom"
        return preset(self.preset, protocol=self.protocol, seed=seed)

    @property
    def variant(self) -> str:
        """Scores of another variant compare with none of these."""
        return variant(self.preset, self.options(0))

    def shards(self) -> dict[str, Piece]:
        """Base models, then cells target by target, seed by seed: a whole figure is there after the first seed.

        Not to be changed: pages ask for it at every change.
        """
        return _shards(self)

    def cells(self) -> dict[str, Cell]:
        """The shards that give a score."""
        return {key: piece for key, piece in self.shards().items() if isinstance(piece, Cell)}


@lru_cache(maxsize=64)
def _shards(spec: XferBenchSpec) -> dict[str, Piece]:
    found: list[Piece] = []
    for seed in spec.seeds:
        options = spec.options(seed)
        cells = [Cell(source, target, spec.preset, options) for target in spec.targets for source in spec.sources]
        found += [*(cell.base for cell in cells if cell.base is not None), *cells]
    return {piece.key: piece for piece in found}


def variant(preset: Preset, options: LanguageModelOptions) -> str:
    """The `variant` of scores: preset, protocol and six digits of all other options but the seed."""
    rest = options.model_dump(mode="json", exclude={"protocol", "seed"})
    return f"{preset}/{options.protocol}/{digest([VERSION, rest])[:6]}"
