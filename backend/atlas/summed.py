"""What each sentence contributes to ABX scores, summed over the pairs of an atlas: what paired intervals of differences need.

Of every pair it would be a hundred times the scores themselves; of the sum over all pairs of a layer it is a whole number a
sentence, by which the means of two atlases are compared where both have these pairs.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.atlas.inside import INSIDE
from isogloss.backend.experiments import language_pairs
from isogloss.backend.experiments.abx import sentences
from isogloss.backend.experiments.abx.compared import interval_of_sums
from isogloss.backend.experiments.abx.shard import FAMILY
from isogloss.backend.files import digest
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from isogloss.backend.atlas.folder import Folder
    from isogloss.backend.atlas.grids import Pair, PairGrid

    Floats = NDArray[np.float64]
    Footers = Mapping[str, Mapping[str, Any]]
    """What each file of details says of itself, by its key (`details.every`)."""
    Side = tuple[PairGrid, Footers, Sequence[Path]]
    Cells = tuple[str, Any, tuple[Pair, ...]]
    """A checkpoint's label, a layer, and pairs."""

SCHEMA = pa.schema([("metric", pa.string()), ("layer", pa.int16()), ("pairs", pa.string()), ("sums", pa.binary())])
"""`pairs` is a hash of the pairs that are summed, `sums` a whole number of 32 bits a sentence."""
MARK = "summed"
"""In the footer of a file of sums: their version."""
FOOTER = ("experiment", "fingerprint", "corpus", "variant", "languages", "complete", "sentences")
WIDEST = {
    "here": "what each sentence contributes is not kept on both sides (--per-sentence)",
    "sentences": "both sides rest on other sentences",
    "pairs": "other pairs or layers are summed than both have",
    "": "this measure has no such sums",
}
"""Why a difference has no paired interval."""


def write(folder: Folder, grid: PairGrid, kept: Footers, workspaces: Sequence[Path]) -> None:
    """Write the sums of each checkpoint of a grid of which what each sentence contributes is kept."""
    for checkpoint in range(len(grid.checkpoints)):
        for key, said in _fitting(grid, checkpoint, kept):
            path, there = sentences.there(key, workspaces), language_pairs.there(said, said.get("languages", ()))
            if MARK in said or path is None:
                continue
            rows = _rows(path, grid, tuple(pair for pair in grid.pairs if pair in there))
            name = f"{INSIDE}/{details.FOLDER}/{digest([MARK, key])}.parquet"
            footer = {name: said[name] for name in FOOTER if name in said} | {MARK: 1}
            whole = folder.path / name
            whole.parent.mkdir(parents=True, exist_ok=True)
            parquet.write(whole, pa.Table.from_pylist(rows, SCHEMA), footer)


def _fitting(grid: PairGrid, checkpoint: int, kept: Footers) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the files of what sentences contribute, or of sums of it, to the ABX scores of a checkpoint.

    What other families keep of sentences is of another kind.
    """
    if grid.family.name != FAMILY:
        return []
    of = (grid.family.name, grid.checkpoints[checkpoint].fingerprint, grid.corpus.id, grid.protocol)
    names = ("experiment", "fingerprint", "corpus", "variant")
    return [
        (key, said)
        for key, said in kept.items()
        if (said.get("per_sentence") or MARK in said) and tuple(said.get(name) for name in names) == of
    ]


def _rows(path: Path, grid: PairGrid, pairs: tuple[Pair, ...]) -> list[dict[str, Any]]:
    rows = []
    for metric in grid.metrics:
        _, found = sentences.contributions(path, metric, pairs, by_language=False)
        for (layer, _), mean in sorted(found.items()):
            total = np.rint(mean * len(pairs)).astype("<i4")
            rows.append({"metric": metric, "layer": layer, "pairs": _hash(pairs), "sums": total.tobytes()})
    return rows


def _hash(pairs: Sequence[Pair]) -> str:
    return digest(sorted(map(list, pairs)))


def interval(sides: Sequence[Side], metric: str, shared: pd.DataFrame, difference: float) -> tuple[float, float] | str:
    """Return the paired 95% interval of a difference of means over the cells that both sides have, or why there is none.

    `sides` are before and after, each with its files; `shared` has the cells: checkpoint (its label), layer, source, target.
    What a sentence contributes is averaged over the cells of each side, and paired as in the dashboard's Compare.
    """
    if metric not in ("abx_language", "abx_meaning"):
        return WIDEST[""]
    cells: list[Cells] = []
    for (checkpoint, layer), own in shared.groupby(["checkpoint", "layer"], sort=False):
        cells.append((str(checkpoint), layer, tuple(sorted(zip(own["source"], own["target"], strict=True)))))
    totals: list[Floats] = []
    of_sentences = []
    for side in sides:
        found = _total(side, metric, cells)
        if isinstance(found, str):
            return found
        totals.append(found[0] / len(shared))
        of_sentences.append(found[1])
    if len({each for own in of_sentences for each in own}) > 1:
        return WIDEST["sentences"]
    return interval_of_sums(difference, totals[1], totals[0]) or WIDEST["sentences"]


def _total(side: Side, metric: str, cells: Sequence[Cells]) -> tuple[Floats, set[Any]] | str:
    """Return what each sentence contributes over some cells of a side, and which sentences they are, or why it is unknown."""
    grid, kept, workspaces = side
    by_checkpoint: dict[str, list[tuple[int, tuple[Pair, ...]]]] = defaultdict(list)
    for checkpoint, layer, pairs in cells:
        by_checkpoint[checkpoint].append((layer, pairs))
    labels = [each.label for each in grid.checkpoints]
    total: Any = 0.0
    which: set[Any] = set()
    for label, wanted in by_checkpoint.items():
        files = _fitting(grid, labels.index(label), kept)
        if not files:
            return WIDEST["here"]
        read = (_summed(key, said, metric, wanted, workspaces) for key, said in files)
        found = next((each for each in read if each is not None), None)
        if found is None:
            return WIDEST["pairs"]
        if np.ndim(total) and total.shape != found[0].shape:
            return WIDEST["sentences"]
        total = total + found[0]
        which.add(found[1])
    return total, which


def _summed(
    key: str, said: Mapping[str, Any], metric: str, wanted: Sequence[tuple[int, tuple[Pair, ...]]], workspaces: Sequence[Path]
) -> tuple[Floats, Any] | None:
    """Return the sum of a file over some layers, each with its pairs, and of which sentences; None where it lacks any."""
    path = sentences.there(key, workspaces)
    if path is None:
        return None
    which = ("all",) if said.get("complete") else tuple(said.get("languages", ()))
    if MARK in said:
        kept = {(row["metric"], row["layer"], row["pairs"]): row["sums"] for row in parquet.read(path).to_pylist()}
        hashed = {pairs: _hash(pairs) for _, pairs in wanted}
        parts = [kept.get((metric, layer, hashed[pairs])) for layer, pairs in wanted]
        known = [np.frombuffer(part, "<i4").astype(np.float64) for part in parts if part is not None]
    else:
        there = language_pairs.there(said, said.get("languages", ()))
        if not all(there.issuperset(pairs) for _, pairs in wanted):
            return None
        means = ((sentences.contributions(path, metric, pairs, by_language=False)[1], layer, pairs) for layer, pairs in wanted)
        known = [found[layer, ""] * len(pairs) for found, layer, pairs in means if (layer, "") in found]
    return (np.sum(known, axis=0), which) if len(known) == len(wanted) else None
