"""How near translations lie to each other, by mean-pooled sentence vectors: what transfer directions are ranked by beside IGap.

One shard is one checkpoint, every layer and pair of languages. Imports neither torch nor transformers until one is computed.
Source: Chi, Huang & Mao 2023, tables 1 and 5.
"""

from __future__ import annotations

import time
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.spec import Context, OnCorpus, cancelling, several
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.models.entry import Checkpoint, Prefix, said_prefix
from isogloss.backend.option import Option, variant_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings

FAMILY = "similarity"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""
Measure = Literal["vectors_l2", "vectors_dot", "vectors_cosine", "vectors_top1"]
"""Means over translations of the Euclidean distance (lower = nearer), the dot product and the cosine of their vectors; and how
often a sentence's nearest by cosine is its translation, mean of both directions. Symmetric: source < target."""


class LanguageSimilaritySpec(OnCorpus):
    """Similarity of the languages of a parallel corpus in some checkpoints of one model.

    As in table 1 of Chi et al. 2023 by default.
    """

    experiment: Literal["language_similarity"] = "language_similarity"
    languages: Annotated[tuple[str, ...], several("similarity")]
    """BCP-47 tags, at least two; every pair of them is scored, on the sentences that both have."""
    sentences: Annotated[
        int | None,
        Option("Use the first so many sentences of those that a pair has in common", variant="first {} sentences"),
    ] = Field(default=None, ge=2)
    prefix: Prefix = ""

    @property
    def pairs(self) -> list[Pair]:
        """List the pairs of languages, each once, in the order of `languages`."""
        return list(combinations(self.languages, 2))

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        return "/".join(["mean", *variant_of(self, "sentences"), *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        of, pairs = (FAMILY, VERSION, checkpoint.fingerprint, self.corpus), [list(pair) for pair in self.pairs]
        return checkpoint_scores.provenance(*of, variant=self.variant, pairs=pairs)


def compute(spec: LanguageSimilaritySpec, shard: str, context: Context) -> None:
    """Compute and publish the scores of one shard's pairs, but for those that other files have: they would be listed twice."""
    checkpoint, missing, provenance, shard = checkpoint_scores.lacking_pairs(spec, spec.pairs, shard, context.workspaces)
    if not missing:
        return
    started = time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    shared, encoded = _encode(spec, checkpoint, corpus, missing, context)
    encoding = time.perf_counter() - started
    rows: list[dict[str, Any]] = []
    for place, (pair, places) in enumerate(shared.items()):
        assert encoded is not None  # a pair was found
        for layer in range(encoded.layers):
            context.step(f"scoring {pair[0]}-{pair[1]}, layer {layer}", 0.5 + 0.5 * place / len(shared))
            u, v = (_vectors(encoded, layer, tag, places[tag], context) for tag in pair)
            at = {"layer": layer, "source": pair[0], "target": pair[1], "n": len(u)}
            rows += [row | at for row in _scores(u, v, context)]
    provenance |= {"seconds_encoding": round(encoding, 3)}
    if encoded is not None:
        made = {name: getattr(encoded, name) for name in ("truncated", "texts", "tokens", "device", "precision")}
        provenance |= made | {"seconds": round(time.perf_counter() - started, 3)}
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def _encode(
    spec: LanguageSimilaritySpec,
    checkpoint: Checkpoint,
    corpus: ParallelCorpus,
    pairs: Sequence[Pair],
    context: Context,
) -> tuple[dict[Pair, dict[str, list[int]]], CorpusEmbeddings | None]:
    """Return each pair's common sentences, as rows of both languages' vectors, and the vectors.

    A pair with fewer than two common sentences is left out, and sentences that no pair needs are not encoded.
    """
    texts: dict[str, dict[str, str]] = {}
    for tag in sorted({tag for pair in pairs for tag in pair}):
        ids, found = corpus.align([tag])
        texts[tag] = dict(zip(ids, found[tag], strict=True))
    common = {pair: [i for i in texts[pair[0]] if i in texts[pair[1]]][: spec.sentences] for pair in pairs}
    common = {pair: ids for pair, ids in common.items() if len(ids) > 1}
    needed: dict[str, set[str]] = {}
    for pair, ids in common.items():
        for tag in pair:
            needed.setdefault(tag, set()).update(ids)
    chosen = {tag: {i: text for i, text in texts[tag].items() if i in wanted} for tag, wanted in needed.items()}
    number = {tag: {sentence: row for row, sentence in enumerate(found)} for tag, found in chosen.items()}
    encoded = embeddings.of_languages(checkpoint, spec.corpus, chosen, ["mean"], context, spec.prefix) if chosen else None
    return {pair: {tag: [number[tag][i] for i in ids] for tag in pair} for pair, ids in common.items()}, encoded


def _vectors(encoded: CorpusEmbeddings, layer: int, tag: str, rows: Sequence[int], context: Context) -> Tensor:
    """Return some sentences at one layer in float64, `[sentences, dims]`, at their true length: distances need it."""
    import torch

    kept = encoded.layer(layer, "mean", [tag], context.settings)[0]
    exponents = torch.from_numpy(encoded.of["mean"][tag].exponents[:, layer].astype(np.float64)).to(kept.device)
    return torch.ldexp(kept.double(), exponents[:, None])[list(rows)]


def _scores(u: Tensor, v: Tensor, context: Context) -> list[dict[str, Any]]:
    """Return the four measures of one pair at one layer: Student's interval over the sentences, Wilson's for retrieval."""
    from isogloss.backend.metrics.intervals import mean_of_runs, wilson_interval
    from isogloss.backend.metrics.retrieval import accuracy as retrieval
    from isogloss.backend.metrics.retrieval.similarity import pair_cosines, pair_distances, pair_products

    rows = []
    means: list[tuple[Measure, Tensor]] = [
        ("vectors_l2", pair_distances(u, v)),
        ("vectors_dot", pair_products(u, v)),
        ("vectors_cosine", pair_cosines(u, v)),
    ]
    for metric, values in means:
        found = mean_of_runs(values.numpy())
        rows.append({"metric": metric, "value": float(found.value), "low": float(found.low), "high": float(found.high)})
    with cancelling():
        there, back = (
            retrieval.weak_accuracy(*ends, similarity="cosine", should_stop=context.should_stop) for ends in ((u, v), (v, u))
        )
    top1 = (there + back) / 2
    # Both directions ask about the same sentences: n of them, not twice that.
    low, high = map(float, wilson_interval(np.array(top1), np.array(len(u))))
    return [*rows, {"metric": "vectors_top1", "value": top1, "low": low, "high": high}]
