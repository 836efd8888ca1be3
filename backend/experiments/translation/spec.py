"""What a machine-translation check is: models pre-trained on sources, each tuned to translate. Imports no torch.

One shard pre-trains on a source, another tunes from there in one setting, for each seed. Settings share base models. Source:
Boldt & Mortensen 2024, "XferBench: a Data-Driven Benchmark for Emergent Language", section 5.2 and tables 2 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.sources.source import (
    Name,
    Pretraining,
    SourcesSpec,
    Tuning,
    Variant,
)
from isogloss.backend.files import ContentId, digest
from isogloss.backend.option import Option
from isogloss.backend.training.translation.options import MEANINGS, SETTINGS, Setting, TranslationOptions, preset

EXPERIMENT = "translation"
VERSION = 1
"""Raised when a score would come out otherwise: older files then no longer serve."""
REDUCED_TEXT, REDUCED_RATE = 5, 10
"""What custom options are divided by in the setting `reduced`, as in the preset `paper`."""


class ParallelText(BaseModel, frozen=True, extra="forbid"):
    """Two languages of a saved parallel corpus: one is translated from, the other into."""

    corpus: ContentId
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
class Cell(Tuning[TranslationOptions]):
    """One tuning from a source in one setting, and its scores."""

    experiment = EXPERIMENT
    version = VERSION
    text: ParallelText
    setting: Setting

    @property
    def label(self) -> str:
        """Source, languages, setting and seed, in few words."""
        return f"{self.source.label}: {self.text.label}, {self.setting}, training seed {self.options.seed}"

    def provenance(self) -> dict[str, Any]:
        """Return what the score depends on, and nothing else."""
        own = {"corpus": self.text.corpus, "pair": self.text.pair, "setting": self.setting, "variant": self.variant.name}
        return super().provenance() | own


Piece = Pretraining[TranslationOptions] | Cell


class TranslationSpec(SourcesSpec):
    """Sources, the text to learn to translate on, settings, and how often."""

    experiment: Literal["translation"] = "translation"
    text: ParallelText
    settings: Annotated[
        tuple[Setting, ...],
        Option(
            "; ".join(f"{name}: {what}" for name, what in MEANINGS.items()),
            "Settings",
            SETTINGS,
            always=True,
            key="mt_settings",
        ),
    ] = Field(default=tuple(SETTINGS), min_length=1)
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

    def options(self, setting: Setting, seed: int) -> TranslationOptions:
        """Return what one seed's models are trained with in a setting."""
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

    def variant(self, setting: Setting) -> Variant:
        """Return the variant of scores in a setting; its digits are of all settings' options."""
        every = {setting: self.options(setting, 0).model_dump(mode="json", exclude={"seed"}) for setting in SETTINGS}
        return Variant(self.preset, setting, digest([VERSION, every])[:6])

    @property
    def group(self) -> str:
        """What stands side by side, setting beside setting: scores of another group compare with none of these."""
        return self.variant("full").group

    def tunings(self, seed: int) -> list[Cell]:
        """List the tunings setting by setting."""
        found = []
        for setting in self.settings:
            options, own = self.options(setting, seed), self.variant(setting)
            found += [Cell(source, own, options, self.text, setting) for source in self.sources]
        return found


def pair_label(pair: str) -> str:
    """Two languages, as scores call them, in words: `English → French`."""
    return " → ".join(name_of(tag) for tag in pair.split(">"))
