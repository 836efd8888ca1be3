"""From the vectors of word pairs to rows of scores, alike for models and static vectors, so that both lie in one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.checkpoint_scores import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.corpora.dictionaries.word_pairs import Sample, WordPairs
    from isogloss.backend.experiments.alignment.words.spec import WordPairsSpec


def usable(sample: Sample, kept: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """List each run's pairs that have both vectors (`kept`, one a pair); one run where all would be the same.

    The draw is the same for whatever gives the vectors: what it lost is left out afterwards.
    """
    runs = [rows[kept[rows]] for rows in sample.runs]
    return runs[:1] if sample.note else runs


def counted(pairs: WordPairs, sample: Sample, kept: NDArray[np.bool_]) -> dict[str, int]:
    """Return how many word pairs there are, were drawn, lack a vector (`kept` is false, one a drawn pair), and come of what."""
    return {
        "pairs": sample.available,
        "drawn": len(kept),
        "lost": int((~kept).sum()),
        "ambiguous": pairs.ambiguous,
        "repeated": pairs.repeated,
    }


def rows_of(
    spec: WordPairsSpec,
    pair: Pair,
    layer: int | None,
    runs: Sequence[NDArray[np.int64]],
    vectors: Callable[[NDArray[np.int64]], tuple[Tensor, Tensor]],
    should_stop: Callable[[], bool],
) -> list[dict[str, Any]]:
    """Return one row per run, measure and direction; an interval only where there is a single run, over its pairs.

    `vectors` gives both sides, `[n, dims]` each, of the pairs of a run. A run of fewer than two pairs has no row.
    """
    rows = []
    for run, chosen in enumerate(runs):
        if len(chosen) < 2:
            continue
        u, v = vectors(chosen)
        found = alignment.both_directions(u, v, spec, should_stop)
        for (source, target), accuracies in zip((pair, pair[::-1]), found, strict=True):
            for measure, value in accuracies.items():
                low, high = alignment.wilson(value, len(chosen)) if len(runs) == 1 else (np.nan, np.nan)
                rows.append(
                    {
                        "metric": f"word_{measure}",
                        "layer": layer,
                        "source": source,
                        "target": target,
                        "seed": run,
                        "value": value,
                        "low": low,
                        "high": high,
                        "n": len(chosen),
                    }
                )
    return rows
