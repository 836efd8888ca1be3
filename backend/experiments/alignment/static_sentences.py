"""Sentence alignment of static vectors: each sentence is the mean of its words' vectors. One shard is one set.

The same sentences, drawn and scored as in `sentences`, under the `variant` of the mean of tokens: a horizontal line in its
figures, and a row of its table. A word counts as often as it occurs. A sentence without any known word is left out with its
translation; the authors' code gives it a random vector.

Source: Gaschi et al. 2022, table I ("FastText avg").
"""

from __future__ import annotations

import time
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from isogloss.backend.corpora.languages.words import fold, segment
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.alignment import options, sentence_rows
from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.alignment.static import READING_SHARE, Baseline, check_languages, known_words, tensors
from isogloss.backend.experiments.spec import Context, Spec, several
from isogloss.backend.files import ContentId, digest
from isogloss.backend.metrics.retrieval.options import Similarity
from isogloss.backend.models.static import library as static_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.experiments.alignment.static import KnownWords
    from isogloss.backend.experiments.checkpoint_scores import Pair


class StaticSentencesSpec(Spec):
    """Sentence retrieval of a set of static vectors averaged over each sentence; options as of `SentenceAlignmentSpec`."""

    experiment: Literal["static_sentences"] = "static_sentences"
    model: str
    """The set's name."""
    vectors: ContentId
    """The set's fingerprint."""
    corpus: ContentId
    """Content id of the corpus."""
    languages: Annotated[tuple[str, ...], several("alignment")]
    n_sentences: Annotated[int | None, options.N_SENTENCES] = Field(default=None, ge=2)
    runs: Annotated[int, options.RUNS_OF_SENTENCES] = Field(default=1, ge=1, le=1000)
    seed: Annotated[int, options.SEED] = 0
    similarity: Annotated[Similarity, options.SIMILARITY] = "csls"
    k: Annotated[int, options.K] = Field(default_factory=options.usual_neighbours, ge=1)
    centred: Annotated[bool, options.CENTRED] = False
    self_neighbour: Annotated[bool, options.SELF_NEIGHBOUR] = False

    @property
    def pairs(self) -> list[Pair]:
        """List the pairs of languages, each once, in the order of `languages`."""
        return list(combinations(self.languages, 2))

    @property
    def variant(self) -> str:
        """That of the mean of a model's tokens: both may lie in one figure."""
        return sentence_rows.variant(self, "mean")

    def provenance(self) -> dict[str, Any]:
        """Return what the scores depend on, and nothing else."""
        of, pairs = (alignment.FAMILY, alignment.VERSION, self.vectors, self.corpus), [list(pair) for pair in self.pairs]
        return checkpoint_scores.provenance(
            *of, variant=self.variant, **sentence_rows.provenance_of_draws(self), pairs=pairs, static="sentences"
        )

    def shards(self) -> dict[str, Baseline]:
        """Return the one shard by its key."""
        return {digest(self.provenance()): Baseline(self.model)}


def compute(spec: StaticSentencesSpec, shard: str, context: Context) -> None:
    """Compute and publish the scores of the pairs that no file has yet.

    Raises `SpecError` for a language that the set lacks, and what reading vectors raises.
    """
    assert shard in spec.shards()
    missing, provenance = checkpoint_scores.missing(spec.pairs, spec.provenance(), context.workspaces)
    if not missing:
        return
    started = time.perf_counter()
    tags = sorted({tag for pair in missing for tag in pair})
    kept = static_library.load_entry(spec.vectors, context.workspaces)
    check_languages(kept, tags)
    corpus = corpora.load(spec.corpus, context.workspaces)
    rows: list[dict[str, Any]] = []
    counts: dict[str, dict[str, int]] = {}
    words_by_language = {tag: _folded(corpus, tag) for tag in tags}
    known = {tag: known_words(kept, tag, _distinct(words_by_language[tag].values()), context) for tag in tags}
    means = {tag: _means(known[tag], list(words_by_language[tag].values())) for tag in tags}
    for i, pair in enumerate(missing):
        context.step(f"scoring {'-'.join(pair)}", READING_SHARE + (1 - READING_SHARE) * i / len(missing))
        number = [{sentence: row for row, sentence in enumerate(words_by_language[tag])} for tag in pair]
        shared = [sentence for sentence in words_by_language[pair[0]] if sentence in number[1]]
        sides = [np.array([each[sentence] for sentence in shared], np.int64) for each in number]
        there = np.logical_and(*(means[tag][1][side] for tag, side in zip(pair, sides, strict=True)))
        counts["-".join(pair)] = {"sentences": len(shared), "lost": int((~there).sum())}
        vectors = tensors([means[tag][0][side] for tag, side in zip(pair, sides, strict=True)], context.settings)
        rows += sentence_rows.rows_of(spec, pair, *_usable(spec, vectors, there), context.should_stop)
    provenance |= {"counts": counts, "words": {tag: known[tag].counted for tag in tags}}
    provenance |= {"seconds": round(time.perf_counter() - started, 3)}
    name = digest(spec.provenance() | {"pairs": [list(pair) for pair in missing]})  # of the pairs in it
    checkpoint_scores.write(context, name, rows, provenance, model=spec.model, label=spec.model)


def _folded(corpus: ParallelCorpus, tag: str) -> dict[str, list[str]]:
    """Return the words of each sentence (by id) as they are looked up."""
    ids, texts = corpus.align([tag])
    return {
        sentence: [fold(text[start:end], tag) for start, end in segment(text, tag)]
        for sentence, text in zip(ids, texts[tag], strict=True)
    }


def _distinct(sentences: Any) -> list[str]:
    return list(dict.fromkeys(word for sentence in sentences for word in sentence))


def _means(has_word: KnownWords, sentences: Sequence[Sequence[str]]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return each sentence's mean over its known words, `[sentences, dims]`, and whether it has any."""
    table, found = np.asarray(has_word.vectors.vectors), has_word.vectors.found
    means, there = np.zeros((len(sentences), table.shape[1]), np.float32), np.zeros(len(sentences), np.bool_)
    for place, sentence in enumerate(sentences):
        rows = has_word.rows(sentence)
        rows = rows[found[rows]]
        if len(rows):
            means[place], there[place] = table[rows].mean(0, dtype=np.float64), True
    return means, there


def _usable(
    spec: StaticSentencesSpec, vectors: tuple[Tensor, Tensor], there: NDArray[np.bool_]
) -> tuple[tuple[Tensor, Tensor], list[NDArray[np.int64]] | None]:
    """Return the vectors and each run's rows, without the sentences that have none. The draw is the same for every model."""
    runs = sentence_rows.draws(spec, len(there))
    if runs is None:
        kept = there.nonzero()[0].tolist()
        return (vectors[0][kept], vectors[1][kept]), None
    return vectors, [run[there[run]] for run in runs]
