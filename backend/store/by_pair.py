"""The numbers of a large file of scores pair by pair, beside it: of some of its languages, their pairs alone are read.

`scores/<family>/sums/<shard>.pairs`: JSON, then value, low and high of every pair, measure and layer in single precision, a
pair's numbers side by side. In the file itself those of a layer lie side by side, for matrices. Written as sums are, and with
them; held against its own checksum later, as shards are.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.files import parse_json, publish
from isogloss.backend.store import later
from isogloss.backend.store.cube import LARGE, Pairs, pairs_of
from isogloss.backend.store.over_pairs import ENDS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.store.cube import Cube

    Floats = NDArray[np.float32]

HEAD = 1 << 18
"""Bytes before the numbers: room for 20,706 pairs."""
_WRONG: set[str] = set()
"""Checksums that numbers turned out not to have."""


@dataclass(frozen=True, eq=False)
class ByPair:
    """A file's numbers pair by pair."""

    path: Path
    pairs: Pairs
    shape: tuple[int, int]
    """Measures and layers."""
    n: float
    """Sentences, of every number."""

    def of(self, some: NDArray[np.intp]) -> Floats:
        """Read the numbers of some pairs `[pairs, 3, metrics, layers]`. Raises OSError or ValueError where it is gone."""
        shape = (len(self.pairs), len(ENDS), *self.shape)
        kept: Floats = np.memmap(self.path, np.float32, "r", HEAD, shape)  # let go of when this returns
        return np.array(kept[some])


def place_of(path: Path) -> Path:
    """Return where the numbers of a file of scores are kept."""
    return path.parent / "sums" / f"{path.stem}.pairs"


def write(path: Path, cube: Cube, of: list[int]) -> None:
    """Keep the numbers of a file that holds this alone; `of` tells it from what may stand there later. Nothing of a small one.

    Nor where the numbers of sentences differ, or are unknown. Raises `StoreError` where it cannot be written.
    """
    value, n = cube.fields["value"], cube.fields["n"]
    sentences = np.unique(n[np.isfinite(value)])
    if value.size < LARGE or len(sentences) != 1:
        return
    numbers = np.stack([cube.fields[name] for name in ENDS]).transpose(3, 0, 1, 2).astype(np.float32, order="C")
    said = {"of": of, "names": cube.pairs.names, "shape": value.shape[:2], "n": float(sentences[0])}
    said |= {"source": cube.pairs.source.tolist(), "target": cube.pairs.target.tolist(), "digest": _digest(numbers)}
    head = json.dumps(said, separators=(",", ":")).encode()
    if len(head) <= HEAD:
        with publish(place_of(path)) as temporary, open(temporary, "wb") as file:
            file.write(head.ljust(HEAD))
            file.write(numbers.data)


def load(path: Path, of: list[int]) -> ByPair | None:
    """Return what is kept of a file of scores, where it is of that very file; None where there is nothing that is whole."""
    place = place_of(path)
    with suppress(OSError, ValueError, KeyError, TypeError):
        stat = place.stat()
        found, own, digest = _loaded(place, stat.st_mtime_ns, stat.st_size)
        if own == of and digest not in _WRONG:
            return found
    return None


@lru_cache(maxsize=1000)
def _loaded(place: Path, _modified: int, size: int) -> tuple[ByPair, list[int], str]:
    """Return the head of a file, what it is of, and the checksum of its numbers, which are held against it later, once.

    Raises ValueError where it is cut off.
    """
    with open(place, "rb") as file:
        said = parse_json(file.read(HEAD))
    names, (metrics, layers) = tuple(said["names"]), said["shape"]
    codes = np.array(said["source"], np.intp) * len(names) + np.array(said["target"], np.intp)
    if size != HEAD + len(codes) * len(ENDS) * metrics * layers * 4:
        raise ValueError("it is cut off")
    later.do((place, said["digest"]), partial(_verify, place, said["digest"]))
    return ByPair(place, pairs_of(names, codes.tobytes()), (metrics, layers), said["n"]), said["of"], said["digest"]


def _verify(place: Path, digest: str) -> None:
    """Remove numbers that are damaged, and the sums beside them: both are made again from the scores."""
    with suppress(OSError):
        if _digest(np.fromfile(place, np.float32, offset=HEAD)) != digest:
            _WRONG.add(digest)
            place.unlink()
            place.with_suffix(".parquet").unlink()


def _digest(numbers: Floats) -> str:
    return hashlib.blake2b(numbers.data, digest_size=16).hexdigest()
