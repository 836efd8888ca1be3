"""What a signalling game is: every choice that changes its language, and no other. Imports neither torch nor transformers.

The game is EGG's (Kharitonov et al. 2019, "EGG: a toolkit for research on Emergence of lanGuage in Games"), from which
XferBench (Boldt & Mortensen 2024) and ELCC (Boldt & Mortensen 2024) took their basic languages. The defaults are a small game
of our choice; published games are in `presets`.
"""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from backend.files import added

Game = Literal["discrimination", "reconstruction"]
"""`discrimination`: the receiver picks the sender's object among distractors. `reconstruction`: it names all its values."""

MOST_OBJECTS = 10_000_000
"""A game, and a corpus, has at most so many objects."""
MOST_IN_SPACE = 2**62
MOST_SYMBOLS = 1_000_000_000
"""Of a corpus: its ids take four bytes each."""
END = 0
"""The end-of-sequence symbol, where there is one."""


class GameOptions(BaseModel, frozen=True, extra="forbid"):
    """The options of `backend.training.signalling_game.loop.play`. Equal options give an equal language."""

    game: Game = "discrimination"
    attributes: int = Field(default=4, ge=1, le=64)
    values: int = Field(default=4, ge=2, le=1000)
    """Values of each attribute: there are `values ** attributes` objects."""
    objects: int | None = Field(default=None, ge=2, le=MOST_OBJECTS)
    """How many of them, drawn by `seed`, the game is played with; None for all."""
    examples: int | None = added(None, ge=1, le=MOST_OBJECTS)
    """Examples of an epoch: objects drawn by `seed`, with repetition, from all that are not held out; None for each once.
    Left out of what is stored where it is None, as `receiver_hidden`: games played before these options keep their keys."""
    held_out: float = Field(default=0.1, ge=0, le=0.9)
    """The share of the game's objects (of the examples, where they are fewer) that are never trained on."""
    distractors: int = Field(default=3, ge=1, le=999)
    """Other objects among which the receiver finds the sender's. Unused by `reconstruction`."""
    vocabulary: int = Field(default=10, ge=2, le=30_000)
    """Symbols, the end of sequence included where there is one."""
    length: int = Field(default=10, ge=1, le=256)
    """The most symbols of a message, the end of sequence not counted; without such a symbol, the symbols of every message."""
    end_of_sequence: bool = True
    """Whether symbol 0 ends a message. As in EGG, one that has not ended after `length` symbols is ended then."""
    keep_end: bool = added(False)
    """Whether the corpus has that symbol at the end of every message, so that none is empty; else it is cut off."""
    hidden: int = Field(default=128, ge=1, le=4096)
    """Size of the sender's hidden states, and of the receiver's where `receiver_hidden` is None."""
    receiver_hidden: int | None = added(None, ge=1, le=4096)
    """Size of the receiver's hidden states."""
    embedding: int = Field(default=32, ge=1, le=4096)
    """Size of the symbols' embeddings, of both agents."""
    straight_through: bool = True
    """Whether the receiver reads whole symbols in training, with the gradient of the relaxed ones; else mixtures of symbols."""
    temperature: float = Field(default=1.0, gt=0)
    """Of the Gumbel-softmax, in the first epoch."""
    temperature_decay: float = Field(default=1.0, gt=0, le=1)
    """What the temperature is multiplied by after every epoch."""
    temperature_least: float = Field(default=0.1, gt=0)
    """It falls no lower."""
    batch: int = Field(default=256, ge=1, le=65_536)
    epochs: int = Field(default=50, ge=1, le=100_000)
    """Passes over the examples, unless `enough` comes first."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """Of Adam; fixed."""
    enough: float | None = Field(default=None, gt=0, le=1)
    """Stop at the first record point where so large a share of training objects (of those evaluated) succeeds; None never."""
    record_every: int = Field(default=1, ge=1)
    """Epochs between two record points; the untrained agents are one too, and so is the end."""
    evaluated: int = Field(default=2000, ge=1, le=MOST_OBJECTS)
    """At most so many training objects, and as many held-out ones, are evaluated at a record point: always the same."""
    utterances: int | None = Field(default=None, ge=1, le=MOST_OBJECTS)
    """The corpus: messages of so many different objects of the whole space, drawn by `seed`; None for the game's objects, or
    for its examples in the order drawn, where there are any."""
    seed: int = Field(default=0, ge=0, lt=2**31)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.space > MOST_IN_SPACE:
            raise ValueError(f"{self.values} values of {self.attributes} attributes are more objects than can be numbered.")
        if self.objects is None and self.examples is None and self.space > MOST_OBJECTS:
            raise ValueError(
                f"There are {self.space:,} objects, too many for a game: say in objects how many to play with, or in examples "
                "how many to draw."
            )
        if max(self.objects or 0, self.utterances or 0) > self.space:
            raise ValueError(f"There are only {self.space:,} different objects: ask for no more objects or utterances.")
        if self.keep_end and not self.end_of_sequence:
            raise ValueError("Without an end-of-sequence symbol there is none to keep in the corpus.")
        longest = self.length + self.keep_end
        if self.spoken * longest > MOST_SYMBOLS:
            raise ValueError(f"{self.spoken:,} messages of {longest} symbols are too large a corpus: ask for fewer utterances.")
        if self.trained < 1 or (self.held_out and not self.kept_back):
            raise ValueError(f"{self.drawn:,} objects are too few for a share of {self.held_out:g} held out.")
        least = min(self.trained, self.kept_back or self.trained)
        if self.game == "discrimination" and least <= self.distractors:
            raise ValueError(
                f"{self.distractors} distractors need more objects than the {least:,} that are trained on or held out. "
                "Take fewer distractors or more objects."
            )
        if self.end_of_sequence and self.vocabulary < 3:
            raise ValueError("With an end-of-sequence symbol the vocabulary needs at least 3 symbols.")
        if self.temperature_least > self.temperature:
            raise ValueError("temperature_least must not exceed temperature.")
        return self

    @property
    def space(self) -> int:
        """Different objects that there are."""
        return int(self.values**self.attributes)

    @property
    def played(self) -> int:
        """Objects of the game, trained on or held out."""
        return self.space if self.objects is None else self.objects

    @property
    def drawn(self) -> int:
        """Different objects that the agents meet, at most: those of the game, or as many as there are examples."""
        return min(self.played, self.examples or self.played)

    @property
    def kept_back(self) -> int:
        """Objects held out."""
        return round(self.drawn * self.held_out)

    @property
    def trained(self) -> int:
        """Different objects trained on; with `examples`, at most so many."""
        return min(self.played - self.kept_back, self.examples or self.played)

    @property
    def rows(self) -> int:
        """Examples of an epoch."""
        return self.trained if self.examples is None else self.examples

    @property
    def spoken(self) -> int:
        """Messages that make the corpus."""
        return self.utterances or self.examples or self.played

    @property
    def receiver_size(self) -> int:
        """Size of the receiver's hidden states."""
        return self.receiver_hidden or self.hidden

    @property
    def symbols_read(self) -> int:
        """Steps of a message that the receiver reads: the last is the forced end of sequence, where there is one."""
        return self.length + self.end_of_sequence

    @property
    def steps_an_epoch(self) -> int:
        """Updates in a pass over the examples; the last batch may be smaller."""
        return math.ceil(self.rows / self.batch)

    @property
    def steps(self) -> int:
        """Updates in all."""
        return self.epochs * self.steps_an_epoch

    @property
    def chance(self) -> float:
        """The success of guessing."""
        return 1 / (self.distractors + 1) if self.game == "discrimination" else 1 / self.space

    @property
    def attribute_chance(self) -> float | None:
        """The share of attributes that guessing names rightly; None in discrimination."""
        return 1 / self.values if self.game == "reconstruction" else None


def temperature_at(epoch: int, options: GameOptions) -> float:
    """Return the Gumbel-softmax's temperature in an epoch (1 is the first)."""
    return max(options.temperature_least, options.temperature * options.temperature_decay ** (epoch - 1))
