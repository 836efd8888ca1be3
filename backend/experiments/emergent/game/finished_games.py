"""The signalling games that were played: which kept corpus each left, and how its success grew. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from pydantic import ValidationError

from isogloss.backend.experiments.emergent.game.shard import CURVE
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details
from isogloss.backend.training.signalling_game.options import GameOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


SAID = {"corpus", "options", "planned", "chance"}
"""What a game's file says of itself, and no other."""


@dataclass(frozen=True)
class Played:
    """A game that is over."""

    key: str
    """What its curve is kept under."""
    corpus: str
    """The content id of its language, kept or not."""
    options: GameOptions
    steps: int
    """Updates that it took."""
    chance: float
    """The success of guessing."""
    seconds: float | None
    """Of the whole game; None where it was interrupted."""
    empty: int = 0
    """Messages that are not in the corpus, for they have no symbol."""


def finished_games(workspaces: Sequence[Path]) -> list[Played]:
    """Return all games that are over, the oldest first; files that cannot be read are left out."""
    found = (_played(key, provenance) for key, provenance in details.every(workspaces).items() if provenance.keys() >= SAID)
    return [each for each in found if each is not None]


def _played(key: str, provenance: Mapping[str, Any]) -> Played | None:
    try:
        options = GameOptions.model_validate(provenance["options"])
    except ValidationError:
        return None
    numbers = int(provenance["steps"]), float(provenance["chance"]), provenance["seconds"], int(provenance.get("empty", 0))
    return Played(key, provenance["corpus"], options, *numbers)


@in_recipes
@depends_on(lambda games, workspaces: details.published(games.values(), workspaces))
def curves(games: Mapping[str, str], workspaces: Sequence[Path]) -> pd.DataFrame:
    """Return the curves of games by the names of their corpora, `games` naming what each is kept under: corpus, and `CURVE`."""
    found = {name: details.load(key, workspaces) for name, key in games.items()}
    parts = [curve.assign(corpus=name) for name, curve in found.items() if curve is not None]
    columns = ["corpus", *CURVE.names]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)
