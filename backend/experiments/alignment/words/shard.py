"""Word alignment: is a word, in its sentence, nearest to its translation? One shard is one checkpoint, every layer and pair."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.alignment.words import rows as word_scores
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec, languages_of
from isogloss.backend.experiments.alignment.words.vectors import Place, WordEncoder, Words
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.experiments.vectors.one_pass import Text
from isogloss.backend.models.entry import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.corpora.dictionaries.word_pairs import Sample, Unique, WordPairs
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.settings import Settings

ENCODING = 0.8
"""How much of a shard's time encoding takes, for progress: 0.8 to 0.95 of it on a CPU."""


@lru_cache(maxsize=64)
def pairs_of(
    corpus: str, pair: DictionaryPair, repeated: bool, workspaces: tuple[Path, ...], unique: Unique = "both"
) -> WordPairs:
    """Return the word pairs of a saved corpus: found once for all checkpoints that one process computes.

    `unique` is asked of a dictionary; an aligner's links are taken as they are.
    """
    kept = corpora.load(corpus, workspaces)
    if pair.dictionary in {entry.id for entry in alignments.entries(workspaces)}:
        aligned = alignments.load(pair.dictionary, workspaces)
        return links.pairs(aligned, kept, pair.source, pair.target, repeated=repeated)
    dictionary = dictionaries.load(pair.dictionary, workspaces)
    return word_pairs.extract(kept, dictionary, pair.source, pair.target, repeated=repeated, unique=unique)


def compute(spec: WordAlignmentSpec, shard: str, context: Context) -> None:
    """Compute and publish the scores of one shard's pairs, but for those that other files have: they would be listed twice."""
    checkpoint, missing, provenance, shard = checkpoint_scores.lacking_pairs(spec, spec.pairs, shard, context.workspaces)
    if not missing:
        return
    spec = spec.model_copy(update={"pairs": missing})
    n, started = len(missing), time.perf_counter()
    corpus = corpora.load(spec.corpus, context.workspaces)
    asked = spec.prefix, one_pass.precision_of(context.settings), spec.vector == "without_first"
    texts = {tag: text_of(corpus, spec.corpus, checkpoint, tag, *asked) for tag in languages_of(missing)}
    drawn = [_draw(spec, pair, tuple(context.workspaces)) for pair in missing]
    encoder = WordEncoder(context, len(texts), share=ENCODING / 2 / n, lengths=spec.similarity == "l2")
    for pair, (chosen, _) in zip(missing, drawn, strict=True):
        for tag, side in _sides(pair):
            encoder.expect(tag, places(texts[tag], chosen, side))
    rows: list[dict[str, Any]] = []
    cost = _Cost()
    counts: dict[str, dict[str, int]] = {}
    for i, (pair, (chosen, sample)) in enumerate(zip(missing, drawn, strict=True)):
        before = time.perf_counter()
        sides = [
            words_of(encoder, texts[tag], chosen, side, spec.masked, (i + ENCODING / 2 * j) / n)
            for j, (tag, side) in enumerate(_sides(pair))
        ]
        cost.add(sides, time.perf_counter() - before)
        kept = ~(sides[0].lost | sides[1].lost)
        counts["-".join((pair.source, pair.target))] = word_scores.counted(chosen, sample, kept)
        rows += _scores(spec, pair, sides, word_scores.usable(sample, kept), (i + ENCODING) / n, (1 - ENCODING) / n, context)
    provenance |= cost.provenance | {"counts": counts, "seconds": round(time.perf_counter() - started, 3)}
    provenance |= {"asked": checkpoint_scores.non_default_options(spec)}
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


@dataclass
class _Cost:
    """What encoding took, for the files and for later estimates."""

    texts: int = 0
    tokens: int = 0
    seconds: float = 0.0
    devices: set[str] = field(default_factory=set)

    def add(self, sides: Sequence[Words], seconds: float) -> None:
        self.texts += sum(side.texts for side in sides)
        self.tokens += sum(side.tokens for side in sides)
        self.seconds += seconds
        self.devices |= {side.device for side in sides}

    @property
    def provenance(self) -> dict[str, Any]:
        return {
            "texts": self.texts,
            "tokens": self.tokens,
            "seconds_encoding": round(self.seconds, 3),
            "device": ", ".join(sorted(self.devices)),
        }


def _draw(spec: WordAlignmentSpec, pair: DictionaryPair, workspaces: tuple[Path, ...]) -> tuple[WordPairs, Sample]:
    """Return the word pairs that some run takes, and each run's rows among these: what no run takes need not be encoded."""
    found = pairs_of(spec.corpus, pair, spec.repeated, workspaces, spec.unique)
    sample = word_pairs.sample(found, spec.n_pairs, seed=spec.seed, runs=spec.runs)
    rows = np.unique(np.concatenate(sample.runs))
    runs = tuple(np.searchsorted(rows, run) for run in sample.runs)
    return replace(found, table=found.table.take(rows)), replace(sample, runs=runs)


def text_of(
    corpus: ParallelCorpus,
    corpus_id: str,
    checkpoint: Checkpoint,
    language: str,
    prefix: str = "",
    precision: str = "float32",
    without_first: bool = False,
) -> Text:
    """All sentences of one language: the same whichever pair asks, and where the corpus is complete the same as ABX's."""
    ids, texts = corpus.align([language])
    own = texts[language]
    return Text(checkpoint, corpus_id, language, ids, own, prefix=prefix, without_first=without_first, precision=precision)


def places(text: Text, pairs: WordPairs, side: Literal["source", "target"]) -> list[Place]:
    """Return where one side's words are, in the order of the pairs."""
    number = {sentence: i for i, sentence in enumerate(text.ids)}
    columns = (pairs.table[name].to_pylist() for name in ("sentence_id", f"{side}_start", f"{side}_end"))
    return [(number[sentence], start, end) for sentence, start, end in zip(*columns, strict=True)]


def words_of(
    encoder: WordEncoder, text: Text, pairs: WordPairs, side: Literal["source", "target"], masked: bool, share: float
) -> Words:
    """Return the vectors of one side of the pairs."""
    wanted = places(text, pairs, side)
    return encoder.encode_masked(text, wanted, share) if masked else encoder.words(text, wanted, share)


def _sides(pair: DictionaryPair) -> list[tuple[str, Literal["source", "target"]]]:
    return [(pair.source, "source"), (pair.target, "target")]


def _scores(
    spec: WordAlignmentSpec,
    pair: DictionaryPair,
    sides: Sequence[Words],
    runs: Sequence[NDArray[np.int64]],
    begun: float,
    share: float,
    context: Context,
) -> list[dict[str, Any]]:
    """Rows of every layer. `begun` is how much of the shard is done, `share` how much these are."""
    rows = []
    for layer in range(sides[0].layers):
        context.step(f"scoring {pair.source}-{pair.target}, layer {layer}", begun + share * layer / sides[0].layers)
        vectors = partial(_of_layer, sides, layer, context.settings, true_length=spec.similarity == "l2")
        rows += word_scores.rows_of(spec, (pair.source, pair.target), layer, runs, vectors, context.should_stop)
    return rows


def _of_layer(
    sides: Sequence[Words], layer: int, settings: Settings, chosen: NDArray[np.int64], *, true_length: bool
) -> tuple[Tensor, Tensor]:
    source, target = (side.layer(layer, chosen, settings, true_length=true_length) for side in sides)
    return source, target
