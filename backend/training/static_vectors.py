"""Static word vectors of several languages in one space, from parallel sentences alone: a baseline that needs no download.

Positive pointwise mutual information of words (of all languages) and sentences, reduced by a truncated singular value
decomposition. Derivation: `docs/definitions.md`, "Word pairs".
Source: Levy et al. 2017, "A Strong Baseline for Learning Cross-Lingual Word Embeddings from Sentence Alignments"; Levy &
Goldberg 2014, "Neural Word Embedding as Implicit Matrix Factorization" (square root of the singular values).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.languages.words import fold, segment
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

Vectors = dict[str, dict[str, "NDArray[np.float32]"]]
"""Language → word, as `backend.corpora.languages.words.fold` writes it → `[dims]`. Frequent words first, as in
fastText's files."""


def train(texts: Mapping[str, Sequence[str]], *, dims: int = 64, least: int = 2, seed: int = 0) -> Vectors:
    """Vectors, of length 1, of every word that occurs in at least `least` sentences of its language.

    `texts` has the same sentences, in the same order, in every language (`ParallelCorpus.aligned`). Raises `CorpusError` where
    there are too few words or sentences for `dims`.
    """
    from scipy.sparse.linalg import svds

    words, counts = _count(texts, least)
    if min(counts.shape) <= dims:
        raise CorpusError(
            f"{counts.shape[1]:,} sentences with {counts.shape[0]:,} words are too few for {dims} dimensions.",
            remedy="Take fewer dimensions or a larger corpus.",
        )
    start = np.random.default_rng(seed).standard_normal(min(counts.shape))
    left, strength, _ = svds(positive_information(counts), k=dims, v0=start)
    vectors = (left * np.sqrt(strength))[:, ::-1]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    found: Vectors = {language: {} for language in sorted(texts)}
    for row in np.argsort(-np.asarray(counts.sum(1)).ravel(), kind="stable"):
        language, word = words[row]
        found[language][word] = vectors[row]
    return found


def only(vectors: Mapping[str, NDArray[np.float32]], texts: Sequence[str], language: str) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of the words that occur in `texts`."""
    wanted = {fold(text[start:end], language) for text in texts for start, end in segment(text, language)}
    return {word: vector for word, vector in vectors.items() if word in wanted}


def positive_information(counts: csr_matrix) -> csr_matrix:
    """max(0, log p(row, column) / p(row) p(column)) of the cells of a sparse matrix of counts, as float64."""
    found = counts.tocoo().astype(np.float64)
    rows, columns = (np.asarray(counts.sum(axis), np.float64).ravel() for axis in (1, 0))
    found.data = np.maximum(0.0, np.log(found.data * found.data.sum() / (rows[found.row] * columns[found.col])))
    return found.tocsr()


def _count(texts: Mapping[str, Sequence[str]], least: int) -> tuple[list[tuple[str, str]], csr_matrix]:
    """Return the words by language, and how often each occurs in each sentence: `[words, sentences]`."""
    from scipy.sparse import csr_matrix

    words: dict[tuple[str, str], int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for language in sorted(texts):
        for i, text in enumerate(texts[language]):
            for start, end in segment(text, language):
                rows.append(words.setdefault((language, fold(text[start:end], language)), len(words)))
                columns.append(i)
    sentences = max((len(each) for each in texts.values()), default=0)
    counts = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(words), sentences))  # repeated cells are added
    often = np.flatnonzero(counts.getnnz(1) >= least)
    names = list(words)
    return [names[row] for row in often], counts[often]
