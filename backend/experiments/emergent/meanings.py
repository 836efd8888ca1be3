"""How the utterances of a kept corpus mirror their meanings, where these are kept too: computed once, then read. No torch.

Takes 1 to 10 seconds of a sample. Kept as details, keyed by what is in the corpus, its meanings, and the distances.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

import pandas as pd
import pyarrow as pa

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.errors import StoreError
from isogloss.backend.files import digest
from isogloss.backend.metrics.corpus.compositionality import (
    Distance,
    Measured,
    Paired,
    disentangled,
    sample,
    topographic,
    undefined,
)
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.corpora.emergent.library import EmergentEntry

VERSION = 1
"""Raised when a measure changes: older files then no longer serve."""
Measure = Literal["topographic_similarity", "posdis", "bosdis"]
MEASURES: dict[Measure, str] = {
    "topographic_similarity": "Topographic similarity",
    "posdis": "Positional disentanglement",
    "bosdis": "Bag-of-symbols disentanglement",
}
DISTANCES: dict[Distance, str] = {"hamming": "Attributes that differ", "euclidean": "Euclidean", "cosine": "Cosine"}
SCHEMA = pa.schema(
    [
        ("measure", pa.string()),
        *((name, pa.float64()) for name in ("value", "low", "high", "chance", "p")),
        ("n", pa.int64()),
    ]
)
COLUMNS = ["corpus", *SCHEMA.names]


def _state(corpora: Mapping[str, str], workspaces: Sequence[Path], **_: object) -> tuple[str | None, ...]:
    """Return which meanings the corpora have: these may come later than the utterances."""
    known = _entries(workspaces)
    return tuple(known[corpus].meanings_id if corpus in known else None for corpus in corpora.values())


@in_recipes
@depends_on(_state)
def measures_of(
    corpora: Mapping[str, str], workspaces: Sequence[Path], distance: Distance = "hamming", *, normalised: bool = False
) -> pd.DataFrame:
    """Return a row a corpus with meanings and measure: corpus, measure, value, low, high, chance, p, n.

    Corpora are given by their ids and names. `value` and its 95% interval are nan where a measure is not defined; `chance` is
    what meanings in a random order give on average, p how often they give as much, `n` how many utterances were compared.
    Nothing is kept of what is computed here.
    """
    known = _entries(workspaces)
    parts = [
        _found(known[corpus], workspaces, distance, normalised=normalised)[0].assign(corpus=name)
        for name, corpus in corpora.items()
        if corpus in known and known[corpus].meanings_id is not None
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def measure(
    entry: EmergentEntry, workspaces: Sequence[Path], distance: Distance = "hamming", *, normalised: bool = False
) -> None:
    """Compute the measures of a corpus that has meanings, and keep them in the first workspace, where they are not kept.

    Raises `CorpusError` where no workspace has the corpus, `StoreError` where its files are damaged.
    """
    rows, new = _found(entry, workspaces, distance, normalised=normalised)
    if new:
        told = {"measures_of": entry.id, "meanings": entry.meanings_id, "version": VERSION}
        table = pa.Table.from_pandas(rows, SCHEMA, preserve_index=False)
        with suppress(StoreError):
            details.write(workspaces[0], key_of(entry, distance, normalised=normalised), table, told)


def key_of(entry: EmergentEntry, distance: Distance = "hamming", *, normalised: bool = False) -> str:
    """Return what the measures are kept under."""
    options = {"distance": distance, "normalised": normalised}
    content = {"corpus": entry.id, "meanings": entry.meanings_id}
    return digest({"experiment": "emergent_meanings", "version": VERSION} | content | options)


def compute(corpus: EmergentCorpus, distance: Distance = "hamming", *, normalised: bool = False) -> dict[Measure, Measured]:
    """Return the measures of a corpus in memory that has meanings: each nan where it is not defined."""
    if corpus.meanings is None:
        raise ValueError("The corpus has no meanings.")
    whole = Paired(corpus.ids.astype("int64"), corpus.starts, corpus.meanings.codes(), corpus.meanings.numbers())
    paired = sample(whole, seed=0)
    no_numbers = distance != "hamming" and paired.numbers is None
    return {
        "topographic_similarity": (
            undefined(len(paired)) if no_numbers else topographic(paired, distance, normalised=normalised)
        ),
        "posdis": disentangled(paired, "positions"),
        "bosdis": disentangled(paired, "symbols"),
    }


def _found(
    entry: EmergentEntry, workspaces: Sequence[Path], distance: Distance, *, normalised: bool
) -> tuple[pd.DataFrame, bool]:
    """Return the measures, a row each, and whether they had to be computed."""
    kept = details.load(key_of(entry, distance, normalised=normalised), workspaces)
    if kept is not None:
        return kept, False
    found = compute(emergent_library.load(entry.id, workspaces), distance, normalised=normalised)
    return pd.DataFrame([{"measure": name} | asdict(each) for name, each in found.items()])[SCHEMA.names], True


def _entries(workspaces: Sequence[Path]) -> dict[str, EmergentEntry]:
    return {entry.id: entry for entry in emergent_library.entries(workspaces)}
