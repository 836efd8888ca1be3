"""Whether the vectors behind scores are ruled by a first token or by few dimensions: measured in their pass, kept beside them.

One file of details a file of scores: a row a pooling, layer and language. Scores of before have none: nothing is said of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.files import digest
from isogloss.backend.store import details, quarantine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings
    from isogloss.backend.models.entry import Pooling

Rows = list[dict[str, Any]]
SCORES = {"sink_ratio": "sink", "first_token_share": "first_share", "top_dimensions_share": "top_share"}
"""Metric → column of what is a measure of geometry as well."""
NUMBERS = ("sink", "first_share", "cosine", "top_share", "pieces")
SCHEMA = pa.schema(
    [
        ("pooling", pa.string()),
        ("layer", pa.int16()),
        ("language", pa.string()),
        ("sink", pa.float32()),  # median over sentences of ‖h₁‖ / median over t of ‖hₜ‖; null of vectors of before
        ("first_share", pa.float32()),  # median over sentences of w₁‖h₁‖ / Σ wₜ‖hₜ‖, w the pooling's weights
        ("cosine", pa.float32()),  # mean of two different sentences
        ("top_share", pa.float32()),  # of the three dimensions with most in that cosine
        ("pieces", pa.float32()),  # mean tokens of a sentence, special ones not counted
    ]
)
LONG, RULING = 10.0, 0.5
"""Times as long as the median token, and part of what is summed, from which on a first token rules the sum: our choice."""
NARROW, CARRIED = 0.9, 0.75
"""Mean cosine, and part of it, from which on few dimensions rule. Our choice: Timkey & van Schijndel 2021 find 76 to 99%."""


@dataclass(frozen=True)
class Ruled:
    """What rules the vectors of some scores, over layers and languages; empty where nothing does."""

    by_first: tuple[int, ...] = ()
    """Layers where the first token rules those of some language."""
    by_few: tuple[int, ...] = ()
    """Layers where three dimensions rule those of some language, and no first token does."""
    times: float = math.nan
    """How many times as long as the median token the first one is at most, where it rules."""
    carried: float = math.nan
    """What part of the cosine the three dimensions give at most, where they rule."""


def rows(encoded: CorpusEmbeddings, context: Context) -> Rows:
    """Return the rows of all vectors that were encoded or read: every pooling, layer and language.

    Beside the columns of `SCHEMA`, `ends` has the 95% intervals of those that are scores too (`SCORES`).
    """
    from isogloss.backend.metrics.intervals import median_interval
    from isogloss.backend.metrics.soundness import cosine_and_top_share

    found: Rows = []
    for pooling, languages in encoded.of.items():
        for language, vectors in languages.items():
            pieces = None if vectors.pieces is None else float(vectors.pieces.mean())
            medians = {
                name: (np.median(each, axis=0), *median_interval(each))  # of all layers at once
                for name, each in (("sink", vectors.sinks), ("first_share", vectors.first_shares))
                if each is not None
            }
            for layer in range(encoded.layers):
                (of_layer,) = encoded.layer(layer, pooling, [language], context.settings)
                cosine, top_share, error = cosine_and_top_share(of_layer)
                told: dict[str, Any] = {"pooling": pooling, "layer": layer, "language": language}
                told |= {"sink": None, "first_share": None}
                ends = {"top_share": (top_share - 1.96 * error, top_share + 1.96 * error)}
                told |= {"cosine": cosine, "top_share": top_share, "ends": ends}
                for name, (median, low, high) in medians.items():
                    told[name], ends[name] = float(median[layer]), (float(low[layer]), float(high[layer]))
                found.append(told | {"pieces": pieces})
    return found


def scored(found: Rows, pooling: Pooling, n: int) -> Rows:
    """Return what the rows of a pooling say as scores of languages, over `n` sentences: a metric of `SCORES` each."""
    return [
        {"metric": metric, "layer": row["layer"], "source": row["language"], "target": row["language"], "n": n}
        | dict(zip(("value", "low", "high"), (row[name], *row["ends"][name]), strict=True))
        for metric, name in SCORES.items()
        for row in found
        if row["pooling"] == pooling and row[name] is not None
    ]


def write(context: Context, run: str, found: Rows, provenance: Mapping[str, Any]) -> None:
    """Keep the rows beside the scores of `run`. Raises `StoreError` where they cannot be written."""
    said = {name: provenance[name] for name in ("experiment", "fingerprint", "corpus") if name in provenance}
    details.write(context.workspace, key_of(run), pa.Table.from_pylist(found, SCHEMA), {"run": run, **said})


def key_of(run: str) -> str:
    """Return the name of the file beside the scores of `run`."""
    return digest(["soundness", run])


def ruled(
    runs: Iterable[str],
    pooling: Pooling,
    workspaces: Sequence[Path],
    *,
    layers: Iterable[int],
    languages: Iterable[str],
) -> Ruled:
    """Return what rules the vectors in a `pooling` behind these scores, at these layers and of these languages."""
    wanted, among = set(layers), set(languages)
    first, few, times, carried = set(), set(), [], []
    for path, modified in details.published(map(key_of, runs), workspaces):
        for layer, language, sink, first_share, cosine, top_share in _kept(path, modified).get(pooling, ()):
            if layer not in wanted or language not in among:
                continue
            if sink >= LONG and first_share > RULING:
                first.add(layer)
                times.append(sink)
            elif cosine >= NARROW and top_share >= CARRIED:
                few.add(layer)
                carried.append(top_share)
    only = tuple(sorted(few - first))
    return Ruled(tuple(sorted(first)), only, max(times, default=math.nan), max(carried, default=math.nan) if only else math.nan)


@lru_cache(maxsize=1000)
def _kept(path: str, _modified: int) -> Mapping[str, list[tuple[Any, ...]]]:
    """Return pooling → (layer, language, sink, first_share, cosine, top_share) of a file; nothing of a damaged one."""
    if (whole := quarantine.read(Path(path).parents[1], Path(path))) is None:
        return {}
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in whole[0].to_pylist():
        numbers = (math.nan if row[name] is None else row[name] for name in NUMBERS[:4])
        found.setdefault(row["pooling"], []).append((row["layer"], row["language"], *numbers))
    return found
