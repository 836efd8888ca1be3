"""What a machine-translation check is: models pre-trained on sources, each tuned to translate. Imports no torch.

One shard pre-trains on a source, another tunes from there in one setting, for each seed. Settings share base models. Source:
Boldt & Mortensen 2024, "XferBench: a Data-Driven Benchmark for Emergent Language", section 5.2 and tables 2 and 4.
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
)
from backend.files import digest
from backend.training.translation.options import SETTINGS, Setting, TranslationOptions, preset

EXPERIMENT = "translation"
VERSION = 1
"""Raised when a score would come out otherwise: older files then no longer serve."""
REDUCED_TEXT, REDUCED_RATE = 5, 10
"""What custom options are divided by in the setting `reduced`, as in the preset `paper`."""


class ParallelText(BaseModel):
    """Two languages of a kept parallel corpus: one is translated from, the other into."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: CorpusId
    source_language: str = Field(default="en", min_length=1)
    """BCP-47."""
    target_language: str = Field(default="fr", min_length=1)
    """BCP-47."""
    name: Name = ""

    @model_validator(mode="after")
    def _two(self) -> ParallelText:
        if self.source_language == self.target_language:
            raise ValueError(f"{name_of(self.source_language)} cannot be translated into itself: choose two languages")
        return self

    @property
    def pair(self) -> str:
        """What scores call the two languages."""
        return f"{self.source_language}>{self.target_language}"

    @property
    def label(self) -> str:
        """What people call it."""
        return pair_label(self.pair)


@dataclass(frozen=True)
class Cell:
    """One tuning from a source in one setting, and its scores."""

    source: EmergentSource | TextSource | NoPretraining
    text: ParallelText
    setting: Setting
    preset: Preset
    options: TranslationOptions
    variant: str
    """Scores with the same preset and digits in it compare, setting beside setting."""

    @property
    def label(self) -> str:
        """The tuning in few words."""
        return f"{self.source.label}: {self.text.label}, {self.setting}, training seed {self.options.seed}"

    @property
    def base(self) -> Pretraining[TranslationOptions] | None:
        """What has to be trained first; None where nothing is."""
        if isinstance(self.source, NoPretraining):
            return None
        return Pretraining(EXPERIMENT, VERSION, self.source, self.options)

    def about(self) -> dict[str, Any]:
        """What its scores depend on, and nothing else but the variant's name, which they are filed under."""
        return {
            "experiment": EXPERIMENT,
            "version": VERSION,
            "source": self.source.key,
            "corpus": self.text.corpus,
            "pair": self.text.pair,
            "setting": self.setting,
            "variant": self.variant,
            "options": self.options.model_dump(mode="json"),
        }

    @cached_property
    def key(self) -> str:
        """Of the scores and of the tuning curve (`backend.store.scores`, `.details`)."""
        return digest(self.about())


Piece = Pretraining[TranslationOptions] | Cell


class TranslationSpec(SourcesSpec):
    """Sources, the text to learn to translate on, settings, and how often."""

    experiment: Literal["translation"] = "translation"
    text: ParallelText
    settings: tuple[Setting, ...] = Field(default=SETTINGS, min_length=1)
    custom: TranslationOptions | None = None
    """The options, for the preset `custom` alone, with the seed at 0. In the setting `reduced` the text (tokens and pairs) is a
    fifth and the learning rate a tenth of what they say, as in the preset `paper`."""

    @field_validator("settings")
    @classmethod
    def _ordered(cls, values: tuple[Setting, ...]) -> tuple[Setting, ...]:
        return tuple(setting for setting in SETTINGS if setting in values)

    @model_validator(mode="after")
    def _whole(self) -> TranslationSpec:
        self.check_custom(self.custom)
        used = {f"{self.text.corpus}/{tag}" for tag in (self.text.source_language, self.text.target_language)}
        if both := [source for source in self.sources if source.key in used]:
            raise ValueError(
                f"{both[0].label} is pre-trained on and translated in the same text, so what is held out would be seen: "
                "choose another text for one of them"
            )
        return self

    @property
    def id(self) -> str:
        return digest(sorted(self.shards()))

    def options(self, setting: Setting, seed: int) -> TranslationOptions:
        """What one seed's models are trained with in a setting."""
        if self.custom is None:
            assert self.preset != "custom"
            return preset(self.preset, setting, seed=seed)
        tuning = self.custom.tuning
        if setting == "reduced":
            tuning = tuning.model_copy(
                update={
                    "tokens": max(tuning.tokens // REDUCED_TEXT, 4),
                    "pairs": max(tuning.pairs // REDUCED_TEXT, 1),
                    "learning_rate": tuning.learning_rate / REDUCED_RATE,
                }
            )
        return self.custom.model_copy(update={"tuning": tuning, "seed": seed})

    @property
    def group(self) -> str:
        """`<preset>/<digits>`: scores of another group compare with none of these. The digits are of all settings' options."""
        every = {setting: self.options(setting, 0).model_dump(mode="json", exclude={"seed"}) for setting in SETTINGS}
        return f"{self.preset}/{digest([VERSION, every])[:6]}"

    def variant(self, setting: Setting) -> str:
        """The `variant` of scores in a setting: `quick/full/<digits>`."""
        name, digits = self.group.split("/")
        return f"{name}/{setting}/{digits}"

    def shards(self) -> dict[str, Piece]:
        """Base models, then cells setting by setting, seed by seed: a whole figure is there after the first seed.

        Not to be changed: pages ask for it at every change.
        """
        return _shards(self)

    def cells(self) -> dict[str, Cell]:
        """The shards that give scores."""
        return {key: piece for key, piece in self.shards().items() if isinstance(piece, Cell)}


@lru_cache(maxsize=64)
def _shards(spec: TranslationSpec) -> dict[str, Piece]:
    found: list[Piece] = []
    variants = {setting: spec.variant(setting) for setting in spec.settings}
    for seed in spec.seeds:
        every = {setting: spec.options(setting, seed) for setting in spec.settings}
        cells = [
            Cell(source, spec.text, setting, spec.preset, options, variants[setting])
            for setting, options in every.items()
            for source in spec.sources
        ]
        found += [*(cell.base for cell in cells if cell.base is not None), *cells]
    return {piece.key: piece for piece in found}


def pair_label(pair: str) -> str:
    """Two languages, as scores call them, in words: `English → French`."""
    return " → ".join(name_of(tag) for tag in pair.split(">"))
