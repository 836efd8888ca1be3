"""Means over seeds of what probes scored, as arrays: a file is read once, and any view averages what is in memory.

Of 204 languages at 33 layers a measure takes 160 kB a file; each seed's own scores are left in the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.byte_cache import ByteCache, bytes_of
from isogloss.backend.experiments.probing.spec import FAMILY, LEARNED, MEAN
from isogloss.backend.store import coded
from isogloss.backend.store.cube import NO_LAYER, Pairs, read_whole, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.store.cube import Cube

    Floats = NDArray[np.float64]
    Columns = dict[str, NDArray[Any]]

NUMBERS = ("value", "low", "high")
LIMIT = 96 << 20
"""Bytes of files in memory: 160 of 204 languages at 33 layers and four measures."""


@dataclass(frozen=True, eq=False)
class Means:
    """The scores of one measure that one file holds of its layers, or of one mix of them: of each the mean over seeds."""

    run: str
    metric: str
    checkpoint: str
    mix: str | None
    """What is probed of all layers together; None for layers, and for what has none."""
    layers: NDArray[np.int64]
    """[layers]; `NO_LAYER` of a mix and of what has none."""
    pairs: Pairs
    """(trained on, tested in)"""
    numbers: dict[str, Floats]
    """`NUMBERS` [layers, pairs], nan where there is none."""
    n: Floats
    """[layers, pairs] words or sentences, of all layers the same in the first row alone: [1, pairs]; nan where no score is."""

    @property
    def counts(self) -> Floats:
        """The words or sentences of each score, [layers, pairs]."""
        return np.broadcast_to(self.n, self.numbers["value"].shape)

    @property
    def there(self) -> NDArray[np.bool_]:
        """Where there is a score, [layers, pairs]."""
        return np.broadcast_to(np.isfinite(self.n), self.numbers["value"].shape)

    @property
    def has_no_layer(self) -> bool:
        """Whether it has neither a layer nor a mix, as the lines of the most frequent tags have none."""
        return self.mix is None and bool((self.layers == NO_LAYER).all())

    def at(self, layers: NDArray[np.bool_]) -> Means:
        """Return some of the layers."""
        if layers.all():
            return self
        n = self.n[layers] if len(self.n) > 1 else self.n
        numbers = {name: field[layers] for name, field in self.numbers.items()}
        return Means(self.run, self.metric, self.checkpoint, self.mix, self.layers[layers], self.pairs, numbers, n)


_KEPT: ByteCache[tuple[Means, ...]] = ByteCache(LIMIT, bytes_of)


def means(files: Iterable[Path], wanted: Mapping[str, frozenset[str]], metrics: Sequence[str]) -> list[Means]:
    """Return what these files hold of these metrics, of the `wanted` targets of each run alone.

    Raises `StoreError` where a file is gone or damaged.
    """
    found = []
    for path in files:
        parts = _KEPT.get(state_of(path), partial(_of_file, path))
        some = (_among(part, wanted.get(path.stem, frozenset())) for part in parts if part.metric in metrics)
        found += [part for part in some if len(part.pairs)]
    return found


def framed(parts: Sequence[Means], columns: Sequence[Columns], by: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Return the `columns` of all parts in one frame with the columns `names`, in the order `by`.

    Each row has the metric, checkpoint and mix of its part. A column `pair` has places among the pairs of its part, and becomes
    `source` and `target`; a `layer` is missing where there is none.
    """
    if not columns:
        return pd.DataFrame(columns=list(names))
    numbers = {name: np.concatenate([each[name] for each in columns]) for name in columns[0]}
    both = list(zip(parts, columns, strict=True))
    texts = {
        name: coded.joined(coded.same(getattr(part, name) or "", len(each["n"])) for part, each in both)
        for name in ("metric", "checkpoint", "mix")
    }
    if "pair" in numbers:
        texts["source"] = coded.joined((part.pairs.names, part.pairs.source[each["pair"]]) for part, each in both)
        texts["target"] = coded.joined((part.pairs.names, part.pairs.target[each["pair"]]) for part, each in both)
    sorting = numbers | {name: codes for name, (_, codes) in texts.items()}
    order, _ = coded.in_order([sorting[name] for name in by])
    made: dict[str, Any] = {name: values[order] for name, values in numbers.items()}
    made |= {name: coded.as_texts((known, codes[order])) for name, (known, codes) in texts.items()}
    made |= {"n": made["n"].astype(np.int64), "mix": pd.Series(made["mix"]).mask(made["mix"] == "")}
    if "layer" in made:
        none = made["layer"] == NO_LAYER
        known = made["layer"].astype(np.int16)
        made["layer"] = pd.arrays.IntegerArray(known, none) if none.any() else known
    return pd.DataFrame({name: made[name] for name in names})


def _of_file(path: Path) -> tuple[Means, ...]:
    read = read_whole(path, seeds=False)
    return tuple(
        _part(cube, place)
        for cube in read
        if cube.experiment == FAMILY and cube.seed is None
        for place in range(len(cube.metrics))
    )


def _part(cube: Cube, place: int) -> Means:
    """Return one measure of a cube, with the layers and pairs that it has."""
    n = cube.fields["n"][place]
    layers, pairs = (np.flatnonzero(np.isfinite(n).any(axis=axis)) for axis in (1, 0))
    n = n[np.ix_(layers, pairs)]
    numbers = {name: cube.fields[name][place][np.ix_(layers, pairs)] for name in NUMBERS}
    same = bool((n == n[:1]).all())
    mix = next((each for each in (MEAN, LEARNED) if (cube.variant or "").endswith(f"/{each}")), None)
    own = _some(cube.pairs, pairs.tobytes())
    at = cube.run, cube.metrics[place], str(cube.checkpoint), mix, cube.layers[layers]
    return Means(*at, own, numbers, n[:1].copy() if same else n)


@lru_cache(maxsize=512)
def _some(of: Pairs, places: bytes) -> Pairs:
    """Return some of the pairs: the same object for all measures and checkpoints that have the same."""
    some = np.frombuffer(places, np.intp)
    return of if len(some) == len(of) else Pairs(of.names, of.source[some], of.target[some])


@lru_cache(maxsize=512)
def _tested_in(of: Pairs, targets: frozenset[str]) -> tuple[NDArray[np.intp], Pairs]:
    """Return the places of the pairs whose target is one of these, and these alone."""
    wanted = np.array([name in targets for name in of.names], bool)
    some = np.flatnonzero(wanted[of.target])
    return some, _some(of, some.tobytes())


def _among(part: Means, targets: frozenset[str]) -> Means:
    some, pairs = _tested_in(part.pairs, targets)
    if pairs is part.pairs:
        return part
    numbers = {name: field[:, some] for name, field in part.numbers.items()}
    return Means(part.run, part.metric, part.checkpoint, part.mix, part.layers, pairs, numbers, part.n[:, some])
