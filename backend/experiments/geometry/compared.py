"""The paired intervals of differences in geometry, where what each sentence does to it is kept of both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.compared import with_paired
from isogloss.backend.experiments.geometry import sentences
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.metrics.geometry.paired import difference_interval
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.experiments.geometry.shard import GeometrySpec
    from isogloss.backend.models.entry import Checkpoint


def key_of(spec: GeometrySpec, checkpoint: Checkpoint, workspaces: Sequence[Path]) -> str | None:
    """Return the key of the file of one checkpoint of `spec`, or None where it is not there: it is of its pairs alone."""
    (key,) = spec.model_copy(update={"per_sentence": True, "checkpoints": (checkpoint,)}).shards()
    return key if sentences.there(key, workspaces) else None


@in_recipes
def without_interval(frame: pd.DataFrame) -> pd.DataFrame:
    """Take the intervals from scores that nothing is to be told by (`measures.TOO_SHORT`)."""
    return frame.assign(low=np.nan, high=np.nan)


@in_recipes
@depends_on(lambda kept, workspaces, **_: details.published(kept.values(), workspaces))
def paired(
    frame: pd.DataFrame, *, kept: Mapping[str, str], metric: str, names: Sequence[str], workspaces: Sequence[Path]
) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` whose both checkpoints have what each sentence does.

    `kept` is the key of that file by fingerprint (`key_of`). `frame` has language, layer, checkpoint_first, checkpoint_second
    and the values of both sides in the columns of their `names`. Where the widest interval is narrower it stays.
    """
    away = {fingerprint: sentences.load(key, metric, workspaces) for fingerprint, key in kept.items()}
    values, kind = frame[list(names)].to_numpy(float), KINDS[metric]
    low, high, freedom = np.full((3, len(frame)), np.nan)
    for key, rows in frame.groupby(["checkpoint_first", "checkpoint_second", "layer"]).indices.items():
        one, other, layer = map(str, key)  # type: ignore[call-overload]
        first, second = away.get(one), away.get(other)
        if first is None or second is None:
            continue
        languages = frame["language"].astype(str).iloc[rows].tolist()
        of = first.at(int(layer), languages), second.at(int(layer), languages)
        if of[0].shape == of[1].shape:
            sides = [(values[rows, side], of[side]) for side in (0, 1)]
            low[rows], high[rows], freedom[rows] = difference_interval(kind.scale, sides[0], sides[1], kind.measure.bounds)
    wider = high - low > (frame["high"] - frame["low"]).to_numpy(float)
    return with_paired(frame, np.where(wider, np.nan, low), high, freedom)
