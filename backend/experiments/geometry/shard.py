"""Geometry of sentence vectors: from a spec to rows. One shard is one checkpoint, every layer, every pair and language.

It is computed in one pass with exact ABX, whose scores are filed with it where they are not there yet. Imports no torch until
a shard is computed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import abx_beside, checkpoint_scores, language_pairs
from isogloss.backend.experiments.abx_beside import AbxSpec
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.geometry import sentences
from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.experiments.language_out import LANGUAGE_OUT, RANK
from isogloss.backend.experiments.spec import Context, OnCorpus, cancelling, several
from isogloss.backend.experiments.vectors import embeddings, soundness
from isogloss.backend.files import added
from isogloss.backend.metrics.geometry.intervals import ends
from isogloss.backend.metrics.geometry.options import Removal
from isogloss.backend.models.entry import SENTENCE_VECTOR, Checkpoint, Pooling, Prefix, said_prefix
from isogloss.backend.option import Option, variant_of
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings
    from isogloss.backend.metrics.geometry.measured import Measured

FAMILY = "geometry"
"""What its scores are filed under."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""


class GeometrySpec(OnCorpus):
    """How the vectors of translated sentences lie to each other, in some checkpoints of one model on one corpus."""

    experiment: Literal["geometry"] = "geometry"
    languages: Annotated[tuple[str, ...], several("geometry")]
    """BCP-47 tags, at least two. Sentences that some of them lack are left out for all."""
    sentences: Annotated[
        int | None, Option("Use the first so many sentences", "Sentences", variant="first {} sentences", key="sentences")
    ] = Field(default=None, ge=2)
    pooling: Annotated[Pooling, SENTENCE_VECTOR] = "mean"
    k: Annotated[
        int,
        Option(
            "Nearest neighbours of mutual neighbours and of hubness",
            "Nearest neighbours",
            told="{} nearest neighbours",
            variant="{} neighbours",
            key="near",
        ),
    ] = Field(default=10, ge=1, le=1000)
    pairs: tuple[Pair, ...] | None = added(None, min_length=1)
    """Compute these pairs of `languages` alone, in alphabetical order; None for all."""
    prefix: Prefix = ""
    removed: Annotated[Removal, LANGUAGE_OUT] = "nothing"
    rank: Annotated[int, RANK] = Field(default=1, ge=1, le=100)
    per_sentence: Annotated[
        bool,
        Option(
            "Also keep what each sentence does to a language's measures: Compare's paired intervals",
            told="what each sentence does kept",
        ),
    ] = added(False)

    @field_validator("pairs")
    @classmethod
    def _sorted_pairs(cls, pairs: tuple[Pair, ...] | None, info: ValidationInfo) -> tuple[Pair, ...] | None:
        return language_pairs.in_order(pairs, info.data.get("languages", ()))

    @cached_property
    def abx(self) -> AbxSpec:
        """The spec of the ABX scores that come of the same pass."""
        return abx_beside.spec_of(self)

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        return "/".join([*variant_of(self, "pooling", "k", "sentences", "removed", "rank"), *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        more: dict[str, Any] = {} if self.pairs is None else {"pairs": [list(pair) for pair in self.pairs]}
        if self.per_sentence:
            more["per_sentence"] = True
        of = FAMILY, VERSION, checkpoint.fingerprint, self.corpus
        return checkpoint_scores.provenance(*of, languages=list(self.languages), variant=self.variant, **more)


def covering(spec: GeometrySpec, checkpoint: Checkpoint, have: Iterable[scores.ShardFile]) -> scores.ShardFile | None:
    """Return a file with every pair asked for on the very same sentences, or None."""
    provenance = spec.provenance(checkpoint)
    provenance.pop("pairs", None)
    provenance.pop("per_sentence", None)  # scores are in files without it
    alike = (file for file in have if checkpoint_scores.same(file, provenance, "languages"))
    return next((file for file in alike if abx_beside.has_pairs(file, spec.abx)), None)


def compute(spec: GeometrySpec, shard: str, context: Context) -> None:
    """Compute one shard and publish its scores, and those of ABX that are lacking; nothing where its own are there.

    What each sentence does, where that is asked for, is a file beside that of the scores.
    """
    checkpoint, ways = spec.shards()[shard], spec.abx
    scored = covering(spec, checkpoint, scores.shards(context.workspaces, FAMILY)) is not None
    if scored and (not spec.per_sentence or sentences.there(shard, context.workspaces)):
        return
    started = time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    ids, texts = corpus.align(spec.languages, spec.sentences)
    texts = {tag: texts[tag] for tag in ways.encoded}
    encoded = embeddings.of_corpus(checkpoint, spec.corpus, ids, texts, [spec.pooling], context, spec.prefix)
    encoding = time.perf_counter() - started
    measured = _measure(spec, encoded, len(ids), context)
    how = abx_beside.how(encoded, corpus, len(ids), len(ways.encoded), (started, encoding))
    if spec.per_sentence:
        said = {**spec.provenance(checkpoint), **how, "label": checkpoint.label}
        sentences.write(context.workspace, shard, measured.each, ways.encoded, said)
    sound = soundness.rows(encoded, context)
    if not scored:
        _publish(spec, checkpoint, measured.rows, how, sound, context)
    abx_beside.publish_lacking(ways, checkpoint, measured.of_abx, how, sound, context)
    abx_beside.controls(ways, checkpoint, corpus, texts, encoded, context)


@dataclass
class _Rows:
    """What the layers gave."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    of_abx: list[dict[str, Any]] = field(default_factory=list)
    each: list[dict[str, Any]] = field(default_factory=list)
    """What each sentence does, where that is asked for."""


def _measure(spec: GeometrySpec, encoded: CorpusEmbeddings, n: int, context: Context) -> _Rows:
    """Return the rows of all layers."""
    from isogloss.backend.metrics.geometry.layer import geometry

    ways, found = spec.abx, _Rows()
    number = {tag: position for position, tag in enumerate(ways.encoded)}
    pairs = [(number[one], number[other]) for one, other in ways.scored]
    named = [(tag, tag) for tag in ways.encoded]
    for layer in range(encoded.layers):
        context.step(f"measuring layer {layer}", 0.5 + 0.5 * layer / encoded.layers)
        vectors = abx_beside.layer(encoded, layer, ways, context, true_length=True)
        with cancelling():
            of = geometry(vectors, pairs=pairs, k=spec.k, per_sentence=spec.per_sentence, should_stop=context.should_stop)
        for things, measured in ((ways.scored, of.of_pairs), (named, of.of_languages)):
            for metric, each in measured.items():
                found.rows += _rows(metric, layer, things, each, n)
        found.of_abx += abx_beside.rows(ways, layer, n, of.abx, {})
        found.each += sentences.rows(layer, of.away) if spec.per_sentence else []
    return found


def _publish(
    spec: GeometrySpec,
    checkpoint: Checkpoint,
    rows: list[dict[str, Any]],
    how: dict[str, Any],
    sound: soundness.Rows,
    context: Context,
) -> None:
    """Write the scores of one checkpoint and `how` they were computed, and beside them what rules the vectors."""
    plain, own = checkpoint_scores.plain(spec, checkpoint)
    if spec.removed == "nothing":  # they are of the vectors as they are
        rows = rows + soundness.scored(sound, spec.pooling, how["sentences"])
    metrics = {"metrics": list(dict.fromkeys(row["metric"] for row in rows))}
    provenance = plain.provenance(checkpoint) | how | metrics | {"asked": checkpoint_scores.non_default_options(plain)}
    soundness.write(context, own, sound, provenance)
    checkpoint_scores.write(context, own, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def _rows(metric: str, layer: int, things: Iterable[Pair], found: Measured, n: int) -> list[dict[str, Any]]:
    """Return a row a pair, or a language as a pair with itself: value and 95% interval, nan where undefined.

    To float32's digits: parts of them were computed in no more, and files are half as large.
    """
    exact = found.value.numpy()
    numbers = (exact, *ends(KINDS[metric].scale, exact, found.error.numpy(), n))
    values, low, high = (each.astype(np.float32).astype(float).tolist() for each in numbers)
    return [
        {"metric": metric, "layer": layer, "source": source, "target": target, "n": n}
        | {"value": value, "low": least, "high": most}
        for (source, target), value, least, most in zip(things, values, low, high, strict=True)
    ]
