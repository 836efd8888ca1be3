"""How much work a shard of ABX is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments.pricing.estimate import Work, compared, corpus_of, model_of, scored
from isogloss.backend.experiments.vectors import kept_vectors

if TYPE_CHECKING:
    from isogloss.backend.experiments.abx.confusions import ConfusionsSpec
    from isogloss.backend.experiments.abx.controls import AbxControlsSpec
    from isogloss.backend.experiments.abx.shard import AbxSpec
    from isogloss.backend.experiments.family import Place


def abx(spec: AbxSpec, shard: str, place: Place) -> Work | None:
    """Return the texts to encode; where all are kept, the triplets to compare: those drawn, or every one of every pair."""
    checkpoint = spec.shards()[shard]
    model, corpus = model_of(checkpoint, spec.model, place.workspaces), corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    drawn = spec.n_triplets * spec.subsamples * (1 + spec.baseline)  # the control is as many triplets again
    sentences = min(corpus.sentences, spec.sentences or corpus.sentences)
    triplets = drawn if spec.protocol == "sampled" else compared(sentences)
    return kept_vectors.work(
        checkpoint,
        model,
        corpus,
        kept_vectors.common_digests(spec.corpus, spec.languages, spec.sentences, place.workspaces),
        kept_vectors.poolings(spec.encoded, [spec.pooling]),
        place,
        prefix=spec.prefix,
        limit=spec.sentences,
        scoring=scored(model) * len(spec.scored) * triplets,
        options=(spec.protocol, spec.variant),
    )


def controls(spec: AbxControlsSpec, shard: str, place: Place) -> Work | None:
    """Return the triplets of a bag of bytes: what all else takes is little beside them."""
    model, corpus = model_of(spec.shards()[shard], spec.model, place.workspaces), corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    sentences = min(corpus.sentences, spec.sentences or corpus.sentences)
    return Work(len(spec.scored) * compared(sentences), ("texts", model.name, corpus.id))


def confusions(spec: ConfusionsSpec, _shard: str, place: Place) -> Work | None:
    """Return the work of one pair at one layer; its cell has scores, so its vectors were kept, and mostly are."""
    model, corpus = model_of(spec.checkpoint, None, place.workspaces), corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    pair = spec.source, spec.target
    sentences = min(corpus.sentences, spec.sentences or corpus.sentences)
    return kept_vectors.work(
        spec.checkpoint,
        model,
        corpus,
        kept_vectors.common_digests(spec.corpus, sorted({*spec.languages, *pair}), spec.sentences, place.workspaces),
        kept_vectors.poolings(pair, [spec.pooling]),
        place,
        prefix=spec.prefix,
        limit=spec.sentences,
        scoring=model.dims * compared(sentences),
        options=("triplets",),
    )
