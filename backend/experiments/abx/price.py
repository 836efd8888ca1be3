"""What ABX will cost before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.experiments import kept_vectors
from backend.experiments.abx.shard import FAMILY
from backend.experiments.estimate import Encoding, Estimate, encoding_of, estimate_of_shards

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from backend.experiments.abx.confusions import ConfusionsSpec
    from backend.experiments.abx.shard import AbxSpec
    from backend.experiments.speed import Speed

COMPARING_DIMS = 400
"""Comparing all triplets takes as long as this many more dimensions in the products."""
SAMPLED_FLOPS = 7000.0
"""A sampled triplet gathers three vectors from memory: as long as this many operations of a product, for each dimension."""


def abx(spec: AbxSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for every checkpoint of `spec`; None where no worker has measured its speed."""
    found = encoding_of(
        spec.checkpoints[0],
        spec.corpus,
        spec.encoded,
        speed,
        workspaces,
        model=spec.model,
        family=FAMILY,
        sentences=spec.sentences,
    )
    if found is None:
        return None
    sentences = kept_vectors.shared(spec.corpus, spec.languages, spec.sentences, workspaces)
    needed = kept_vectors.poolings(spec.encoded, [spec.pooling])
    found = kept_vectors.without_kept(found, spec.checkpoints, spec.corpus, sentences, needed, spec.prefix, workspaces)
    drawn = spec.n_triplets * spec.subsamples * (2 if spec.baseline else 1)  # the control is as many triplets again
    n_triplets = drawn if spec.protocol == "sampled" else None
    pairs = None if spec.pairs is None else len(spec.pairs)
    return discrimination(found, len(spec.checkpoints), n_triplets=n_triplets, pairs=pairs)


def confusions(spec: ConfusionsSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for the triplets of one pair; its cell has scores, so its vectors were kept, and mostly are."""
    pair = (spec.source, spec.target)
    found = encoding_of(spec.checkpoint, spec.corpus, pair, speed, workspaces, family=FAMILY, sentences=spec.sentences)
    if found is None:
        return None
    sentences = kept_vectors.shared(spec.corpus, sorted({*spec.languages, *pair}), spec.sentences, workspaces)
    needed = kept_vectors.poolings(pair, [spec.pooling])
    found = kept_vectors.without_kept(found, [spec.checkpoint], spec.corpus, sentences, needed, spec.prefix, workspaces)
    return discrimination(found, 1)


def discrimination(
    encoding: Encoding, shards: int, *, n_triplets: int | None = None, pairs: int | None = None, kept: bool = False
) -> Estimate:
    """Seconds for `shards` checkpoints. `n_triplets` of a pair is for the sampled protocol; None counts all.

    `pairs` are as many as are compared, None for all; `kept` says that the vectors are there already.
    """
    return estimate_of_shards(encoding, shards, _scoring_seconds(encoding, n_triplets, pairs), kept=kept)


def _scoring_seconds(encoding: Encoding, n_triplets: int | None, pairs: int | None) -> float:
    """Seconds to score every layer and the pairs of languages."""
    model, languages = encoding.model, encoding.languages
    compared = languages * (languages - 1) / 2 if pairs is None else pairs
    if n_triplets is not None:
        gathered = (model.layers + 1) * compared * n_triplets * model.dims * SAMPLED_FLOPS
        return gathered / encoding.speed.scoring_flops
    blocks = compared + languages  # each serves both directions; a language's own serves all its pairs
    compared_exactly = (model.layers + 1) * blocks * encoding.sentences**2 * 2.0 * (model.dims + COMPARING_DIMS)
    return compared_exactly / encoding.speed.float64_flops
