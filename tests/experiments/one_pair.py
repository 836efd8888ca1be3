"""Which file has the scores of one pair: what tests of a family ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.checkpoint_scores import serving

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isogloss.backend.store.scores import ShardFile


def covering(provenance: Mapping[str, Any], pair: Sequence[str], have: Iterable[ShardFile]) -> ShardFile | None:
    """Find a file computed from `provenance` (but for its pairs) that has `pair`, or None."""
    return serving(provenance, [pair], have).get(tuple(pair))
