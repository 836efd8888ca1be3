"""What an XferBench run is: language models pre-trained on sources, each tuned on and scored in targets. Imports no torch.

One shard pre-trains on a source, another tunes from there on a target, for each seed. Source: Boldt & Mortensen 2024,
"XferBench: a Data-Driven Benchmark for Emergent Language".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from backend.corpora.languages import language
from backend.errors import CorpusError, SpecError
from backend.experiments.spec import Spec
from backend.files import digest
from backend.training.language_model.options import LanguageModelOptions, Protocol, preset

if TYPE_CHECKING:
    from collections.abc import Mapping

EXPERIMENT = "xferbench"
VERSION = 1
"""Raised when a score would come out otherwise: older files then no longer serve."""
NONE = "none"
"""The key of the source "no pre-training"."""

Preset = Literal["paper", "quick", "custom"]
CorpusId = Annotated[str, Field(pattern="^[0-9a-f]{24}$")]
Name = Annotated[str, Field(max_length=120)]
"""A corpus's, for people; of no effect."""
Seed = Annotated[int, Field(ge=0, lt=2**31)]


class EmergentSource(BaseModel):
    """A kept emergent corpus (also a made one: Random, Paren, shuffled)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["emergent"] = "emergent"
    corpus: CorpusId
    name: Name = ""

    @property
    def key(self) -> str:
        """What scores call it."""
        return self.corpus

    @property
    def label(self) -> str:
        """What people call it."""
        return self.name or f"corpus {self.corpus[:6]}"


class TextSource(BaseModel):
    """A language of a kept parallel corpus, in sub-words of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["text"] = "text"
    corpus: CorpusId
    language: str = Field(min_length=1)
    """BCP-47."""
    name: Name = ""

    @property
    def key(self) -> str:
        """What scores call it."""
        return f"{self.corpus}/{self.language}"

    @property
    def label(self) -> str:
        """What people call it."""
        return _language(self.language) + (f" ({self.name})" if self.name else "")


class NoPretraining(BaseModel):
    """A fresh model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["none"] = "none"

    @property
    def key(self) -> str:
        """What scores call it."""
        return NONE

    @property
    def label(self) -> str:
        """What people call it."""
        return "No pre-training"


Source = Annotated[EmergentSource | TextSource | NoPretraining, Field(discriminator="kind")]


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
        return _language(self.language)


@dataclass(frozen=True)
class Pretraining:
    """One training on a source."""

    source: EmergentSource | TextSource
    options: LanguageModelOptions

    @property
    def label(self) -> str:
        """The training in few words."""
        return f"pre-training on {self.source.label}, training seed {self.options.seed}"

    def about(self) -> dict[str, Any]:
        """What its weights depend on, and nothing else: options that differ in the rest share it."""
        which = {"architecture", "pretraining", "precision", "compile", "seed"}
        return {
            "experiment": EXPERIMENT,
            "version": VERSION,
            "source": self.source.key,
            "options": self.options.model_dump(mode="json", include=which),
        }

    @cached_property
    def key(self) -> str:
        """Of the base model and of its training curve (`backend.store.bases`, `.details`)."""
        return digest(self.about())


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
    def base(self) -> Pretraining | None:
        """What has to be trained first; None where nothing is."""
        return None if isinstance(self.source, NoPretraining) else Pretraining(self.source, self.options)

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


Piece = Pretraining | Cell


class XferBenchSpec(Spec):
    """Sources, targets, and how often."""

    experiment: Literal["xferbench"] = "xferbench"
    sources: tuple[Source, ...] = Field(min_length=1)
    targets: tuple[Target, ...] = Field(min_length=1)
    preset: Preset = "quick"
    protocol: Protocol = "correct"
    custom: LanguageModelOptions | None = None
    """The options, for the preset `custom` alone; its protocol is that of the spec, and its seed stands at 0."""
    seeds: tuple[Seed, ...] = Field(default=(0,), min_length=1)
    """Each trains every base model and every tuned one anew."""

    @field_validator("sources", "targets")
    @classmethod
    def _distinct(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple({value.key: value for value in reversed(values)}.values())[::-1]

    @field_validator("seeds")
    @classmethod
    def _sorted(cls, values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(values)))

    @model_validator(mode="after")
    def _whole(self) -> XferBenchSpec:
        if (self.preset == "custom") != (self.custom is not None):
            raise ValueError("options go with the preset 'custom', and with no other")
        if self.custom is not None and self.custom.seed != 0:
            raise ValueError("seed is swept over: give it in seeds, not in custom")
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
        found += [Pretraining(source, options) for source in spec.sources if not isinstance(source, NoPretraining)]
        found += [Cell(source, target, spec.preset, options) for target in spec.targets for source in spec.sources]
    return {piece.key: piece for piece in found}


def variant(preset: Preset, options: LanguageModelOptions) -> str:
    """The `variant` of scores: preset, protocol and six digits of all other options but the seed."""
    rest = options.model_dump(mode="json", exclude={"protocol", "seed"})
    return f"{preset}/{options.protocol}/{digest([VERSION, rest])[:6]}"


def source_of(key: str, names: Mapping[str, str]) -> EmergentSource | TextSource | NoPretraining:
    """The source that scores call `key`; `names` are those of corpora by content id, for its label.

    Raises `SpecError` where it is no source's.
    """
    corpus, _, tag = key.partition("/")
    name = names.get(corpus, "")
    try:
        if key == NONE:
            return NoPretraining()
        if tag:
            return TextSource(corpus=corpus, language=tag, name=name)
        return EmergentSource(corpus=corpus, name=name)
    except ValidationError as error:
        raise SpecError(f"'{key[:60]}' is not a source of XferBench.") from error


def _language(tag: str) -> str:
    try:
        return language(tag).name
    except CorpusError:
        return tag
