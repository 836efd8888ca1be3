"""The statistics of a saved emergent corpus, or of a shuffled version of it: computed at most once, then read. No torch.

A page may ask for them while it draws: 20 million tokens take some 8 seconds the first time, small corpora 0.1 s.
They are kept as details (`<workspace>/details/`), keyed by the corpus' content; a damaged file is set aside.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from isogloss.backend.byte_cache import ByteCache, bytes_of
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import reference
from isogloss.backend.corpora.emergent.corpus import visible
from isogloss.backend.errors import StoreError
from isogloss.backend.files import digest
from isogloss.backend.metrics.corpus.codes import code
from isogloss.backend.metrics.corpus.compression import Compression
from isogloss.backend.metrics.corpus.frequent import Frequent
from isogloss.backend.metrics.corpus.growth import TypeTokenCurve
from isogloss.backend.metrics.corpus.ngrams import NgramEntropy
from isogloss.backend.metrics.corpus.positions import PositionalEntropy, positional_entropy
from isogloss.backend.metrics.corpus.statistics import CorpusStatistics, corpus_statistics
from isogloss.backend.metrics.corpus.structure import BigramStructure
from isogloss.backend.metrics.corpus.utterances import UtteranceLengths
from isogloss.backend.metrics.corpus.warnings import CorpusWarning
from isogloss.backend.metrics.corpus.zipf import RankFrequency, ZipfMandelbrot
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.corpora.emergent.library import EmergentEntry

VERSION = 1
"""Raised when a statistic changes: older files then no longer serve."""
ORDERS, MOST = 4, 50
"""n-grams are counted up to so many symbols, and so many of the most frequent are kept."""
LONGEST = 100
"""Characters of a symbol that are kept."""
Shuffle = Literal["within", "over"]
"""The tokens of each utterance in a random order, or those of the whole corpus."""

SCHEMA = pa.schema(
    [
        ("part", pa.string()),  # `ranks`, `curve`, `lengths`, `entropies`, `starts`, `ends`, `ngrams` or `utterances`
        ("at", pa.int64()),  # rank, tokens, length, order, position (0 is the first, or the last), or the n-grams' order
        ("n", pa.int64()),  # count, types, utterances of that length, windows, utterances so long, or count
        ("value", pa.float64()),  # bits, or a share
        ("other", pa.float64()),  # of `entropies`: distinct n-grams
        ("conditional", pa.float64()),  # of `entropies`: bits
        ("ids", pa.list_(pa.int64())),  # of `ngrams` and `utterances`: their symbols, the first 200 at most
        ("length", pa.int64()),  # of those: all their symbols
    ]
)
"""One row a point of what has many; single numbers are in the file's footer."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """What is known of a corpus before any training."""

    corpus: CorpusStatistics
    ends: PositionalEntropy
    """As `corpus.positions`, counted from the end of utterances: position 0 is the last token."""
    symbols: Mapping[int, str]
    """As the source has them, of all ids among the most frequent; empty where the ids are the source's integers."""
    separator: str = " "
    """Stands between symbols: nothing where they are characters."""

    def text(self, one: Frequent) -> str:
        """A symbol, n-gram or utterance as its source has it; blanks in quotes, and a longer one than is kept says so."""
        said = self.separator.join(self.symbols.get(each, str(each)) for each in one.ids)
        more = f" … {one.length - len(one.ids):,} more" if one.length > len(one.ids) else ""
        return (repr(said) if said.isspace() else said) + more


@in_recipes
@depends_on(lambda **_: ())  # on nothing but the corpora, whose ids are what is in them
def statistics_of(
    corpora: Mapping[str, str], workspaces: Sequence[Path], shuffle: Shuffle | None = None, seed: int = 0
) -> dict[str, Statistics]:
    """Return the `statistics` of several corpora, given by their ids and names, by their names; nothing is kept of them."""
    return {name: _found(corpus, workspaces, shuffle, seed)[0] for name, corpus in corpora.items()}


def statistics(corpus_id: str, workspaces: Sequence[Path], shuffle: Shuffle | None = None, seed: int = 0) -> Statistics:
    """Load the statistics of a saved corpus, with `shuffle` of its shuffled version by `seed`; compute them where not kept.

    What is computed is kept in the first workspace; where that cannot be written, it is computed again the next time.
    Raises `CorpusError` where no workspace has the corpus, `StoreError` where its files are damaged.
    """
    computed, new = _found(corpus_id, workspaces, shuffle, seed)
    if new:
        rows, provenance = _pack(computed)
        provenance |= {"statistics_of": corpus_id, "shuffle": shuffle, "seed": seed if shuffle else None, "version": VERSION}
        with suppress(StoreError):
            details.write(workspaces[0], key_of(corpus_id, shuffle, seed), rows, provenance)
    return computed


def _found(corpus_id: str, workspaces: Sequence[Path], shuffle: Shuffle | None, seed: int) -> tuple[Statistics, bool]:
    """Return the statistics, and whether they had to be computed."""
    if (kept := _read(key_of(corpus_id, shuffle, seed), workspaces)) is not None:
        return kept, False
    return compute(emergent_library.load(corpus_id, workspaces), shuffle, seed), True


def are_known(entry: EmergentEntry, workspaces: Sequence[Path]) -> bool:
    """Return whether `statistics` are to be had: the corpus is kept, or its statistics are though only its name is."""
    return not entry.names_only or _read(key_of(entry.id), workspaces) is not None


def key_of(corpus_id: str, shuffle: Shuffle | None = None, seed: int = 0) -> str:
    """Return what the statistics are kept under."""
    provenance = {"experiment": "emergent_statistics", "version": VERSION, "orders": ORDERS, "most": MOST, "corpus": corpus_id}
    return digest(provenance | ({"shuffle": shuffle, "seed": seed} if shuffle else {}))


def compute(corpus: EmergentCorpus, shuffle: Shuffle | None = None, seed: int = 0) -> Statistics:
    """Return the statistics of a corpus in memory."""
    ids, starts = corpus.ids, corpus.starts
    match shuffle:
        case "within":
            ids, starts = reference.shuffled_within(ids, starts, seed)
        case "over":
            ids, starts = reference.shuffled_over(ids, starts, seed)
        case None:
            pass
    numbers = corpus_statistics(ids, starts, ORDERS, MOST)
    ends = positional_entropy(code(ids, starts), from_end=True)
    if corpus.vocabulary is None:
        return Statistics(numbers, ends, {})
    frequent = (each for several in (*numbers.frequent_ngrams, numbers.frequent_utterances) for each in several)
    symbols = {identifier: _shown(corpus.symbol(identifier)) for each in frequent for identifier in each.ids}
    return Statistics(numbers, ends, symbols, "" if corpus.report.symbols == "characters" else " ")


def _shown(symbol: str) -> str:
    return visible(symbol if len(symbol) <= LONGEST else f"{symbol[:LONGEST]}…")


def _pack(packed: Statistics) -> tuple[pa.Table, dict[str, Any]]:
    """Rows by `SCHEMA`, and the single numbers."""
    numbers = packed.corpus
    rows: list[dict[str, Any]] = [
        *_points("ranks", numbers.ranks.ranks, numbers.ranks.counts),
        *_points("curve", numbers.curve.tokens, numbers.curve.types),
        *_points("lengths", numbers.lengths.lengths, numbers.lengths.counts),
    ]
    for part, positions in (("starts", numbers.positions), ("ends", packed.ends)):
        rows += _points(part, range(len(positions.entropy)), positions.utterances, positions.entropy)
    for each in numbers.entropies:
        rows += [
            {"part": "entropies", "at": each.order, "n": each.windows, "value": each.entropy}
            | {"other": float(each.distinct), "conditional": each.conditional}
        ]
    for order, ngrams in enumerate(numbers.frequent_ngrams, start=1):
        rows += [_frequent("ngrams", each) | {"at": order} for each in ngrams]
    rows += [_frequent("utterances", each) for each in numbers.frequent_utterances]
    lengths = {name: getattr(numbers.lengths, name) for name in ("shortest", "longest", "mean", "median", "deviation")}
    single = {name: getattr(numbers, name) for name in ("tokens", "types", "utterances", "distinct_utterances")}
    provenance = {
        "single": single,
        "lengths": lengths,
        "zipf": asdict(numbers.zipf),
        "compression": asdict(numbers.compression),
        "structure": asdict(numbers.structure),
        "warnings": [asdict(each) for each in numbers.warnings],
        "symbols": list(packed.symbols.items()),
        "separator": packed.separator,
    }
    return pa.Table.from_pylist(rows, SCHEMA), provenance


def _points(part: str, at: Iterable[Any], n: Iterable[Any], values: Iterable[Any] | None = None) -> list[dict[str, Any]]:
    places, counts = [int(each) for each in at], [int(each) for each in n]
    numbers = [None] * len(places) if values is None else [float(each) for each in values]
    return [
        {"part": part, "at": place, "n": count, "value": value}
        for place, count, value in zip(places, counts, numbers, strict=True)
    ]


def _frequent(part: str, each: Frequent) -> dict[str, Any]:
    return {"part": part, "n": each.count, "value": each.share, "ids": list(each.ids), "length": each.length}


_KNOWN: ByteCache[Statistics | None] = ByteCache(64 << 20, bytes_of)
"""What was read, by its key and when its file was published: a page asks for hundreds of corpora at each change."""


def _read(key: str, workspaces: Sequence[Path]) -> Statistics | None:
    """Return what is kept, exactly as it was computed; None where nothing is, or its file was damaged and is set aside now."""
    published = details.published([key], workspaces)
    return _KNOWN.get((key, *published), partial(_from_file, key, workspaces)) if published else None


def _from_file(key: str, workspaces: Sequence[Path]) -> Statistics | None:
    provenance, rows = details.provenance(key, workspaces), details.load(key, workspaces)
    if provenance is None or rows is None:
        return None
    parts = {str(name): part for name, part in rows.groupby("part")}
    none = rows.iloc[:0]
    ranks, curve, lengths, entropies = (parts.get(name, none) for name in ("ranks", "curve", "lengths", "entropies"))
    ngrams = parts.get("ngrams", none)
    corpus = CorpusStatistics(
        **provenance["single"],
        lengths=UtteranceLengths(**provenance["lengths"], lengths=_whole(lengths, "at"), counts=_whole(lengths, "n")),
        curve=TypeTokenCurve(_whole(curve, "at"), _whole(curve, "n")),
        entropies=tuple(
            NgramEntropy(int(row["at"]), int(row["n"]), int(row["other"]), float(row["value"]), float(row["conditional"]))
            for row in entropies.to_dict("records")
        ),
        ranks=RankFrequency(_whole(ranks, "at"), _whole(ranks, "n")),
        zipf=ZipfMandelbrot(**provenance["zipf"]),
        frequent_ngrams=tuple(_listed(ngrams[ngrams["at"] == order]) for order in range(1, ORDERS + 1)),
        frequent_utterances=_listed(parts.get("utterances", none)),
        positions=_positions(parts.get("starts", none)),
        compression=Compression(**provenance["compression"]),
        structure=BigramStructure(**provenance["structure"]),
        warnings=tuple(CorpusWarning(**each) for each in provenance["warnings"]),
    )
    return Statistics(corpus, _positions(parts.get("ends", none)), dict(provenance["symbols"]), provenance["separator"])


def _whole(part: pd.DataFrame, column: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    return part[column].to_numpy(np.int64)


def _positions(part: pd.DataFrame) -> PositionalEntropy:
    return PositionalEntropy(part["value"].to_numpy(np.float64), _whole(part, "n"))


def _listed(part: pd.DataFrame) -> tuple[Frequent, ...]:
    return tuple(
        Frequent(tuple(row["ids"].tolist()), int(row["length"]), int(row["n"]), float(row["value"]))
        for row in part.to_dict("records")
    )
