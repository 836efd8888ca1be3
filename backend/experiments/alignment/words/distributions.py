"""Distributions of cosine similarity of paired and of random words, at every layer: figure 5.

Source: Gaschi et al. 2022, figure 5: cosines of words that a dictionary pairs, of words that the model itself aligns, of random
pairs, and of random pairs within a pair of sentences.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from backend.corpora.dictionaries import word_pairs
from backend.corpora.dictionaries.word_pairs import Unique
from backend.corpora.parallel import library as corpora
from backend.errors import SpecError
from backend.experiments.alignment.words import every_word
from backend.experiments.alignment.words.shard import pairs_of, text_of
from backend.experiments.alignment.words.spec import OrderedPair, not_once_and_repeated
from backend.experiments.spec import Cancelled, Context, OneCheckpoint, added
from backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    import torch
    from numpy.typing import NDArray

    from backend.experiments.alignment.words.every_word import Side

Kind = Literal["dictionary", "aligner", "random", "random_within"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SCHEMA = pa.schema(
    [
        ("layer", pa.int32()),
        ("kind", pa.string()),
        ("n", pa.int64()),  # pairs
        ("mean", pa.float64()),  # of their cosines; null without any
        ("counts", pa.list_(pa.int64())),  # pairs in each bin of `metrics.distributions.bin_edges`
        ("overlap_random", pa.float64()),  # `metrics.distributions.overlap`; null for the random kinds and without any
        ("overlap_random_within", pa.float64()),
    ]
)


class WordDistributionsSpec(OneCheckpoint):
    """The four distributions of one checkpoint and pair of languages, every layer."""

    experiment: Literal["word_distributions"] = "word_distributions"
    pair: OrderedPair
    n_pairs: int = Field(default=5000, ge=2)
    """Dictionary pairs, those of run 0 of `word_alignment`. The aligner's are all there are."""
    seed: int = 0
    """Of that run and of the random partners."""
    repeated: bool = False
    """Count every occurrence of a dictionary pair, not only its first."""
    unique: Unique = added("both")
    _once = model_validator(mode="after")(not_once_and_repeated)


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The dictionary pairs that have both vectors."""

    sides: tuple[NDArray[np.float16], NDArray[np.float16]]
    """`[pairs, layers + 1, dims]` of each language."""
    sentences: NDArray[np.int64]
    """`[pairs]`."""


def load(spec: WordDistributionsSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return one row per layer and kind (`SCHEMA`), or None where they are not computed."""
    return details.load(spec.id, workspaces)


def compute(spec: WordDistributionsSpec, shard: str, context: Context) -> None:
    """Compare the words of one checkpoint at every layer and publish the distributions.

    The random pairs are the dictionary's words, each with another pair's translation; those within a sentence pair with that of
    another pair of the same sentences, where there is one. Words without vectors are left out everywhere.
    Raises `SpecError` where fewer than two dictionary pairs have vectors.
    """
    from backend.metrics.retrieval.similarity import random_partners, random_partners_within

    if load(spec, context.workspaces) is not None:
        return
    aligned, chosen = _gather(spec, context)
    n = len(chosen.sentences)
    if n < 2:
        raise SpecError(
            f"Fewer than two word pairs of {spec.pair.source} and {spec.pair.target} have vectors here, so there is nothing to "
            "compare. Choose a larger dictionary or corpus."
        )
    every, partners = np.arange(n), random_partners(n, spec.seed)
    items, partners_within = random_partners_within(chosen.sentences, spec.seed)
    rows: list[dict[str, Any]] = []
    for layer, aligner in aligned.items():
        context.step(f"comparing pairs, layer {layer}", 0.9)
        found: dict[Kind, NDArray[np.float64]] = {
            "dictionary": _cosines(chosen, layer, every, every, context),
            "aligner": aligner,
            "random": _cosines(chosen, layer, every, partners, context),
            "random_within": _cosines(chosen, layer, items, partners_within, context),
        }
        rows += _rows(layer, found)
    details.write(context.workspace, spec.id, pa.Table.from_pylist(rows, SCHEMA), {"shard": shard})


def _gather(spec: WordDistributionsSpec, context: Context) -> tuple[dict[int, NDArray[np.float64]], _Chosen]:
    """Layer → the cosines of the aligner's links; and the vectors of the dictionary's pairs. One pass gives both."""
    corpus = corpora.load(spec.corpus, context.workspaces)
    pairs = pairs_of(spec.corpus, spec.pair, spec.repeated, tuple(context.workspaces), spec.unique)
    drawn = word_pairs.sample(pairs, spec.n_pairs, seed=spec.seed, runs=1).runs[0]
    table = pairs.table.take(pa.array(drawn))
    shared, _ = corpus.align([spec.pair.source, spec.pair.target])
    texts = [text_of(corpus, spec.corpus, spec.checkpoint, tag) for tag in (spec.pair.source, spec.pair.target)]
    number = {sentence: i for i, sentence in enumerate(shared)}
    sentences = np.array([number[each] for each in table["sentence_id"].to_pylist()], np.int64)
    places = [
        list(zip(sentences.tolist(), table[f"{side}_start"].to_pylist(), table[f"{side}_end"].to_pylist(), strict=True))
        for side in ("source", "target")
    ]
    aligned: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    vectors: tuple[list[NDArray[np.float16]], list[NDArray[np.float16]]] = ([], [])
    kept: list[NDArray[np.int64]] = []
    for part in every_word.parts(texts, shared, context):
        rows = np.stack([_rows_of(side, wanted) for side, wanted in zip(part, places, strict=True)])
        there = np.flatnonzero((rows >= 0).all(axis=0))
        kept.append(there)
        for side, found, of_pairs in zip(part, vectors, rows, strict=True):
            found.append(side.vectors[of_pairs[there]])
        for layer in range(part[0].vectors.shape[1]):
            aligned[layer].append(_aligner(part, layer, context))
    sides = np.concatenate(vectors[0]), np.concatenate(vectors[1])
    chosen = _Chosen(sides, sentences[np.concatenate(kept)])
    return {layer: np.concatenate(found) for layer, found in aligned.items()}, chosen


def _rows_of(side: Side, wanted: Sequence[tuple[int, int, int]]) -> NDArray[np.int64]:
    """The row of each word at `wanted` (sentence, start, end); -1 where the part does not have it or it has no vector."""
    places = np.column_stack([side.sentences, side.spans])[~side.lost]
    row_of = dict(zip(map(tuple, places.tolist()), np.flatnonzero(~side.lost).tolist(), strict=True))
    return np.array([row_of.get(place, -1) for place in wanted], np.int64)


def _aligner(part: Sequence[Side], layer: int, context: Context) -> NDArray[np.float64]:
    """Return the cosines of the words of a part that are each other's nearest in their sentences."""
    from backend.metrics.abx.counting import Stopped
    from backend.metrics.retrieval.mutual_links import mutual_links

    words = [np.flatnonzero(~side.lost) for side in part]
    u, v = (_tensor(side.vectors[rows, layer], context) for side, rows in zip(part, words, strict=True))
    groups = [side.sentences[rows] for side, rows in zip(part, words, strict=True)]
    try:
        return mutual_links(u, v, groups[0], groups[1], context.should_stop).cosines
    except Stopped as error:
        raise Cancelled from error


def _cosines(
    chosen: _Chosen, layer: int, rows: NDArray[np.int64], others: NDArray[np.int64], context: Context
) -> NDArray[np.float64]:
    from backend.metrics.retrieval.similarity import pair_cosines

    if not len(rows):
        return np.empty(0)
    u, v = (_tensor(side[of, layer], context) for side, of in zip(chosen.sides, (rows, others), strict=True))
    found: NDArray[np.float64] = pair_cosines(u, v).numpy()
    return found


def _tensor(vectors: NDArray[np.float16], context: Context) -> torch.Tensor:
    import torch

    from backend.models.device import choose_device

    return torch.from_numpy(vectors).to(choose_device(context.settings.device))


def _rows(layer: int, found: dict[Kind, NDArray[np.float64]]) -> list[dict[str, Any]]:
    from backend.metrics.retrieval.distributions import histogram, overlap

    rows = []
    for kind in KINDS:
        cosines = found[kind]
        row = {
            "layer": layer,
            "kind": kind,
            "n": len(cosines),
            "mean": float(cosines.mean()) if len(cosines) else None,
            "counts": histogram(cosines).tolist(),
        }
        if kind in ("dictionary", "aligner") and len(cosines):
            others = {name: found[name] for name in ("random", "random_within") if len(found[name])}
            row |= {f"overlap_{name}": overlap(cosines, other) for name, other in others.items()}
        rows.append(row)
    return rows
