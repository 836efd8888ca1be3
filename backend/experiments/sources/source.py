"""What models are pre-trained on before they are tuned elsewhere: a source, and one training on it. Imports no torch.

XferBench and its machine-translation check begin so (`xferbench_spec`, `translation_spec`). Source: Boldt & Mortensen 2024,
"XferBench: a Data-Driven Benchmark for Emergent Language".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.spec import Spec, kept
from isogloss.backend.files import ContentId, digest
from isogloss.backend.option import Option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NONE = "none"
"""The key of the source "no pre-training"."""

Preset = Literal["paper", "quick", "custom"]
PRESETS: dict[Preset, str] = {"quick": "Quick", "paper": "Paper", "custom": "Custom"}
Name = Annotated[str, Field(max_length=120)]
"""A corpus's, for people; of no effect."""
Seed = Annotated[int, Field(ge=0, lt=2**31)]


class InText(BaseModel, frozen=True, extra="forbid"):
    """What is a language of a saved parallel corpus."""

    if TYPE_CHECKING:  # fields of each one's own, at their places among the others
        corpus: str
        language: str

    @property
    def key(self) -> str:
        """What scores call it."""
        return f"{self.corpus}/{self.language}"


class EmergentSource(BaseModel, frozen=True, extra="forbid"):
    """A saved emergent corpus (also a made one: Random, Paren, shuffled)."""

    kind: Literal["emergent"] = "emergent"
    corpus: ContentId
    name: Name = ""

    @property
    def key(self) -> str:
        """What scores call it."""
        return self.corpus

    @property
    def label(self) -> str:
        """What people call it."""
        return self.name or f"corpus {self.corpus[:6]}"


class TextSource(InText):
    """A language of a saved parallel corpus, in sub-words of its own."""

    kind: Literal["text"] = "text"
    corpus: ContentId
    language: str = Field(min_length=1)
    """BCP-47."""
    name: Name = ""

    @property
    def label(self) -> str:
        """What people call it."""
        return name_of(self.language) + (f" ({self.name})" if self.name else "")


class NoPretraining(BaseModel, frozen=True, extra="forbid"):
    """A fresh model."""

    kind: Literal["none"] = "none"

    @property
    def key(self) -> str:
        """What scores call it."""
        return NONE

    @property
    def label(self) -> str:
        """What people call it."""
        return "No pre-training"


AnySource = EmergentSource | TextSource | NoPretraining
Source = Annotated[AnySource, Field(discriminator="kind")]


class Options(Protocol):
    """What a training needs to be told from others."""

    @property
    def seed(self) -> int:
        """Seed of the training."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Dump the options as pydantic does."""

    def pretraining_provenance(self) -> dict[str, Any]:
        """Return what the weights after pre-training depend on, besides the source."""
        ...


OptionsT = TypeVar("OptionsT", bound=Options)


@dataclass(frozen=True)
class Pretraining(Generic[OptionsT]):
    """One training on a source: a shard, and what several cells begin with."""

    experiment: str
    version: int
    """The experiment's: raised when its models would come out otherwise."""
    source: EmergentSource | TextSource
    options: OptionsT

    @property
    def label(self) -> str:
        """The training in few words."""
        return f"pre-training on {self.source.label}, training seed {self.options.seed}"

    def provenance(self) -> dict[str, Any]:
        """Return what its weights depend on, and nothing else: options that differ in the rest share it."""
        return {
            "experiment": self.experiment,
            "version": self.version,
            "source": self.source.key,
            "options": self.options.pretraining_provenance(),
        }

    @cached_property
    def key(self) -> str:
        """Of the base model and of its training curve (`backend.store.bases`, `.details`)."""
        return digest(self.provenance())


class Variant(NamedTuple):
    """What makes scores comparable: those of different variants are not."""

    preset: Preset
    mode: str
    """XferBench's protocol; the translation check's setting, of which several stand side by side."""
    digits: str
    """Six of the hash of all other options but the seed."""

    @property
    def name(self) -> str:
        """The `variant` of scores: `quick/correct/<digits>`."""
        return "/".join(self)

    @property
    def group(self) -> str:
        """What scores of all modes have in common: `quick/<digits>`."""
        return f"{self.preset}/{self.digits}"


@dataclass(frozen=True)
class Tuning(Generic[OptionsT]):
    """One tuning from a source, and its scores. Subclasses say on what, and which experiment it is of."""

    experiment: ClassVar[str]
    version: ClassVar[int]
    source: AnySource
    variant: Variant
    options: OptionsT

    @property
    def label(self) -> str:
        """The tuning in few words."""
        raise NotImplementedError

    @property
    def base(self) -> Pretraining[OptionsT] | None:
        """What has to be trained first; None where nothing is."""
        if isinstance(self.source, NoPretraining):
            return None
        return Pretraining(self.experiment, self.version, self.source, self.options)

    def provenance(self) -> dict[str, Any]:
        """Return what its scores depend on, and nothing else but names that they are filed under; subclasses add their own."""
        return {
            "experiment": self.experiment,
            "version": self.version,
            "source": self.source.key,
            "options": self.options.model_dump(mode="json"),
        }

    @cached_property
    def key(self) -> str:
        """Of the scores and of the tuning curve (`backend.store.scores`, `.details`)."""
        return digest(self.provenance())


class SourcesSpec(Spec):
    """What a run on sources has whatever it tunes on: sources, a preset, seeds."""

    sources: tuple[Source, ...] = Field(min_length=1)
    preset: Annotated[
        Preset,
        Option("quick: a small model; paper: the published model and budgets; custom: as --options says", words=PRESETS),
    ] = "quick"
    seeds: tuple[Seed, ...] = Field(default=(0,), min_length=1)
    """Each seed trains every base model and every tuned model again."""

    @field_validator("sources")
    @classmethod
    def _distinct(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return distinct(values)

    @field_validator("seeds")
    @classmethod
    def _sorted(cls, values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(values)))

    @property
    def id(self) -> str:
        """Hash the keys of the shards: sources named otherwise are the same request."""
        return digest(sorted(self.shards()))

    def tunings(self, seed: int) -> Sequence[Tuning[Any]]:
        """Return what is tuned with one seed, in the order in which it is computed."""
        raise NotImplementedError

    @kept
    def shards(self) -> dict[str, Pretraining[Any] | Tuning[Any]]:
        """Base models, then tunings from them, seed by seed: a whole figure is there after the first seed."""
        found: list[Pretraining[Any] | Tuning[Any]] = []
        for seed in self.seeds:
            tunings = self.tunings(seed)
            found += [*(one.base for one in tunings if one.base is not None), *tunings]
        return {piece.key: piece for piece in found}

    def cells(self) -> dict[str, Tuning[Any]]:
        """Return the shards that give scores."""
        return {key: piece for key, piece in self.shards().items() if isinstance(piece, Tuning)}

    def check_custom(self, options: Options | None) -> None:
        """Raise `ValueError`, for pydantic, where `options` do not go with the preset or bring a seed of their own."""
        if (self.preset == "custom") != (options is not None):
            raise ValueError("options go with the preset 'custom', and with no other")
        if options is not None and options.seed != 0:
            raise ValueError("seed is swept over: give it in seeds, not in custom")


def distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Drop sources or targets that repeat a key: each once, in their order, the first of a key."""
    return tuple({value.key: value for value in reversed(values)}.values())[::-1]


def source_of(key: str, names: Mapping[str, str]) -> AnySource:
    """Return the source that scores call `key`; `names` are those of corpora by content id, for its label.

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
