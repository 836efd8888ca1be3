"""A workspace with emergent corpora of every awkward kind, one of which was grown in a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import EmergentReport
from isogloss.backend.experiments.emergent.game.shard import CURVE, LanguageGameSpec
from isogloss.backend.store import details
from isogloss.backend.training.signalling_game.options import GameOptions
from tests.corpora.emergent.utterances import from_utterances
from tests.pages.made_once import made_once

if TYPE_CHECKING:
    from pathlib import Path

ODD = "Odd *name* <b>$x$ [l](http://a.test) 模型"
ALL = [ODD, "Random", "One symbol", "One token", "Grown"]


@made_once
def fill(workspace: Path) -> None:
    """Corpora, and the curve of the game of one."""
    rng = np.random.default_rng(0)
    words = ("wa", "<script>", "to $k$", "*le*")
    rows: dict[str, tuple[list[list[int]], tuple[str, ...] | None]] = {
        ODD: ([[0, 1, 2], [3, 3], [0, 1, 2]] * 30, words),
        "Random": (rng.integers(0, 40, (60, 8)).tolist(), None),
        "One symbol": ([[7, 7], [7]] * 4, None),
        "One token": ([[5]], None),
        "Grown": ([[1, 2, 1, 3], [1, 2], [1, 3, 3]] * 9, None),
    }
    for name, (utterances, vocabulary) in rows.items():
        report = EmergentReport("x", "words" if vocabulary else "integers")
        entry = emergent_library.keep(from_utterances(utterances, vocabulary, report), name, workspace)
        if name == "Grown":
            played(workspace, entry.id)


def played(workspace: Path, corpus: str, options: GameOptions | None = None) -> None:
    """What a game leaves that the corpus was grown in."""
    options = options or GameOptions(attributes=3, epochs=3)
    spec = LanguageGameSpec(name="Grown", options=options)
    rows = [dict.fromkeys(CURVE.names, 0.1 * step) | {"step": step, "epoch": step, "attributes": None} for step in range(4)]
    told = {"corpus": corpus, "options": options.model_dump(mode="json"), "chance": options.chance, "empty": 30_000}
    ended = {"steps": 3, "planned": 3, "seconds": 1.0}
    details.write(workspace, spec.key, pa.Table.from_pylist(rows, CURVE), told | ended)
