"""The training curves behind one cell of XferBench: of its pre-training and of its tuning, a curve a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pandas as pd

from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Stage = Literal["pre-training", "tuning"]
CURVE = ("seed", "step", "loss")


def keys(seeds: pd.DataFrame, stage: Stage) -> dict[int, str]:
    """Return what each seed's curve is kept under, by seed; without pre-training there is none of it.

    `seeds` are the rows of one cell, as `backend.experiments.xferbench.queries.each_seed` has them.
    """
    column = "base" if stage == "pre-training" else "run"
    named = zip(seeds["seed"], seeds[column], strict=True)
    return {int(seed): key for seed, key in named if isinstance(key, str)}  # null where nothing came before the tuning


@in_recipes
@depends_on(lambda kept, workspaces: details.published(kept.values(), workspaces))
def curves(kept: Mapping[int, str], workspaces: Sequence[Path]) -> pd.DataFrame:
    """Return one row per point of each seed's curve; columns `CURVE`. `kept` is what `keys` gives.

    `loss` is the mean in nats per token of the steps since the row before. Curves that are removed or damaged are left out.
    """
    found = {seed: details.load(key, workspaces) for seed, key in sorted(kept.items())}
    parts = [
        rows.assign(seed=seed)[list(CURVE)]
        for seed, rows in found.items()
        if rows is not None and {"step", "loss"} <= set(rows.columns)
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(CURVE), dtype=float)
