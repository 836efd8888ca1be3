"""What each sentence adds to languages' sentence alignment, read from what is kept of which sentences are found (`found`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.alignment import found
from isogloss.backend.store import details, quarantine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.experiments.alignment.queries import Ways
    from isogloss.backend.experiments.checkpoint_scores import Pair

Chosen: TypeAlias = "tuple[tuple[Pair, ...], Ways]"
"""Pairs of languages, each in alphabetical order and all sorted, and the directions of them that are looked at."""
T = TypeVar("T")
AT_ONCE = 4096
"""Directed pairs whose sentences are unpacked at once: 16 MB of 997."""


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


def parts_of(key: str, workspaces: Sequence[Path], measure: str, chosen: Chosen) -> Parts | None:
    """Return what sentences add to each language's mean over the chosen pairs; None where the file lacks it, or is damaged."""
    of = "alignment", details.published([key], workspaces), measure, chosen
    found: Parts | None = details.BY_SENTENCE.get(of, lambda: read(key, workspaces, measure, chosen))
    return found


def read(key: str, workspaces: Sequence[Path], measure: str, chosen: Chosen) -> Parts | None:
    """Return `parts_of`, from what the languages add up to where that is kept and all of it is asked for, else from pairs.

    Where all pairs of most of the languages are, from the sums of all without the pairs of the others.
    """
    for workspace in workspaces:
        of_all = quarantine.read(workspace, details.path(workspace, found.key_of_languages(key)))
        whole = None if of_all is None else _Sums.of(*of_all, measure, chosen[1])
        if whole is not None and whole.pairs == chosen[0]:
            return _of_counts(whole, chosen)
        pairs = _pairs(key, workspace, measure)
        if pairs is not None and {(min(ends), max(ends)) for ends in pairs.ends}.issuperset(chosen[0]):
            return _of_pairs(pairs, chosen) if whole is None else _of_counts(_chosen_of(whole, pairs, chosen), chosen)
    return None


def pairs_of(key: str, workspaces: Sequence[Path], measure: str) -> FoundByPair | None:
    """Return which sentences each directed pair finds; None where the file lacks the measure, is gone or damaged."""
    return next(filter(None, (_pairs(key, workspace, measure) for workspace in workspaces)), None)


def _pairs(key: str, workspace: Path, measure: str) -> FoundByPair | None:
    path, columns = details.path(workspace, key), _kept_as(measure)
    try:
        said = parquet.metadata(path)
    except OSError:  # gone since it was listed
        return None
    except StoreError:
        quarantine.read(workspace, path)  # damaged: set aside, and offered to be computed again
        return None
    if not set(said["measures"]).issuperset(columns):
        return None
    table = quarantine.read(workspace, path, ["layer", "source", "target", "asked", *columns])
    return None if table is None else FoundByPair(table[0], int(said["sentences"]), measure)


def _kept_as(measure: str) -> list[str]:
    return ["weak", "strong"] if measure == "strong_released" else [measure]


@dataclass(frozen=True)
class _Sums:
    """In how many directed pairs of each language each sentence is found, where every pair has every sentence."""

    pairs: tuple[Pair, ...]
    layers: tuple[int, ...]
    counts: NDArray[np.float32]
    """[layers, languages, sentences]."""

    @classmethod
    def of(cls, table: pa.Table, said: Mapping[str, Any], measure: str, ways: Ways) -> _Sums | None:
        """Return what a file has of a measure and of some ways; None where it has nothing."""
        pairs: tuple[Pair, ...] = tuple(map(tuple, said["pairs"]))
        wanted = found.WAYS if ways == "both" else (ways,)
        counts: dict[int, NDArray[np.float32]] = {}
        for row in table.to_pylist():
            if row["measure"] == measure and row["way"] in wanted:
                sums = np.frombuffer(row["sums"], "<u2").reshape(-1, int(said["sentences"])).astype(np.float32)
                counts[row["layer"]] = counts[row["layer"]] + sums if row["layer"] in counts else sums
        layers = tuple(sorted(counts))
        return cls(pairs, layers, np.stack([counts[layer] for layer in layers])) if layers else None


def _of_counts(sums: _Sums, chosen: Chosen) -> Parts:
    """Return the parts from how often the sentences of each language are found, all of which each pair has."""
    languages, n = found.languages_of(chosen[0]), sums.counts.shape[-1]
    amount = Counter(tag for pair in chosen[0] for tag in pair)
    amounts = np.array([amount[tag] * (2 if chosen[1] == "both" else 1) for tag in languages], np.float32)
    shares = sums.counts / amounts[:, None]
    value = shares.mean(axis=-1, dtype=np.float64)
    shares -= value[..., None].astype(np.float32)
    shares /= np.float32(n)
    return Parts(_places(sums.layers), _places(languages), value, shares, np.full(len(languages), n))


def _chosen_of(whole: _Sums, pairs: FoundByPair, chosen: Chosen) -> _Sums:
    """Return the sums over the chosen pairs, or over the others taken from those over all, whichever are fewer."""
    languages, wanted = found.languages_of(chosen[0]), set(chosen[0])
    inside = pairs.rows(lambda ends: _is_in(ends, wanted, chosen[1]))
    every = set(whole.pairs)
    other = pairs.rows(lambda ends: _is_in(ends, every, chosen[1]) and not _is_in(ends, wanted, chosen[1]))
    among = [row for row in other if not {*pairs.ends[row]}.isdisjoint(languages)]
    if len(inside) <= len(among):
        return _Sums(chosen[0], pairs.layers, pairs.counts(inside, languages))
    places = [found.languages_of(whole.pairs).index(tag) for tag in languages]
    return _Sums(chosen[0], pairs.layers, whole.counts[:, places] - pairs.counts(among, languages))


class FoundByPair:
    """The file of which sentences each directed pair finds."""

    def __init__(self, table: pa.Table, sentences: int, measure: str) -> None:
        self.sentences = sentences
        self._table, self._columns, layers = table, _kept_as(measure), table["layer"].to_numpy()
        self._amount = int((layers == layers[0]).sum())
        first = table.slice(0, self._amount)  # a layer after another, each with the same pairs
        self.layers = tuple(int(each) for each in layers[:: self._amount])
        self.ends: list[Pair] = list(zip(first["source"].to_pylist(), first["target"].to_pylist(), strict=True))

    def rows(self, wanted: Callable[[Pair], bool]) -> list[int]:
        """Return which of the directed pairs of a layer are wanted."""
        return [row for row, ends in enumerate(self.ends) if wanted(ends)]

    def asked(self, rows: Sequence[int]) -> NDArray[np.bool_]:
        """Return which sentences some pairs have, [rows, sentences]."""
        return _asked(self._table["asked"].slice(0, self._amount).take(pa.array(rows, pa.int64())), self.sentences)

    def hits(self, layer: int, rows: Sequence[int]) -> NDArray[np.uint8]:
        """Return which sentences some pairs find at a layer (its row), [rows, sentences]."""
        of_layer = [self._table[name].slice(layer * self._amount, self._amount) for name in self._columns]
        packed = np.bitwise_and.reduce([_packed(column, self.sentences)[rows] for column in of_layer])
        return np.unpackbits(packed, axis=1, count=self.sentences)

    def counts(self, rows: Sequence[int], languages: Sequence[str]) -> NDArray[np.float32]:
        """Return in how many of some pairs of each language each sentence is found, [layers, languages, sentences]."""
        made = np.zeros((len(self.layers), len(languages), self.sentences), np.float32)
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            which = found.ends_of([self.ends[row] for row in some], languages)
            for layer, sums in enumerate(made):
                sums += which @ self.hits(layer, some).astype(np.float32)
        return made


def _of_pairs(pairs: FoundByPair, chosen: Chosen) -> Parts:
    """Return the parts from which sentences each directed pair finds, of those that both its languages have."""
    languages, wanted = found.languages_of(chosen[0]), set(chosen[0])
    every = pairs.rows(lambda ends: _is_in(ends, wanted, chosen[1]))
    asked = pairs.asked(every)
    amount = asked.sum(axis=1, dtype=np.int64)
    rows, asked, amount = [row for row, n in zip(every, amount, strict=True) if n], asked[amount > 0], amount[amount > 0]
    which = found.ends_of([pairs.ends[row] for row in rows], languages)
    pairs_of, seen = which.sum(axis=1), (which @ asked.astype(np.float32)) > 0
    value, each = [], []
    for layer in range(len(pairs.layers)):
        hits = pairs.hits(layer, rows)
        share = hits.sum(axis=1) / amount
        with np.errstate(invalid="ignore", divide="ignore"):
            value.append((which @ share) / pairs_of)
            parts = ((hits - share[:, None]) * asked / amount[:, None]).astype(np.float32)
            each.append(((which @ parts) / pairs_of[:, None]).astype(np.float32))
    return Parts(_places(pairs.layers), _places(languages), np.stack(value), np.stack(each), seen.sum(axis=1))


def _places(of: Sequence[T]) -> dict[T, int]:
    return {each: place for place, each in enumerate(of)}


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
