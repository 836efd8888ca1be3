"""Score rows of a model that was tuned after pre-training on a source, whatever it was tuned on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from isogloss.backend.experiments.sources.source import Tuning

FAMILY = "emergent"
"""What its scores are filed under: their `experiment`, and the folder of their files."""


def rows(piece: Tuning[Any], values: Mapping[str, float], *, corpus: str, target: str, n: int) -> pa.Table:
    """Build one row (`SCORES`) a metric. `corpus` and `target` are what was tuned on, `n` how many scores a value is over."""
    return scores.table(
        [
            {
                "metric": metric,
                "source": piece.source.key,
                "target": target,
                "value": value,
                "low": np.nan,
                "high": np.nan,
                "n": n,
            }
            for metric, value in values.items()
        ],
        run=piece.key,
        family=FAMILY,
        model=piece.variant.preset,
        checkpoint=None if piece.base is None else piece.base.key,
        corpus=corpus,
        variant=piece.variant.name,
        seed=piece.options.seed,
    )
