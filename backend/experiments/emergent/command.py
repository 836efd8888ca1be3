"""`isogloss run game`: grow a language in a signalling game and keep it as an emergent corpus."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import declares
from isogloss.backend.experiments.emergent.game.shard import LanguageGameSpec
from isogloss.backend.experiments.spec import validate
from isogloss.backend.option import declared
from isogloss.backend.training.signalling_game.options import GameOptions
from isogloss.backend.training.signalling_game.presets import PRESETS


@declares(GameOptions, preset=dict.fromkeys(declared(GameOptions).keys() - {"seed"}, "the preset's"))
def game(
    name: Annotated[str, typer.Option(help="What the language is to be called")],
    preset: Annotated[str, typer.Option(help=f"One of: {', '.join(PRESETS)}")] = "quick",
    *,
    options: dict[str, Any],
) -> LanguageGameSpec:
    """Grow a language: two agents learn to tell each other about objects, and the sender's messages become a corpus.

    Example: run game --name "My language" --preset quick --seed 1 --wait
    """
    if preset not in PRESETS:
        raise SpecError(f"There is no preset '{preset}'. {did_you_mean(preset, PRESETS)}")
    return validate(LanguageGameSpec, {"name": name, "options": PRESETS[preset] | options})
