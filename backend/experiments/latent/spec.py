"""What a run of the latent language asks for. Imports no torch."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, field_validator, model_validator

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.latent.prompts import FILTERS, Filter
from isogloss.backend.experiments.spec import PerCheckpoint
from isogloss.backend.files import ContentId, digest
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.option import Option, variant_of

FAMILY = "latent"
"""What its scores are filed under."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""
Task = Literal["translation", "repetition", "cloze"]
TASKS: dict[Task, str] = {
    "translation": "Translate the word",
    "repetition": "Repeat the word",
    "cloze": "Fill the gap of a sentence",
}


class LanguageWords(BaseModel, frozen=True, extra="forbid"):
    """A language, and the dictionary of it and the pivot, which may lead either way."""

    language: str
    dictionary: ContentId


class LatentSpec(PerCheckpoint):
    """Which language's words the layers of some checkpoints of one model tell, where a prompt asks for a word.

    The defaults are the published ones, but for the words: the paper chose some 100 nouns of each language by hand.
    """

    experiment: Literal["latent"] = "latent"
    model: str
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    pivot: str
    """BCP-47 tag of the language that all dictionaries share."""
    dictionaries: tuple[LanguageWords, ...] = Field(min_length=1, max_length=50)
    task: Annotated[Task, Option("What the prompt has the model do", "Prompt", TASKS, key="prompt")] = "translation"
    source: str | None = None
    """The language that is translated from; None where words are repeated."""
    targets: tuple[str, ...] = Field(min_length=1)
    """The languages of the answers: each is asked for by prompts of its own."""
    words: Annotated[
        int, Option("Use the first so many words that count", "Words", told="{} words", variant="{} words", key="latent_words")
    ] = Field(default=100, ge=2, le=10_000)
    examples: Annotated[
        int, Option("Answered lines before the one asked", "Examples", told="{} examples", variant="{} examples", key="shots")
    ] = Field(default=4, ge=0, le=50)
    filter: Annotated[
        Filter,
        Option(
            "Which words count, by the tokens that they begin with",
            "Words that count",
            FILTERS,
            variant="{}",
            key="word_filter",
        ),
    ] = "published"
    synonyms: Annotated[
        bool,
        Option(
            "Count the first tokens of every translation that a dictionary has",
            "All translations count",
            told="all translations count",
            variant="all translations",
            key="synonyms",
        ),
    ] = False
    capitals: Annotated[
        bool,
        Option(
            "Count words that begin with a capital, too: dictionaries are in lower case, German nouns are not",
            "Capitals count",
            told="capitals count",
            variant="capitals",
            key="capitals",
        ),
    ] = False
    seed: Annotated[int, Option("Draws each prompt's examples, and the words of the intervals")] = Field(default=0, ge=0)

    @field_validator("dictionaries")
    @classmethod
    def _ordered(cls, given: tuple[LanguageWords, ...]) -> tuple[LanguageWords, ...]:
        found = {each.language: each for each in given}
        if len(found) < len(given):
            raise ValueError("a language needs one dictionary: leave out the others")
        return tuple(found[tag] for tag in sorted(found))

    @field_validator("targets")
    @classmethod
    def _once(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(given)))

    @model_validator(mode="after")
    def _among(self) -> Self:
        known = self.languages
        if len(known) == len(self.dictionaries):
            raise ValueError(f"the pivot {self.pivot} has a dictionary of its own language: choose those of other languages")
        if self.task != "translation" and self.source is not None:
            raise ValueError("only a translation has a language to translate from: leave the source out")
        if self.task == "cloze" and self.pivot in self.targets:
            raise ValueError(f"the pivot {self.pivot} has no dictionary, hence no sentences: leave it out of the targets")
        if self.task == "translation" and self.source is None:
            raise ValueError("a translation needs a source: the language of the word that is given")
        for tag in (*self.targets, *([] if self.source is None else [self.source])):
            if tag not in known:
                raise ValueError(f"no dictionary has '{tag}': choose among {', '.join(known)}")
        if self.source in self.targets:
            raise ValueError(f"{name_of(str(self.source))} is both asked from and answered in: leave it out of the targets")
        return self

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages whose words are looked for, in alphabetical order."""
        return tuple(sorted({self.pivot, *(each.language for each in self.dictionaries)}))

    @property
    def corpus(self) -> str:
        """The id of the words: of the pivot, and what is in which dictionary."""
        return digest([self.pivot, [[each.language, each.dictionary] for each in self.dictionaries]])

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        asked = self.task if self.source is None else f"translation from {self.source}"
        return "/".join([asked, *variant_of(self, "words", "examples", "filter", "synonyms", "capitals")])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        of = FAMILY, VERSION, checkpoint.fingerprint, self.corpus
        more: dict[str, Any] = {
            "languages": list(self.languages),
            "targets": list(self.targets),
            "pivot": self.pivot,
            "seed": self.seed,
        }
        return checkpoint_scores.provenance(*of, variant=self.variant, **more)
