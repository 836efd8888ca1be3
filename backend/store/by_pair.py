"""The numbers of a large file of scores pair by pair, beside it: of some of its languages, their pairs alone are read.

`scores/<family>/sums/<shard>.pairs`: JSON, then for each series of the file its pairs, their values in single precision, and
how far below and above a value its interval goes, in steps of a 65,534th of the range of that at its measure and layer. A
pair's numbers lie side by side; in the file itself those of a layer do, for matrices. Written as sums are, and with them; held
against its own checksum later, as shards are.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.files import parse_json, publish
from isogloss.backend.store import later
from isogloss.backend.store.cube import Cube, Pairs, pairs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]

WORTH = 1 << 16
"""Values of a file from which on they are kept pair by pair: three measures of 204 languages at two layers are 124,236."""
STEPS = 65_534
UNKNOWN = STEPS + 1
"""Stands for a distance of a bound that is not known."""
ALIGNED = 4096
"""The numbers begin at a multiple of so many bytes."""
EACH = 8
"""Bytes of a value with its interval."""
ROWS = 2048
"""Pairs whose numbers are summed at a time: what they make stays in a core's own memory."""
FEW = 4
"""Of at most a fourth of the layers no others are read."""
_WRONG: set[str] = set()
"""Checksums that numbers turned out not to have."""


@dataclass(frozen=True, eq=False)
class ByPair:
    """The numbers of one series of a file, pair by pair."""

    path: Path
    start: int
    """Bytes before the values."""
    pairs: Pairs
    shape: tuple[int, int]
    """Measures and layers."""
    n: float
    """Sentences, of every number."""
    whole: bool
    """No number is unknown."""
    least: Floats
    """Of the distances of low and of high [2, cells]: what 0 stands for."""
    step: Floats

    def values(self, some: NDArray[np.intp]) -> NDArray[np.float32]:
        """Read the values of some pairs `[pairs, metrics, layers]`. Raises OSError or ValueError where the file is gone."""
        return self._planes(self._rows(some), 1)[0].reshape(-1, *self.shape)

    def sums(self, some: NDArray[np.intp], ends: csr_array | None = None) -> dict[str, Floats]:
        """Return `total` and `count` [3 (`ENDS`), metrics, layers] over some pairs; with `ends` [languages, pairs] by language.

        Languages are then one axis more. Raises as `values` does.
        """
        values, *distances = self._planes(self._rows(some))
        known = None if self.whole else np.isfinite(values)
        total, count = [_added(values, known, ends)], [_counted(values, known, ends)]
        for end, (sign, steps) in enumerate(zip((-1.0, 1.0), distances, strict=True)):
            known = None if self.whole else steps != UNKNOWN
            own = total[0] if known is None else _added(values, known, ends)
            counts = _counted(values, known, ends)
            distance = self.least[end] * counts + self.step[end] * _added(steps, known, ends)
            total.append(own + sign * distance)
            count.append(counts)
        axes = (0, 1, 2) if ends is None else (0, 2, 3, 1)
        both = {"total": np.stack(total), "count": np.stack(count)}
        return {name: each.reshape(*each.shape[:-1], *self.shape).transpose(axes) for name, each in both.items()}

    def of_metric(self, place: int) -> NDArray[np.float32]:
        """Return the values of one measure [pairs, layers] as they lie in the file. Raises as `values` does."""
        layers = self.shape[1]
        return self._kept(np.float32, 0)[:, place * layers : (place + 1) * layers]

    def over_layers(self, among: NDArray[np.bool_], amount: int = 3) -> dict[str, Floats]:
        """Return each pair's `total` and `count` [amount, metrics, pairs] over the layers `among` [layers] which are True.

        Of the first `amount` of `ENDS`. And `n` [pairs], infinite for a pair without a value there. Raises as `values` does.
        """
        if self.whole:
            return self._over_layers(among, amount)
        cells = np.flatnonzero(np.tile(among, self.shape[0]))
        values, *distances_of = self._planes((slice(None), cells), amount)
        known = np.isfinite(values)
        found = [self._of_layers(np.where(known, values, 0.0)), self._of_layers(known)]
        total, count = [found[0]], [found[1]]
        for end in range(amount - 1):
            steps = distances_of[end]
            there = steps != UNKNOWN
            distances = np.where(there, steps * self.step[end][cells] + self.least[end][cells], 0.0)
            own = self._of_layers(np.where(there, values, 0.0))
            total.append(own + (-1, 1)[end] * self._of_layers(distances))
            count.append(self._of_layers(there))
        n = np.where(count[0].any(axis=0), self.n, np.inf)
        return {"total": np.stack(total), "count": np.stack(count), "n": n}

    def _over_layers(self, among: NDArray[np.bool_], amount: int) -> dict[str, Floats]:
        """Return what `over_layers` does where no number is unknown: products of what is read with weights of ones."""
        few = 0 < among.sum() * FEW <= len(among)
        layers = np.flatnonzero(among) if few else np.arange(len(among))
        measures, ones = self.shape[0], among[layers].astype(np.float64)
        cells = (np.arange(measures)[:, None] * len(among) + layers).ravel()
        total = [self._product(np.float32, 0, cells, lambda some: (some.reshape(-1, len(ones)) @ ones).reshape(-1, measures))]
        weights = np.kron(np.eye(measures), ones[:, None])  # [cells, metrics]
        for end in range(amount - 1):
            own = self.step[end][cells, None] * weights
            steps = self._product(np.uint16, 1 + end, cells, lambda some, own=own: some @ own)  # type: ignore[misc]
            total.append(total[0] + (-1, 1)[end] * (steps + (self.least[end][cells] @ weights)[:, None]))
        count = np.full((amount, *total[0].shape), float(among.sum()))
        return {"total": np.stack(total), "count": count, "n": np.full(len(self.pairs), self.n if among.any() else np.inf)}

    def _product(self, kind: Any, plane: int, cells: NDArray[np.intp], multiply: Callable[[Floats], Floats]) -> Floats:
        """Return the sums of a plane's numbers [some, cells] of every pair, multiplied some at a time: [metrics, pairs]."""
        kept, found = self._kept(kind, plane), np.empty((len(self.pairs), self.shape[0]))
        kept = kept if len(cells) == kept.shape[1] else kept.take(cells, axis=1)
        for place in range(0, len(kept), ROWS):
            found[place : place + ROWS] = multiply(kept[place : place + ROWS].astype(np.float64))
        return np.ascontiguousarray(found.T)

    def _of_layers(self, numbers: NDArray[Any]) -> Floats:
        """Sum numbers [pairs, cells] over the layers of each measure [metrics, pairs]."""
        by_measure = numbers.reshape(len(numbers), self.shape[0], -1)
        return np.ascontiguousarray(by_measure.sum(axis=2, dtype=np.float64).T)

    def _rows(self, some: NDArray[np.intp]) -> Any:
        """Return what these pairs are of a plane: the whole of it is copied faster than row by row."""
        return slice(None) if len(some) == len(self.pairs) else some

    def _planes(self, some: Any, amount: int = 3) -> list[NDArray[Any]]:
        """Read some of the values [pairs, cells], and of `amount` planes also of the distances of low and of high."""
        shape = len(self.pairs), self.shape[0] * self.shape[1]
        planes, at = [], self.start
        with open(self.path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            for kind in (np.float32, np.uint16, np.uint16)[:amount]:
                kept = np.frombuffer(mapped, kind, shape[0] * shape[1], at).reshape(shape)
                planes.append(kept.copy() if isinstance(some, slice) else kept[some])
                at += kept.nbytes
                del kept  # what is mapped can be let go of then alone
        return planes

    def _kept(self, kind: Any, plane: int) -> NDArray[Any]:
        """Return a plane as it lies in the file, which is mapped as long as the array is there."""
        shape = len(self.pairs), self.shape[0] * self.shape[1]
        size = shape[0] * shape[1]
        with open(self.path, "rb") as file:
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
        return np.frombuffer(mapped, kind, size, self.start + (0, 4, 6)[plane] * size).reshape(shape)


def _added(numbers: NDArray[Any], known: NDArray[np.bool_] | None, ends: csr_array | None) -> Floats:
    """Sum numbers [pairs, cells] that are known over all pairs [cells], or over those of each language [languages, cells]."""
    numbers = numbers if known is None else np.where(known, numbers, 0)
    return numbers.sum(axis=0, dtype=np.float64) if ends is None else ends @ numbers.astype(np.float64)


def _counted(numbers: NDArray[Any], known: NDArray[np.bool_] | None, ends: csr_array | None) -> Floats:
    if known is not None:
        return _added(known, None, ends)
    pairs = np.array(float(len(numbers))) if ends is None else ends.sum(axis=1)[:, None]
    return np.broadcast_to(pairs, (*pairs.shape[:-1], numbers.shape[1]))


def place_of(path: Path) -> Path:
    """Return where the numbers of a file of scores are kept."""
    return path.parent / "sums" / f"{path.stem}.pairs"


def write(path: Path, cubes: Sequence[Cube], of: list[int]) -> None:
    """Keep the numbers of a file that holds these alone; `of` tells it from what may stand there later. Nothing of a small one.

    Nor where the numbers of sentences differ, or are unknown, or a bound has no value or is infinite. Raises `StoreError` where
    it cannot be written.
    """
    if sum(cube.fields["value"].size for cube in cubes) < WORTH or not all(map(_can_be_kept, cubes)):
        return
    said, parts = zip(*map(_series, cubes), strict=True)
    hashed = hashlib.blake2b(digest_size=16)
    for part in (each for own in parts for each in own):
        hashed.update(part.data)
    head = json.dumps({"of": of, "series": said, "digest": hashed.hexdigest()}, separators=(",", ":")).encode()
    with publish(place_of(path)) as temporary, open(temporary, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        file.write(bytes(-file.tell() % ALIGNED))
        for part in (each for own in parts for each in own):
            file.write(part.data)


def _can_be_kept(cube: Cube) -> bool:
    value, n, *bounds = (cube.fields[name] for name in ("value", "n", "low", "high"))
    known = np.isfinite(value)
    finite = not any((np.isinf(each) | (np.isfinite(each) & ~known)).any() for each in (value, *bounds))
    return finite and len(np.unique(n[known])) == 1


def _series(cube: Cube) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return what is said of a series, and its parts: pairs, values, and the distances of low and high in steps."""
    value, low, high = (_by_pair(cube.fields[name]) for name in ("value", "low", "high"))
    scales, steps = zip(*(_in_steps(each) for each in (value - low, high - value)), strict=True)
    names, known = cube.pairs.names, np.isfinite(value)
    said = {"names": names, "pairs": len(cube.pairs), "shape": cube.fields["value"].shape[:2]}
    said |= {"n": float(_by_pair(cube.fields["n"])[known][0]), "least": [each[0].tolist() for each in scales]}
    said |= {"step": [each[1].tolist() for each in scales]}
    said |= {"whole": bool(known.all() and all((each != UNKNOWN).all() for each in steps))}
    codes = cube.pairs.source * len(names) + cube.pairs.target
    return said, [codes.astype(np.int64), value.astype(np.float32), *steps]


def _by_pair(field: Floats) -> Floats:
    """Return a field [metrics, layers, pairs] as [pairs, cells]."""
    return np.ascontiguousarray(field.reshape(-1, field.shape[-1]).T)


def _in_steps(distances: Floats) -> tuple[tuple[Floats, Floats], NDArray[np.uint16]]:
    """Return distances [pairs, cells] as numbers of steps, and in each cell what none of them stands for and what one is."""
    known = np.isfinite(distances)
    least = np.where(known, distances, np.inf).min(axis=0)
    least[~known.any(axis=0)] = 0.0
    step = np.where(known, distances - least, 0.0).max(axis=0) / STEPS
    steps = np.rint(np.where(known, distances - least, 0.0) / np.where(step > 0, step, 1.0))
    return (least, step), np.where(known, np.clip(steps, 0, STEPS), UNKNOWN).astype(np.uint16)


def load(path: Path, of: list[int]) -> tuple[ByPair, ...] | None:
    """Return what is kept of a file of scores, where it is of that very file; None where there is nothing that is whole."""
    place = place_of(path)
    with suppress(OSError, ValueError, KeyError, TypeError):
        stat = place.stat()
        found, own, digest = _loaded(place, stat.st_mtime_ns, stat.st_size)
        if own == of and digest not in _WRONG:
            return found
    return None


@lru_cache(maxsize=1000)
def _loaded(place: Path, _modified: int, size: int) -> tuple[tuple[ByPair, ...], list[int], str]:
    """Return the series of a file, what it is of, and the checksum of its numbers, which are held against it later, once.

    Raises ValueError where it is cut off.
    """
    with open(place, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size:
            raise ValueError("it has no head")
        said = parse_json(file.read(length))
        at = begin = _begin(length)
        found = []
        for each in said["series"]:
            file.seek(at)
            codes = file.read(8 * each["pairs"])
            found.append(_of(place, at + len(codes), each, codes))
            at += len(codes) + each["pairs"] * each["shape"][0] * each["shape"][1] * EACH
    if size != at:
        raise ValueError("it is cut off")
    later.do((place, said["digest"]), partial(_verify, place, said["digest"], begin))
    return tuple(found), said["of"], said["digest"]


def _begin(length: int) -> int:
    """Return where the numbers begin after a head of so many bytes."""
    return 8 + length + -(8 + length) % ALIGNED


def _of(place: Path, start: int, said: dict[str, Any], codes: bytes) -> ByPair:
    pairs, (metrics, layers) = pairs_of(tuple(said["names"]), codes), said["shape"]
    least, step = (np.array(said[name], np.float64) for name in ("least", "step"))
    return ByPair(place, start, pairs, (metrics, layers), said["n"], said["whole"], least, step)


def _verify(place: Path, digest: str, begin: int) -> None:
    """Remove numbers that are damaged, and the sums beside them: both are made again from the scores."""
    with suppress(OSError):
        if hashlib.blake2b(np.fromfile(place, np.uint8, offset=begin).data, digest_size=16).hexdigest() != digest:
            _WRONG.add(digest)
            place.unlink()
            place.with_suffix(".parquet").unlink()
