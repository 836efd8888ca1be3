"""`python -m backend run game`: grow a language in a signalling game and keep it as an emergent corpus."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from backend.errors import SpecError, did_you_mean
from backend.experiments.command import with_options
from backend.experiments.emergent.game.shard import LanguageGameSpec
from backend.experiments.spec import validate
from backend.training.signalling_game.options import Game
from backend.training.signalling_game.presets import PRESETS

if TYPE_CHECKING:
    from collections.abc import Callable

OF_PRESET = "; the preset's by default"
OPTIONS: dict[str, tuple[type, str]] = {
    "game": (str, f"One of: {', '.join(get_args(Game))}{OF_PRESET}"),
    "attributes": (int, f"Of an object{OF_PRESET}, as is all below"),
    "values": (int, "Of each attribute"),
    "objects": (int, "How many objects the game is played with"),
    "examples": (int, "Examples of an epoch, drawn with repetition; else each object once"),
    "held_out": (float, "The share of them never trained on"),
    "distractors": (int, "Other objects to choose among, in discrimination"),
    "vocabulary": (int, "Symbols, the end of sequence included"),
    "length": (int, "The most symbols of a message, its end not counted"),
    "end_of_sequence": (bool, "Whether messages can end before their full length"),
    "keep_end": (bool, "Whether the corpus has the end of sequence at the end of each message, so that none is empty"),
    "hidden": (int, "Size of the agents' hidden states"),
    "receiver_hidden": (int, "Of the receiver, where it is not the sender's"),
    "embedding": (int, "Size of the symbols' embeddings"),
    "straight_through": (bool, "Whether whole symbols are read in training"),
    "temperature": (float, "Of the Gumbel-softmax"),
    "temperature_decay": (float, "What it is multiplied by after every epoch"),
    "temperature_least": (float, "It falls no lower"),
    "batch": (int, "Examples a step"),
    "epochs": (int, "At most"),
    "learning_rate": (float, "Of Adam"),
    "enough": (float, "Stop at this share of success on training objects"),
    "utterances": (int, "Objects spoken of in the corpus, drawn of all; the game's, or its examples, if not given"),
}
"""What a person may say of a game, and how it is called for help: fields of `GameOptions`."""
FLAGS = {
    "end_of_sequence": "--end/--no-end",
    "keep_end": "--keep-end/--cut-end",
    "straight_through": "--straight-through/--relaxed",
}


def _played(command: Callable[..., LanguageGameSpec]) -> Callable[..., LanguageGameSpec]:
    """`command` with `OPTIONS` in place of its `given`, which gets those that are typed."""

    @wraps(command)
    def run(**typed: Any) -> LanguageGameSpec:
        given = {name: typed.pop(name) for name in OPTIONS}
        return command(**typed, given={name: value for name, value in given.items() if value is not None})

    options = {
        name: (Annotated[kind | None, typer.Option(*([FLAGS[name]] if name in FLAGS else []), help=text)], None)
        for name, (kind, text) in OPTIONS.items()
    }
    return with_options(run, command, options, "given")


@_played
def game(
    name: Annotated[str, typer.Option(help="What the language is to be called")],
    preset: Annotated[str, typer.Option(help=f"One of: {', '.join(PRESETS)}")] = "quick",
    seed: Annotated[int, typer.Option(help="Same seed, same language")] = 0,
    *,
    given: dict[str, Any],
) -> LanguageGameSpec:
    """Grow a language: two agents learn to tell each other about objects, and the sender's messages become a corpus.

    Example: run game --name "My language" --preset quick --seed 1 --wait
    """
    if preset not in PRESETS:
        raise SpecError(f"There is no preset '{preset}'. {did_you_mean(preset, PRESETS)}")
    return validate(LanguageGameSpec, {"name": name, "options": {**PRESETS[preset], **given, "seed": seed}})
