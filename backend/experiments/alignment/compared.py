"""The paired intervals of differences in sentence alignment, where it is kept of both sides which sentences are found."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from isogloss.backend.byte_cache import ByteCache, bytes_of
from isogloss.backend.experiments.alignment import found
from isogloss.backend.experiments.compared import with_paired
from isogloss.backend.metrics.retrieval.paired import difference_of_found
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details, quarantine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from isogloss.backend.experiments.alignment.queries import Ways
    from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
    from isogloss.backend.experiments.checkpoint_scores import Pair
    from isogloss.backend.models.entry import Checkpoint

    Chosen = tuple[tuple[Pair, ...], Ways]
    """Pairs of languages, each in alphabetical order, and the directions of them that are looked at."""

LIMIT = 128 << 20
"""Bytes of parts in memory: of four checkpoints of 204 languages at 33 layers of 997 sentences."""


@dataclass(frozen=True, eq=False)
class Parts:
    """What sentences add to each language's mean over its directed pairs, at each layer."""

    layers: Mapping[int, int]
    """The row of each."""
    languages: Mapping[str, int]
    value: NDArray[np.float64]
    """[layers, languages]."""
    each: NDArray[np.float32]
    """[layers, languages, sentences], less the mean: they sum to 0."""
    n: NDArray[np.int64]
    """[languages]: sentences that some pair of it has."""


_KEPT: ByteCache[Parts | None] = ByteCache(LIMIT, bytes_of)


def key_of(
    spec: SentenceAlignmentSpec, checkpoint: Checkpoint, variant: str, tags: Sequence[str], workspaces: Sequence[Path]
) -> str | None:
    """Return the key of a file that keeps which sentences are found for one checkpoint of `spec`, or None.

    One of more pairs serves as well, up to those of all languages of the corpus, which are `tags`.
    """
    asked = spec.model_copy(update={"per_sentence": True, "checkpoints": (checkpoint,)})
    every = asked.model_copy(update={"languages": tuple(sorted(tags)), "listed": None})
    for each in (asked, asked.model_copy(update={"listed": None}), every):
        (shard,) = each.shards()
        key = found.key_of(shard, variant)
        if details.published([key], workspaces):
            return key
    return None


@in_recipes
@depends_on(lambda kept, workspaces, **_: details.published(kept.values(), workspaces))
def paired(
    frame: pd.DataFrame,
    *,
    workspaces: Sequence[Path],
    kept: Mapping[str, str],
    measure: str,
    languages: Sequence[str],
    pairs: Sequence[Pair] | None = None,
    ways: Ways = "both",
) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` of whose both checkpoints it is kept which sentences are found.

    `kept` is the key of that file by fingerprint (`key_of`). Rows are of a `language` (its mean over the directed `pairs` that
    it is in, by `ways`) and `layer`; None are all pairs of `languages`. `measure` is that of the metric: `weak`, `strong`.
    """
    wanted = combinations(sorted(languages), 2) if pairs is None else sorted((min(pair), max(pair)) for pair in pairs)
    chosen: Chosen = tuple(wanted), ways
    read = {fingerprint: _parts(key, workspaces, measure, chosen) for fingerprint, key in kept.items()}
    ends, freedom = np.full((2, len(frame)), np.nan), np.full(len(frame), np.nan)
    less, tags = frame["difference"].to_numpy(np.float64), frame["language"].to_numpy()
    cells: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for row, cell in enumerate(zip(*(frame[name] for name in ("checkpoint_first", "checkpoint_second", "layer")), strict=True)):
        cells[cell].append(row)
    for (first, second, layer), of in cells.items():
        one, other = (read.get(each) for each in (first, second))
        if one is None or other is None or not (layer in one.layers and layer in other.layers):
            continue
        rows = np.array([row for row in of if tags[row] in one.languages and tags[row] in other.languages], np.intp)
        at = [(side.layers[layer], np.array([side.languages[tag] for tag in tags[rows]], np.intp)) for side in (one, other)]
        n = one.n[at[0][1]]
        if one.each.shape[-1] == other.each.shape[-1] and (n == other.n[at[1][1]]).all():
            value, each = (one.value[at[0]], other.value[at[1]]), (one.each[at[0]], other.each[at[1]])
            ends[:, rows] = difference_of_found(less[rows], value, each, n)
            freedom[rows] = n - 1
    return with_paired(frame, ends[0], ends[1], freedom)


def _parts(key: str, workspaces: Sequence[Path], measure: str, chosen: Chosen) -> Parts | None:
    """Return what sentences add to each language's mean over the chosen pairs; None where the file lacks it, or is damaged."""
    published = details.published([key], workspaces)
    return _KEPT.get((published, measure, chosen), lambda: _read(key, workspaces, measure, chosen))


def _read(key: str, workspaces: Sequence[Path], measure: str, chosen: Chosen) -> Parts | None:
    for workspace in workspaces:
        path = details.path(workspace, found.key_of_languages(key))
        whole = quarantine.read(workspace, path)
        if whole is not None and tuple(map(tuple, whole[1]["pairs"])) == chosen[0]:
            return _of_languages(*whole, measure, chosen)
        whole = quarantine.read(workspace, details.path(workspace, key))
        if whole is not None:
            return _of_pairs(*whole, measure, chosen)
    return None


def _of_languages(table: pa.Table, said: Mapping[str, Any], measure: str, chosen: Chosen) -> Parts | None:
    """Return the parts from how often the sentences of each language are found, all of which each pair has."""
    languages, n = found.languages_of(chosen[0]), int(said["sentences"])
    ways = found.WAYS if chosen[1] == "both" else (chosen[1],)
    counts: dict[int, NDArray[np.float32]] = {}
    for row in table.to_pylist():
        if row["measure"] == measure and row["way"] in ways:
            sums = np.frombuffer(row["sums"], "<u2").reshape(len(languages), n).astype(np.float32)
            counts[row["layer"]] = counts[row["layer"]] + sums if row["layer"] in counts else sums
    if not counts:
        return None
    amounts = len(ways) * np.array([sum(tag in pair for pair in chosen[0]) for tag in languages])
    layers = {layer: row for row, layer in enumerate(sorted(counts))}
    shares = np.stack([counts[layer] for layer in layers]) / amounts[:, None].astype(np.float32)
    value = shares.mean(axis=-1, dtype=np.float64)
    each = (shares - value[..., None].astype(np.float32)) / np.float32(n)
    return Parts(layers, {tag: row for row, tag in enumerate(languages)}, value, each, np.full(len(languages), n))


def _of_pairs(table: pa.Table, said: Mapping[str, Any], measure: str, chosen: Chosen) -> Parts | None:
    """Return the parts from which sentences each directed pair finds; None where the file lacks one of the pairs."""
    there = {(min(pair), max(pair)) for pair in map(tuple, said["pairs"])}
    asked_for = ("weak", "strong") if measure == "strong_released" else (measure,)
    if not there.issuperset(chosen[0]) or not set(asked_for) <= set(said["measures"]):
        return None
    n, languages, wanted = int(said["sentences"]), found.languages_of(chosen[0]), set(chosen[0])
    layer_of, of_first = table["layer"].to_numpy(), table.filter(pc.equal(table["layer"], table["layer"][0]))
    ends = list(zip(of_first["source"].to_pylist(), of_first["target"].to_pylist(), strict=True))
    some = np.array([row for row, each in enumerate(ends) if _is_in(each, wanted, chosen[1])], np.intp)
    asked = _asked(of_first["asked"].take(some), n)
    amount = asked.sum(axis=1, dtype=np.int64)
    some, asked, amount = some[amount > 0], asked[amount > 0], amount[amount > 0]
    which = _ends_of([ends[row] for row in some], languages)
    pairs_of, seen = which.sum(axis=1), (which @ asked.astype(np.float32)) > 0
    value, each = [], []
    for start in range(0, len(table), len(of_first)):  # a layer after another, each with the same pairs
        packed = (_packed(table[name].slice(start, len(of_first)), n)[some] for name in asked_for)
        hits = np.logical_and.reduce([np.unpackbits(one, axis=1, count=n) for one in packed])
        share = hits.sum(axis=1) / amount
        with np.errstate(invalid="ignore", divide="ignore"):
            value.append((which @ share) / pairs_of)
            parts = ((hits - share[:, None]) * asked / amount[:, None]).astype(np.float32)
            each.append(((which @ parts) / pairs_of[:, None]).astype(np.float32))
    layers = {int(layer_of[start]): row for row, start in enumerate(range(0, len(table), len(of_first)))}
    place = {tag: row for row, tag in enumerate(languages)}
    return Parts(layers, place, np.stack(value), np.stack(each), seen.sum(axis=1))


def _ends_of(directions: Sequence[Pair], languages: Sequence[str]) -> csr_array:
    """Return which directed pairs a language is in, [languages, directed pairs]."""
    from scipy.sparse import csr_array

    place = {tag: row for row, tag in enumerate(languages)}
    rows = np.array([place[tag] for pair in directions for tag in pair], np.intp)
    columns = np.repeat(np.arange(len(directions)), 2)
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), (len(languages), len(directions)))


def _is_in(ends: Pair, wanted: set[Pair], ways: Ways) -> bool:
    forward = ends[0] < ends[1]
    return (ends if forward else ends[::-1]) in wanted and (ways == "both" or forward == (ways == "forward"))


def _packed(column: pa.ChunkedArray, n: int) -> NDArray[np.uint8]:
    """Return what is kept of each row as [rows, bytes]."""
    width = (n + 7) // 8
    parts = [np.frombuffer(each.buffers()[1], np.uint8, len(each) * width, each.offset * width) for each in column.chunks]
    return np.concatenate(parts).reshape(len(column), width)


def _asked(column: pa.ChunkedArray, n: int) -> NDArray[np.bool_]:
    """Return which sentences each pair has, [rows, n]: all, where nothing is kept of it."""
    made = np.ones((len(column), n), bool)
    for row, packed in enumerate(column.to_pylist()):
        if packed is not None:
            made[row] = np.unpackbits(np.frombuffer(packed, np.uint8), count=n).astype(bool)
    return made
