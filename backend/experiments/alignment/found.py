"""Which sentences find their translation, kept beside the scores: what the paired intervals of differences rest on.

One file of details a checkpoint and kind of sentence vector: a row a layer and directed pair of languages, a bit a sentence of
the corpus and measure. 204 languages at 33 layers of 997 sentences are 170 MB a measure. What it adds up to for each language,
over its pairs from or to it, lies in a second file (half as large), where every language has every sentence: a figure of
languages reads no pair. Weak and strong are kept; found among candidates of both languages is what both find.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.files import digest
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy.sparse import csr_array
    from torch import Tensor

    from isogloss.backend.experiments.checkpoint_scores import Pair
    from isogloss.backend.metrics.retrieval.options import Task

    Bits = NDArray[np.uint8]

WAYS = ("forward", "backward")
"""From the language that is first in the alphabet to the other, and back."""


def key_of(shard: str, variant: str) -> str:
    """Return the key of the file of one kind of vector (`variant`) of a shard that keeps what is found."""
    return digest([shard, variant])


def key_of_languages(key: str) -> str:
    """Return the key of the file of what a file of pairs adds up to for each language."""
    return digest([key, "languages"])


@dataclass
class Found:
    """Which sentences find their translation, gathered while a checkpoint is scored."""

    ids: Sequence[str]
    """All sentences of the corpus, in order."""
    pairs: Sequence[Pair]
    variants: Sequence[str]
    layers: int
    bits: dict[str, dict[Task, Bits]] = field(default_factory=dict)
    """By variant and measure: [layers, directed pairs, bytes]."""
    asked: dict[Pair, Bits] = field(init=False)
    """Of each pair that has not every sentence: the sentences that both languages have; none of one that is not scored."""

    def __post_init__(self) -> None:
        self.directions = [ends for pair in self.pairs for ends in (pair, pair[::-1])]
        self._row = {ends: row for row, ends in enumerate(self.directions)}
        self._place = {sentence: place for place, sentence in enumerate(self.ids)}
        self.asked = {pair: self._packed(np.zeros(0, np.intp)) for pair in self.pairs}

    def add(self, variant: str, layer: int, ends: Pair, found: Mapping[Task, Tensor], sentences: Sequence[str]) -> None:
        """Keep which of the `sentences`, in the order of what is `found`, find their translation in one direction."""
        places = np.array([self._place[each] for each in sentences], np.intp)
        pair = (min(ends), max(ends))
        if len(places) < len(self.ids):
            self.asked[pair] = self._packed(places)
        else:
            self.asked.pop(pair, None)
        for measure, each in found.items():
            if measure != "strong_released":
                kept = self.bits.setdefault(variant, {}).setdefault(measure, self._nothing())
                kept[layer, self._row[ends]] = self._packed(places[each.cpu().numpy()])

    def write(self, workspace: Path, shard: str, provenance: Mapping[str, Any]) -> None:
        """Publish what was kept, each variant in a file of its own, those of the languages first."""
        for variant in self.variants:
            bits = self.bits.get(variant, {})
            said = {**provenance, "variant": variant, "sentences": len(self.ids), "measures": list(bits)}
            said["pairs"] = [list(pair) for pair in self.pairs]
            key = key_of(shard, variant)
            if not self.asked and bits:
                details.write(workspace, key_of_languages(key), self._of_languages(bits), said)
            details.write(workspace, key, self._of_pairs(bits), said)

    def _nothing(self) -> Bits:
        return np.zeros((self.layers, len(self.directions), (len(self.ids) + 7) // 8), np.uint8)

    def _packed(self, places: NDArray[np.intp]) -> Bits:
        among = np.zeros(len(self.ids), bool)
        among[places] = True
        return np.packbits(among)

    def _of_pairs(self, bits: Mapping[Task, Bits]) -> pa.Table:
        sources, targets = zip(*self.directions, strict=True)
        asked = [self.asked.get((min(ends), max(ends))) for ends in self.directions]
        columns = {
            "layer": pa.array(np.repeat(np.arange(self.layers, dtype=np.int16), len(self.directions))),
            "source": pa.array(sources * self.layers).dictionary_encode(),
            "target": pa.array(targets * self.layers).dictionary_encode(),
            "asked": pa.array([None if each is None else each.tobytes() for each in asked] * self.layers, pa.binary()),
        }
        for measure, each in bits.items():
            width = each.shape[-1]
            flat = pa.py_buffer(np.ascontiguousarray(each))
            columns[measure] = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), each.size // width, [None, flat])
        return pa.table(columns)

    def _of_languages(self, bits: Mapping[Task, Bits]) -> pa.Table:
        """Return how often each language's sentences are found: a row a measure, way and layer, [languages, sentences]."""
        both = dict(bits)
        if "weak" in bits and "strong" in bits:
            both["strong_released"] = bits["weak"] & bits["strong"]
        languages, ways = languages_of(self.pairs), {}
        for way in WAYS:
            of_way = [row for row, (source, target) in enumerate(self.directions) if (source < target) == (way == "forward")]
            ways[way] = of_way, ends_of([self.directions[row] for row in of_way], languages)
        rows = []
        for measure, each in both.items():
            for layer, of_layer in enumerate(each):
                for way, (of_way, which) in ways.items():
                    found = np.unpackbits(of_layer[of_way], axis=1, count=len(self.ids)).astype(np.float32)
                    rows.append(
                        {"measure": measure, "way": way, "layer": layer, "sums": (which @ found).astype("<u2").tobytes()}
                    )
        schema = pa.schema([("measure", pa.string()), ("way", pa.string()), ("layer", pa.int16()), ("sums", pa.binary())])
        return pa.Table.from_pylist(rows, schema)


def languages_of(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the languages of some pairs, in order."""
    return tuple(sorted({tag for pair in pairs for tag in pair}))


def ends_of(directions: Sequence[Pair], languages: Sequence[str]) -> csr_array:
    """Return which directed pairs each of these languages is in, [languages, directed pairs]."""
    from scipy.sparse import csr_array

    place = {tag: row for row, tag in enumerate(languages)}
    at = [(place[tag], column) for column, pair in enumerate(directions) for tag in pair if tag in place]
    rows, columns = np.array(at, np.intp).reshape(-1, 2).T
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), (len(languages), len(directions)))
