"""What a signalling game is: every choice that changes its language, and no other. Imports neither torch nor transformers.

The game is EGG's (Kharitonov et al. 2019, "EGG: a toolkit for research on Emergence of lanGuage in Games"), from which
XferBench (Boldt & Mortensen 2024) and ELCC (Boldt & Mortensen 2024) took their basic languages. The defaults are a small game
of our choice; published games are in `presets`.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from isogloss.backend.files import added
from isogloss.backend.option import Option

Game = Literal["discrimination", "reconstruction"]
"""`discrimination`: the receiver picks the sender's object among distractors. `reconstruction`: it names all its values."""
GAMES: dict[Game, str] = {"discrimination": "Discrimination", "reconstruction": "Reconstruction"}

MOST_OBJECTS = 10_000_000
"""A game, and a corpus, has at most so many objects."""
MOST_IN_SPACE = 2**62
MOST_SYMBOLS = 1_000_000_000
"""Of a corpus: its ids take four bytes each."""
END = 0
"""The end-of-sequence symbol, where there is one."""


class GameOptions(BaseModel, frozen=True, extra="forbid"):
    """The options of `backend.training.signalling_game.loop.play`. Equal options give an equal language."""

    game: Annotated[Game, Option("Whether an object is told from others or described whole", words=GAMES, always=True)] = (
        "discrimination"
    )
    attributes: Annotated[int, Option("Of an object", "Attributes", told="{} attribute|{} attributes", always=True)] = Field(
        default=4, ge=1, le=64
    )
    values: Annotated[
        int,
        Option(
            "Of each attribute: there are values to the power of attributes objects",
            "Values",
            told="{} values each",
            always=True,
        ),
    ] = Field(default=4, ge=2, le=1000)
    objects: Annotated[
        int | None,
        Option("How many objects the game is played with, drawn by the seed", "Objects", told="{:,} objects", empty="All"),
    ] = Field(default=None, ge=2, le=MOST_OBJECTS)
    examples: Annotated[
        int | None,
        Option(
            "Of an epoch, drawn by the seed with repetition; without a number, each object once",
            "Examples",
            told="{} example|{} examples",
            empty="Each once",
        ),
    ] = added(None, ge=1, le=MOST_OBJECTS)
    """From all objects that are not held out. Left out of what is stored where it is None, as `receiver_hidden`: games played
    before these options keep their keys."""
    held_out: Annotated[float, Option("The share of the objects that are never trained on", told="{:.0%} held out")] = Field(
        default=0.1, ge=0, le=0.9
    )
    """Of the game's objects; of the examples, where they are fewer."""
    distractors: Annotated[
        int,
        Option(
            "Other objects among which the receiver finds the sender's",
            "Distractors",
            told="{} distractor|{} distractors",
            always=True,
            when={"game": ("discrimination",)},
        ),
    ] = Field(default=3, ge=1, le=999)
    vocabulary: Annotated[
        int,
        Option("The end of a message included, where messages can end early", "Symbols", told="{} symbols", always=True),
    ] = Field(default=10, ge=2, le=30_000)
    length: Annotated[
        int,
        Option("Symbols of a message at most, its end not counted", "Length", told="up to {} a message", always=True),
    ] = Field(default=10, ge=1, le=256)
    """Without an end-of-sequence symbol, the symbols of every message."""
    end_of_sequence: Annotated[
        bool,
        Option(
            "Whether messages can end before their full length",
            words={True: "Some shorter", False: "None shorter"},
            flag="--end/--no-end",
        ),
    ] = True
    """Whether symbol 0 ends a message. As in EGG, one that has not ended after `length` symbols is ended then."""
    keep_end: Annotated[
        bool,
        Option(
            "In the corpus, at the end of every message: up to one symbol more, and no message is empty; else it is cut off",
            "Keep the end symbol",
            told="its end kept",
            when={"end_of_sequence": (True,)},
            flag="--keep-end/--cut-end",
        ),
    ] = added(False)
    hidden: Annotated[
        int,
        Option("Hidden states of the sender; of the receiver too, unless it has its own", "Hidden size", told="hidden size {}"),
    ] = Field(default=128, ge=1, le=4096)
    receiver_hidden: Annotated[
        int | None, Option("Hidden size of the receiver", "Receiver's", told="the receiver's {}", empty="The same")
    ] = added(None, ge=1, le=4096)
    embedding: Annotated[int, Option("Size of the symbols' embeddings, of both agents")] = Field(default=32, ge=1, le=4096)
    straight_through: Annotated[
        bool,
        Option(
            "Whether the receiver reads whole symbols in training, with the gradient of the relaxed ones; else mixtures of "
            "symbols",
            words={True: "Whole symbols", False: "Relaxed symbols"},
            flag="--straight-through/--relaxed",
        ),
    ] = True
    temperature: Annotated[float, Option("Of the Gumbel-softmax, in the first epoch")] = Field(default=1.0, gt=0)
    temperature_decay: Annotated[float, Option("What the temperature is multiplied by after every epoch")] = Field(
        default=1.0, gt=0, le=1
    )
    temperature_least: Annotated[float, Option("The temperature falls no lower")] = Field(default=0.1, gt=0)
    batch: Annotated[int, Option("Examples a step", "Batch", told="batches of {}")] = Field(default=256, ge=1, le=65_536)
    epochs: Annotated[
        int,
        Option(
            "Passes over the examples at most: a game ends early where success is enough",
            "Epochs",
            told="up to {} epoch|up to {} epochs",
            always=True,
        ),
    ] = Field(default=50, ge=1, le=100_000)
    learning_rate: Annotated[float, Option("Of Adam; fixed", told="learning rate {:g}")] = Field(default=1e-3, gt=0)
    enough: Annotated[
        float | None,
        Option("Stop at the first record point with this share of success on training objects", told="{:.0%} success enough"),
    ] = Field(default=None, gt=0, le=1)
    """Of those training objects that are evaluated; None never."""
    record_every: int = Field(default=1, ge=1)
    """Epochs between two record points; the untrained agents are one too, and so is the end."""
    evaluated: int = Field(default=2000, ge=1, le=MOST_OBJECTS)
    """At most so many training objects, and as many held-out ones, are evaluated at a record point: always the same."""
    utterances: Annotated[
        int | None,
        Option(
            "How many objects of all the corpus speaks of, drawn by the seed; else the game's, or each example",
            "Utterances",
            told="{:,} utterances",
            empty="All",
        ),
    ] = Field(default=None, ge=1, le=MOST_OBJECTS)
    """Different objects of the whole space; None for the game's objects, or for its examples in the order drawn, where there
    are any."""
    seed: Annotated[int, Option("Same seed, same language", "Seed", told="seed {}", always=True, key="game_seed")] = Field(
        default=0, ge=0, lt=2**31
    )

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
