"""`python -m backend run game`: grow a language in a signalling game and keep it as an emergent corpus."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from backend.errors import SpecError, did_you_mean
from backend.experiments.emergent.game.shard import LanguageGameSpec
from backend.experiments.spec import validate
from backend.training.signalling_game.options import Game, GameOptions
from backend.training.signalling_game.presets import PRESETS

OF_PRESET = "; the preset's by default"
Whole = int | None
Share = float | None


def game(
    name: Annotated[str, typer.Option(help="What the language is to be called")],
    preset: Annotated[str, typer.Option(help=f"One of: {', '.join(PRESETS)}")] = "quick",
    kind: Annotated[str | None, typer.Option("--game", help=f"One of: {', '.join(get_args(Game))}{OF_PRESET}")] = None,
    attributes: Annotated[Whole, typer.Option(help=f"Of an object{OF_PRESET}, as is all below")] = None,
    values: Annotated[Whole, typer.Option(help="Of each attribute")] = None,
    objects: Annotated[Whole, typer.Option(help="How many objects the game is played with")] = None,
    examples: Annotated[Whole, typer.Option(help="Examples of an epoch, drawn with repetition; else each object once")] = None,
    held_out: Annotated[Share, typer.Option(help="The share of them never trained on")] = None,
    distractors: Annotated[Whole, typer.Option(help="Other objects to choose among, in discrimination")] = None,
    vocabulary: Annotated[Whole, typer.Option(help="Symbols, the end of sequence included")] = None,
    length: Annotated[Whole, typer.Option(help="The most symbols of a message, its end not counted")] = None,
    end_of_sequence: Annotated[
        bool | None, typer.Option("--end/--no-end", help="Whether messages can end before their full length")
    ] = None,
    hidden: Annotated[Whole, typer.Option(help="Size of the agents' hidden states")] = None,
    receiver_hidden: Annotated[Whole, typer.Option(help="Of the receiver, where it is not the sender's")] = None,
    embedding: Annotated[Whole, typer.Option(help="Size of the symbols' embeddings")] = None,
    straight_through: Annotated[
        bool | None, typer.Option("--straight-through/--relaxed", help="Whether whole symbols are read in training")
    ] = None,
    temperature: Annotated[Share, typer.Option(help="Of the Gumbel-softmax")] = None,
    temperature_decay: Annotated[Share, typer.Option(help="What it is multiplied by after every epoch")] = None,
    temperature_least: Annotated[Share, typer.Option(help="It falls no lower")] = None,
    batch: Annotated[Whole, typer.Option(help="Examples a step")] = None,
    epochs: Annotated[Whole, typer.Option(help="At most")] = None,
    learning_rate: Annotated[Share, typer.Option(help="Of Adam")] = None,
    enough: Annotated[Share, typer.Option(help="Stop at this share of success on training objects")] = None,
    utterances: Annotated[
        Whole, typer.Option(help="Objects spoken of in the corpus, drawn of all; the game's, or its examples, if not given")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same language")] = 0,
) -> LanguageGameSpec:
    """Grow a language: two agents learn to tell each other about objects, and the sender's messages become a corpus.

    Example: run game --name "My language" --preset quick --seed 1 --wait
    """
    asked = locals() | {"game": kind}
    if preset not in PRESETS:
        raise SpecError(f"There is no preset '{preset}'. {did_you_mean(preset, PRESETS)}")
    given = {field: asked[field] for field in GameOptions.model_fields if asked.get(field) is not None}
    return validate(LanguageGameSpec, {"name": name, "options": {**PRESETS[preset], **given}})
