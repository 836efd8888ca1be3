"""Emergent languages: their games in words, the command that plays one, and their page."""

from __future__ import annotations

from isogloss.backend.experiments.emergent.game import shard, work
from isogloss.backend.experiments.family import Experiment, Family, Menu
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.option import words_of_run
from isogloss.backend.training.signalling_game.options import GameOptions


def title(spec: Fields) -> str:
    """Name the language that is grown."""
    return f"Language from a signalling game · {spec['name']}"


def details(spec: Fields, _names: Names) -> list[str]:
    """List the rules of the game played."""
    return words_of_run(GameOptions, spec["options"])


EMERGENT = Family(
    name="emergent",
    menu=Menu("Emergent", ":material/psychology_alt:", "emergent languages"),
    experiments=(
        Experiment(
            shard.LanguageGameSpec,
            shard.compute,
            title=title,
            details=details,
            work=work.language_game,
            piece=None,
            outcome=shard.outcome,
        ),
    ),
    commands={"game": "isogloss.backend.experiments.emergent.command:game"},
)
