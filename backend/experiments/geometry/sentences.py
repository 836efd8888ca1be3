"""What each sentence does to a language's geometry: one file of details a checkpoint, for paired intervals of differences.

A row a measure and layer: how far each language's value without each sentence lies from the mean of these, of a measure of
pairs the mean over the language's pairs; in float16, as parts of the greatest. 36 languages at 13 layers of 998 sentences are
6 MB, 204 at 33 of 997 are 81: pair by pair they would be 8 GB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.store import details, quarantine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import torch
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Away:
    """What each sentence does to a measure, layer by layer."""

    languages: Mapping[str, int]
    """The row of each language."""
    greatest: Mapping[int, NDArray[np.float32]]
    """Of each layer, `[languages]`: nan of one without a value."""
    parts: Mapping[int, NDArray[np.float16]]
    """Of each layer `[languages, sentences]`, parts of the greatest."""

    def at(self, layer: int, languages: Sequence[str]) -> NDArray[np.float32]:
        """Return how far values at a layer without each sentence lie from their mean, `[languages, sentences]`.

        nan of a language without a value; no sentences where the layer is not kept.
        """
        if layer not in self.parts:
            return np.empty((len(languages), 0), np.float32)
        rows = np.array([self.languages.get(language, -1) for language in languages])
        greatest = np.where(rows < 0, np.float32(np.nan), self.greatest[layer][rows])
        found: NDArray[np.float32] = self.parts[layer][rows].astype(np.float32) * greatest[:, None]
        return found


PAIRED = ("mexa", "mutual_knn", "rsa", "cka", "anisotropy", "hubness")
"""Of neuron-wise correlation and of the spectrum infinitesimal jackknives are known, whose paired intervals held the truth in
as few as 84 and 66% of trials (`docs/definitions.md`)."""
SCHEMA = pa.schema(
    [("metric", pa.string()), ("layer", pa.int16()), ("greatest", pa.large_binary()), ("parts", pa.large_binary())]
)
ROWS = "rows"
"""What the footer calls the languages in the order of a layer's rows."""


def rows(layer: int, away: Mapping[str, torch.Tensor]) -> list[dict[str, Any]]:
    """Return the rows of one layer: `away` by measure, `[languages, sentences]`, nan of a language without a value."""
    found = []
    for metric in PAIRED:
        each = away[metric].numpy()
        greatest = np.abs(each).max(axis=1, initial=0.0).astype("<f4")
        parts = np.divide(each, greatest[:, None], out=np.zeros_like(each), where=greatest[:, None] > 0).astype("<f2")
        found.append({"metric": metric, "layer": layer, "greatest": greatest.tobytes(), "parts": parts.tobytes()})
    return found


def write(
    workspace: Path, key: str, rows: Sequence[Mapping[str, Any]], languages: Sequence[str], provenance: Mapping[str, Any]
) -> Path:
    """Publish the rows of one checkpoint's `languages`. Raises `StoreError` where they cannot be written."""
    return details.write(workspace, key, pa.Table.from_pylist(list(rows), SCHEMA), {**provenance, ROWS: list(languages)})


def there(key: str, workspaces: Sequence[Path]) -> bool:
    """Return whether some workspace has the file of this key."""
    return bool(details.published([key], workspaces))


def load(key: str, metric: str, workspaces: Sequence[Path]) -> Away | None:
    """Return a measure of the file of this key; None where there is none, or of a damaged one, which is set aside."""
    state = details.published([key], workspaces)
    if not state:
        return None
    found: Away | None = details.BY_SENTENCE.get(("geometry", state, metric), lambda: _read(key, metric, workspaces))
    return found


def _read(key: str, metric: str, workspaces: Sequence[Path]) -> Away | None:
    for workspace in workspaces:
        if (whole := quarantine.read(workspace, details.path(workspace, key))) is not None:
            table, said = whole
            languages = {language: row for row, language in enumerate(said[ROWS])}
            of = table.filter(pc.equal(table["metric"], metric)).to_pylist()
            greatest = {row["layer"]: np.frombuffer(row["greatest"], "<f4") for row in of}
            parts = {row["layer"]: np.frombuffer(row["parts"], "<f2").reshape(len(languages), -1) for row in of}
            return Away(languages, greatest, parts)
    return None
