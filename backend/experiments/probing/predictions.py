"""What a probe told of every test word or sentence: the confusion matrix behind a score, and the sentences it was wrong about.

Kept beside the scores, one file a shard and target, with numbers alone and no text. Where a probe was right a zero is kept, so
that a file of twenty thousand words and fifteen probes takes some hundred kilobytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from isogloss.backend.experiments.probing.spec import LEARNED, MEAN
from isogloss.backend.files import digest
from isogloss.backend.metrics.probing import confusion as metric
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

PROBES = {MEAN: "mean", LEARNED: "learned"}
"""Columns of the probes that have no layer; the others' are numbers."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What the probes of one seed told of a target's test part."""

    tags: tuple[str, ...]
    """Tag `i` is number i below."""
    seed: int
    sentences: NDArray[np.int32]
    """`[words]`: the number of each word's sentence in the test part."""
    words: NDArray[np.int32]
    """`[words]`: the number of each word in its sentence; words without a vector are not among them."""
    right: NDArray[np.int16]
    """`[words]`: the tag of the corpus."""
    told: Mapping[str, NDArray[np.int16]]
    """`0`, `1` …, `mean of layers`, `learned mix` → `[words]`: the tag that the probe told."""

    def confusion(self, probe: str) -> NDArray[np.int64]:
        """How often each tag (row) was told to be each (column): `[tags, tags]`. Raises `KeyError` for an unknown probe."""
        return metric.confusion(self.told[probe], self.right, len(self.tags))


def key(provenance: Mapping[str, Any], target: str) -> str:
    """Return the file of one target of a shard: the same whatever other targets were asked for with it."""
    return digest({name: value for name, value in provenance.items() if name not in ("targets", "extras")} | {"told": target})


def save(workspace: Path, provenance: Mapping[str, Any], target: str, kept_predictions: Predictions) -> Path:
    """Keep them. Raises `StoreError` where they cannot be written."""
    columns = {"sentence": kept_predictions.sentences, "word": kept_predictions.words, "right": kept_predictions.right}
    for probe, told in kept_predictions.told.items():
        columns[PROBES.get(probe, probe)] = np.where(told == kept_predictions.right, 0, told + 1).astype(np.int16)
    more = {
        "experiment": "probing predictions",
        "target": target,
        "tags": list(kept_predictions.tags),
        "seed": kept_predictions.seed,
    }
    return details.write(workspace, key(provenance, target), pa.table(columns), dict(provenance) | more)


@in_recipes
def load(provenance: Mapping[str, Any], target: str, workspaces: Sequence[Path]) -> Predictions | None:
    """Return what is kept of one target of a shard (`provenance` of its spec), or None where nothing is."""
    return of_key(key(provenance, target), workspaces)


def of_key(name: str, workspaces: Sequence[Path]) -> Predictions | None:
    """Return what is kept by this `key`, or None where nothing is."""
    found = details.whole(name, workspaces)
    if found is None:
        return None
    table, footer = found
    right = table["right"].to_numpy(np.int16)
    shown = {column: probe for probe, column in PROBES.items()}
    told = {}
    for column in table.columns[3:]:
        stored = table[column].to_numpy(np.int16)
        told[shown.get(column, column)] = np.where(stored == 0, right, stored - 1).astype(np.int16)
    places = [table[name].to_numpy(np.int32) for name in ("sentence", "word")]
    return Predictions(tuple(footer["tags"]), footer["seed"], places[0], places[1], right, told)


@in_recipes
def confusion(found: Predictions, probe: str) -> pd.DataFrame:
    """The confusion matrix as rows: right, told, count, share (of the right tag's words; nan for a tag without words)."""
    counts = found.confusion(probe)
    right, told = (side.ravel() for side in np.indices(counts.shape))
    names = np.array(found.tags, dtype=object)
    columns = {"right": names[right], "told": names[told], "count": counts.ravel(), "share": metric.shares(counts).ravel()}
    return pd.DataFrame(columns)


@in_recipes
def wrong(found: Predictions, probe: str, *, right: str | None = None, told: str | None = None) -> pd.DataFrame:
    """The words (or sentences) that a probe was wrong about: sentence, word, right, told; of one cell where tags are given."""
    chosen = found.told[probe]
    rows = chosen != found.right
    for tag, of in ((right, found.right), (told, chosen)):
        if tag is not None:
            rows &= of == found.tags.index(tag)
    names = np.array(found.tags, dtype=object)
    columns = {"sentence": found.sentences[rows], "word": found.words[rows]}
    return pd.DataFrame(columns | {"right": names[found.right[rows]], "told": names[chosen[rows]]})
