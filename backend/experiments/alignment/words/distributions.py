"""Distributions of cosine similarity of paired and of random words, at every layer: figure 5.

Source: Gaschi et al. 2022, figure 5: cosines of words that a dictionary pairs, that an aligner (FastAlign) links, of random
pairs, and of random pairs within a pair of sentences. Those of words that the model itself aligns are ours.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.dictionaries.word_pairs import Unique
from isogloss.backend.corpora.languages.words import segment
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.alignment import options
from isogloss.backend.experiments.alignment.words import every_word
from isogloss.backend.experiments.alignment.words.shard import pairs_of, text_of
from isogloss.backend.experiments.alignment.words.spec import OrderedPair, not_once_and_repeated
from isogloss.backend.experiments.spec import Context, OneCheckpoint
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.files import ContentId, added
from isogloss.backend.models.entry import Prefix
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    import torch
    from numpy.typing import NDArray

    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.store.word_embeddings import WordVectors


Kind = Literal["dictionary", "aligner", "random", "random_within", "alignment"]
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


@in_recipes
class WordDistributionsSpec(OneCheckpoint):
    """The distributions of one checkpoint and pair of languages, every layer."""

    experiment: Literal["word_distributions"] = "word_distributions"
    pair: OrderedPair
    n_pairs: Annotated[int, options.N_PAIRS_ONCE] = Field(default=5000, ge=2)
    """Dictionary pairs, those of run 0 of `word_alignment`. The aligner's are all there are."""
    seed: Annotated[int, options.SEED] = 0
    """Of that run and of the random partners."""
    repeated: Annotated[bool, options.REPEATED] = False
    unique: Annotated[Unique, options.UNIQUE_WORDS] = added("both")
    alignment: ContentId | None = added(None)
    """Id of a kept alignment of the corpus, whose links are compared beside the dictionary's pairs (figure 5: FastAlign)."""
    prefix: Prefix = ""
    _once = model_validator(mode="after")(not_once_and_repeated)


@dataclass(frozen=True, eq=False)
class _Chosen:
    """The dictionary pairs that have both vectors."""

    sides: tuple[NDArray[np.float16], NDArray[np.float16]]
    """`[pairs, layers + 1, dims]` of each language."""
    sentences: NDArray[np.int64]
    """`[pairs]`."""


@in_recipes
def load(spec: WordDistributionsSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return one row per layer and kind (`SCHEMA`), or None where they are not computed."""
    return details.load(spec.id, workspaces)


def compute(spec: WordDistributionsSpec, shard: str, context: Context) -> None:
    """Compare the words of one checkpoint at every layer and publish the distributions.

    The random pairs are the dictionary's words, each with another pair's translation; those within a sentence pair with that of
    another pair of the same sentences, where there is one. Words without vectors are left out everywhere.
    Raises `SpecError` where fewer than two dictionary pairs have vectors.
    """
    from isogloss.backend.metrics.retrieval.similarity import random_partners, random_partners_within

    if load(spec, context.workspaces) is not None:
        return
    aligned, imported, chosen = _gather(spec, context)
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
        cosines_by_kind: dict[Kind, NDArray[np.float64]] = {
            "dictionary": _cosines(chosen, layer, every, every, context),
            "aligner": aligner,
            "random": _cosines(chosen, layer, every, partners, context),
            "random_within": _cosines(chosen, layer, items, partners_within, context),
        }
        cosines_by_kind |= {"alignment": imported[layer]} if spec.alignment else {}
        rows += _rows(layer, cosines_by_kind)
    details.write(context.workspace, spec.id, pa.Table.from_pylist(rows, SCHEMA), {"shard": shard})


Cosines = dict[int, "NDArray[np.float64]"]
"""Of every layer."""


def _gather(spec: WordDistributionsSpec, context: Context) -> tuple[Cosines, Cosines, _Chosen]:
    """Cosines of the model's and of the imported links; and the vectors of the dictionary's pairs. One pass gives them all."""
    corpus = corpora.load(spec.corpus, context.workspaces)
    pairs = pairs_of(spec.corpus, spec.pair, spec.repeated, tuple(context.workspaces), spec.unique)
    drawn = word_pairs.sample(pairs, spec.n_pairs, seed=spec.seed, runs=1).runs[0]
    table = pairs.table.take(pa.array(drawn))
    ends = spec.pair.source, spec.pair.target
    shared, _ = corpus.align(ends)
    asked = spec.prefix, one_pass.precision_of(context.settings)
    texts = [text_of(corpus, spec.corpus, spec.checkpoint, tag, *asked) for tag in ends]
    number = {sentence: i for i, sentence in enumerate(shared)}
    sentences = np.array([number[each] for each in table["sentence_id"].to_pylist()], np.int64)
    places = [
        list(zip(sentences.tolist(), table[f"{side}_start"].to_pylist(), table[f"{side}_end"].to_pylist(), strict=True))
        for side in ("source", "target")
    ]
    linked = linked_words(spec, corpus, context) if spec.alignment else ([], [])
    aligned: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    imported: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    vectors: tuple[list[NDArray[np.float16]], list[NDArray[np.float16]]] = ([], [])
    kept: list[NDArray[np.int64]] = []
    for part in every_word.parts(texts, shared, context):
        rows = np.stack([_rows_of(side, wanted) for side, wanted in zip(part, places, strict=True)])
        there = np.flatnonzero((rows >= 0).all(axis=0))
        kept.append(there)
        for side, found, of_pairs in zip(part, vectors, rows, strict=True):
            found.append(side.vectors[of_pairs[there]])
        of_links = _both(part, linked)
        for layer in range(part[0].vectors.shape[1]):
            aligned[layer].append(every_word.mutual_links(part, layer, context)[1].cosines)
            imported[layer].append(_of_rows(part, layer, of_links, context))
    sides = np.concatenate(vectors[0]), np.concatenate(vectors[1])
    chosen = _Chosen(sides, sentences[np.concatenate(kept)])
    cosines, of_imported = ({layer: np.concatenate(found) for layer, found in each.items()} for each in (aligned, imported))
    return cosines, of_imported, chosen


Places = list[tuple[int, int, int]]
"""Of words: the sentence's place among those that both languages have, start and end."""


def linked_words(spec: WordDistributionsSpec, corpus: ParallelCorpus, context: Context) -> tuple[Places, Places]:
    """Return the words that the imported alignment links, in both languages.

    A token of its aligner stands for the one word of ours that shares characters with it; a link is left out where some token
    shares them with no word or several. Raises `CorpusError` for an alignment of another corpus or of other languages.
    """
    assert spec.alignment is not None
    ends = spec.pair.source, spec.pair.target
    pairs = links.pairs(alignments.load(spec.alignment, context.workspaces), corpus, *ends, repeated=spec.repeated)
    shared, texts = corpus.align(ends)
    number = {sentence: i for i, sentence in enumerate(shared)}
    words = {tag: [segment(text, tag) for text in texts[tag]] for tag in ends}
    places_of_sides: tuple[Places, Places] = ([], [])
    for row in pairs.table.to_pylist():
        place = number[row["sentence_id"]]
        tokens = [(row[f"{side}_start"], row[f"{side}_end"]) for side in ("source", "target")]
        ours = [_sharing(words[tag][place], token) for tag, token in zip(ends, tokens, strict=True)]
        if all(len(each) == 1 for each in ours):
            for side, [(start, end)] in zip(places_of_sides, ours, strict=True):
                side.append((place, start, end))
    return places_of_sides


def _sharing(words: Sequence[Span], token: Span) -> list[Span]:
    return [word for word in words if word[0] < token[1] and token[0] < word[1]]


def _both(part: Sequence[WordVectors], places: Sequence[Sequence[tuple[int, int, int]]]) -> NDArray[np.int64]:
    """Return the rows of both words of each pair that the part has whole, `[2, pairs]`."""
    rows = np.stack([_rows_of(side, wanted) for side, wanted in zip(part, places, strict=True)])
    return rows[:, (rows >= 0).all(axis=0)]


def _of_rows(part: Sequence[WordVectors], layer: int, rows: NDArray[np.int64], context: Context) -> NDArray[np.float64]:
    """Return the cosines of pairs of words of a part."""
    from isogloss.backend.metrics.retrieval.similarity import pair_cosines

    if not rows.shape[1]:
        return np.empty(0)
    u, v = (_tensor(side.vectors[chosen, layer], context) for side, chosen in zip(part, rows, strict=True))
    found: NDArray[np.float64] = pair_cosines(u, v).numpy()
    return found


def _rows_of(side: WordVectors, wanted: Sequence[tuple[int, int, int]]) -> NDArray[np.int64]:
    """The row of each word at `wanted` (sentence, start, end); -1 where the part does not have it or it has no vector."""
    places = side.places[~side.lost]
    row_of = dict(zip(map(tuple, places.tolist()), np.flatnonzero(~side.lost).tolist(), strict=True))
    return np.array([row_of.get(place, -1) for place in wanted], np.int64)


def _cosines(
    chosen: _Chosen, layer: int, rows: NDArray[np.int64], others: NDArray[np.int64], context: Context
) -> NDArray[np.float64]:
    from isogloss.backend.metrics.retrieval.similarity import pair_cosines

    if not len(rows):
        return np.empty(0)
    u, v = (_tensor(side[of, layer], context) for side, of in zip(chosen.sides, (rows, others), strict=True))
    found: NDArray[np.float64] = pair_cosines(u, v).numpy()
    return found


def _tensor(vectors: NDArray[np.float16], context: Context) -> torch.Tensor:
    import torch

    from isogloss.backend.models.device import choose_device

    return torch.from_numpy(vectors).to(choose_device(context.settings.device))


def _rows(layer: int, cosines_by_kind: dict[Kind, NDArray[np.float64]]) -> list[dict[str, Any]]:
    from isogloss.backend.metrics.retrieval.distributions import histogram, overlap

    rows = []
    for kind, cosines in cosines_by_kind.items():
        row = {
            "layer": layer,
            "kind": kind,
            "n": len(cosines),
            "mean": float(cosines.mean()) if len(cosines) else None,
            "counts": histogram(cosines).tolist(),
        }
        if kind not in ("random", "random_within") and len(cosines):
            others = {name: cosines_by_kind[name] for name in ("random", "random_within") if len(cosines_by_kind[name])}
            row |= {f"overlap_{name}": overlap(cosines, other) for name, other in others.items()}
        rows.append(row)
    return rows
