"""Scores of the latent language for its figures. Raises `StoreError` where a file is gone or damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

ASKED = """
SELECT checkpoint, layer, source AS language, value, low, high, n FROM {scores}
WHERE metric = $metric AND target = $target AND list_contains($checkpoints, checkpoint) AND list_contains($layers, layer)
ORDER BY ALL
"""


@in_recipes
def told(
    files: Sequence[Path], checkpoints: Sequence[str], layers: Sequence[int], target: str, *, metric: str = "latent_mass"
) -> pd.DataFrame:
    """Return what layers tell where the answer is in `target`: checkpoint, layer, language, value, low, high, n (words).

    The entropy (`latent_entropy`) is of the answer's language alone.
    """
    asked = {"metric": metric, "target": target, "checkpoints": list(checkpoints), "layers": list(layers)}
    return scores.query(ASKED, asked, files)
