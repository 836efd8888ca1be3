"""Alignment on maps that are played: a layer at a time, since 41,412 directions at 33 layers are 1.4 million rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from isogloss.backend.experiments.alignment.queries import Wanted, pairs
from isogloss.backend.experiments.frames import Known, label_checkpoints
from isogloss.backend.experiments.on_a_map import Joined, on_a_map
from isogloss.backend.recipe_mark import in_recipes


@in_recipes
def layers_in_turn(
    files: Sequence[Path],
    wanted: Wanted,
    metrics: Sequence[str],
    variants: Sequence[str],
    layers: Sequence[int],
    checkpoints: Sequence[Known],
    *,
    runs: int = 1,
    languages: Sequence[str],
    to: str | None = None,
    groups: int = 1,
    apart: bool = False,
    joined: Joined | None = None,
    threshold: float = 0.0,
    directed: bool = False,
) -> pd.DataFrame:
    """Return the marks of `on_a_map` of what `pairs` gives of these files, a map a layer, without all layers in memory.

    Raises ValueError without `layers`.
    """
    found = []
    for layer in layers:
        rows = label_checkpoints(pairs(files, wanted, metrics, variants, runs, [layer]), checkpoints)
        found.append(
            on_a_map(
                rows,
                languages=languages,
                to=to,
                groups=groups,
                apart=apart,
                joined=joined,
                threshold=threshold,
                each="layer",
                directed=directed,
            )
        )
    return pd.concat(found, ignore_index=True)
