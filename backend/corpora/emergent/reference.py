"""Reference corpora that are made, not read: random, nested, or a given corpus shuffled. Deterministic by seed.

A corpus is its flat tokens, int32 [tokens], and where its utterances start, int64 [utterances + 1], as in `EmergentCorpus`.
Random and the Paren corpora are one stream of symbols, cut into utterances of `length` tokens, the last of which may be
shorter; ids count from 0. 20 million tokens take seconds.
Source: Boldt & Mortensen 2024, XferBench, section 4, and the code released with it; Paren after Papadimitriou & Jurafsky 2020.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from numpy.typing import NDArray

VOCABULARY = 29_990
"""The paper's 30,000 less ten that are left for special tokens, as in the released code."""
LENGTH = 256
"""The model's context."""
ALPHA, BETA = 1.0, 2.7
OPENING = {"correct": 0.4, "released": 0.5}
"""How often a parenthesis opens, where it could close as well: as declared, and as drawn by the released code."""
CHUNK = 1 << 20
Protocol = Literal["correct", "released"]


class Utterances(NamedTuple):
    """A corpus as two flat arrays: utterance `u` is `ids[starts[u]:starts[u + 1]]`."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]


def uniform(tokens: int, seed: int, vocabulary: int = VOCABULARY, length: int = LENGTH) -> Utterances:
    """Random: every token any of the symbols, all as likely. Raises `CorpusError` where a number is not at least 1."""
    _positive(tokens=tokens, vocabulary=vocabulary, length=length)
    ids = np.random.default_rng(seed).integers(0, vocabulary, tokens, dtype=np.int32)
    return Utterances(ids, _cut(tokens, length))


def zipf_mandelbrot(vocabulary: int = VOCABULARY, alpha: float = ALPHA, beta: float = BETA) -> NDArray[np.float64]:
    """Return the probability of each symbol, that of id i in proportion to (i + 1 + β)^-α: [vocabulary], falling.

    Raises `CorpusError` for a vocabulary below 1, α below 0, β of -1 or less, and numbers that are not finite.
    """
    _positive(vocabulary=vocabulary)
    if not (np.isfinite(alpha) and np.isfinite(beta) and alpha >= 0 and beta > -1):
        raise CorpusError(
            f"There is no Zipf–Mandelbrot law with α = {alpha:g} and β = {beta:g}.",
            remedy="Choose α of 0 or more, and β above -1.",
        )
    weights = ((np.arange(vocabulary) + (1.0 + beta)) / (1.0 + beta)) ** -alpha
    return np.asarray(weights / weights.sum())


def unigrams(ids: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return how often each id occurs in a corpus, as a share of its tokens: [largest id + 1], for Paren real.

    A made corpus has the ids of the given one. Raises `CorpusError` for a corpus without tokens, and for ids that are not
    numbered closely enough to be counted in a table (of 64 million): a library's corpora are.
    """
    _some(ids)
    if int(ids.max()) >= 1 << 26:
        raise CorpusError(f"The id {int(ids.max()):,} is too large to be counted.", remedy="Number the symbols from 0.")
    counts = np.zeros(int(ids.max()) + 1, np.int64)
    step = max(CHUNK, len(counts))
    for at in range(0, len(ids), step):
        counts += np.bincount(ids[at : at + step], minlength=len(counts))
    return np.asarray(counts / counts.sum())


def paren(
    tokens: int, probabilities: NDArray[np.float64], seed: int, protocol: Protocol = "correct", length: int = LENGTH
) -> Utterances:
    """Paren: nested pairs of the same symbol, drawn by `probabilities` [vocabulary] where it opens.

    With `zipf_mandelbrot()` it is Paren synth, with `unigrams(…)` of a corpus Paren real. At each token a new symbol opens, or
    the one opened last and not yet closed stands again, which closes it. It opens with probability 0.4 ("correct") or 0.5
    ("released", see `OPENING`), and always where none is open. Nesting goes on across utterances, as in the released code. How
    deep it goes: `docs/definitions.md`. Raises `CorpusError` for fewer than one token or length, and for no probabilities.
    """
    _positive(tokens=tokens, length=length)
    cumulative = _cumulative(probabilities)
    rng = np.random.default_rng(seed)
    level, opens = _nesting(tokens, OPENING[protocol], rng)
    ids = np.empty(tokens, np.int32)
    for at in range(0, tokens, CHUNK):
        draws = rng.random(min(CHUNK, tokens - at))
        ids[at : at + CHUNK] = np.searchsorted(cumulative, draws, side="right")
    # At one level openings and closings alternate, so sorted by level each closing stands right after what it closes.
    order = np.argsort(level, kind="stable")
    closes = np.flatnonzero(~opens[order])
    ids[order[closes]] = ids[order[closes - 1]]
    return Utterances(ids, _cut(tokens, length))


def shuffled_within(ids: NDArray[np.int32], starts: NDArray[np.int64], seed: int) -> Utterances:
    """Return the corpus with the tokens of each utterance in a random order: what is said stays, how it is ordered goes.

    Raises `CorpusError` for a corpus without tokens.
    """
    _some(ids)
    rng = np.random.default_rng(seed)
    mixed = np.empty(len(ids), np.int32)
    at = 0
    while at < len(starts) - 1:
        end = max(at + 1, int(np.searchsorted(starts, starts[at] + CHUNK, side="right")) - 1)
        here = slice(int(starts[at]), int(starts[end]))
        utterance = np.repeat(np.arange(end - at, dtype=np.int64), np.diff(starts[at : end + 1]))
        mixed[here] = ids[here][np.argsort((utterance << 40) | rng.integers(0, 1 << 40, len(utterance)), kind="stable")]
        at = end
    return Utterances(mixed, starts.copy())


def shuffled_over(ids: NDArray[np.int32], starts: NDArray[np.int64], seed: int) -> Utterances:
    """Return the corpus with all its tokens in a random order, in utterances as long as before: only frequencies stay.

    Raises `CorpusError` for a corpus without tokens.
    """
    _some(ids)
    return Utterances(np.random.default_rng(seed).permutation(ids), starts.copy())


def _nesting(tokens: int, opening: float, rng: np.random.Generator) -> tuple[NDArray[np.signedinteger], NDArray[np.bool_]]:
    """Return the level of the pair that each token is of, from 1, and which tokens open theirs.

    The depth is a walk of +1 and -1 that is turned upwards at 0. Each turn adds 2 to all that follows, and the n-th turn comes
    where the walk that is not turned falls to -(2n - 1) for the first time: so turns are counted by that walk's minimum.
    """
    walk = np.empty(tokens, np.int32)
    for at in range(0, tokens, CHUNK):
        walk[at : at + CHUNK] = np.where(rng.random(min(CHUNK, tokens - at)) < opening, 1, -1)
    np.cumsum(walk, out=walk)
    lowest = np.minimum.accumulate(walk)
    np.minimum(lowest, 0, out=lowest)
    lowest -= 1
    lowest //= -2
    lowest *= 2
    walk += lowest
    opens = np.empty(tokens, bool)
    opens[:1] = True
    np.greater(walk[1:], walk[:-1], out=opens[1:])
    walk += ~opens  # a closing is of the level that it leaves
    return (walk.astype(np.int16) if tokens and walk.max() < np.iinfo(np.int16).max else walk), opens


def _cumulative(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    given = np.asarray(probabilities, np.float64)
    if given.ndim != 1 or not np.isfinite(given).all() or (given < 0).any() or not given.sum() > 0:
        raise CorpusError(
            "Symbols cannot be drawn: their probabilities are not numbers of 0 and above, with one above 0.",
            remedy="Use the unigrams of a corpus, or a Zipf–Mandelbrot law.",
        )
    total = np.cumsum(given)
    return np.asarray(total / total[-1])


def _cut(tokens: int, length: int) -> NDArray[np.int64]:
    return np.append(np.arange(0, tokens, length), tokens)


def _positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise CorpusError(f"A made corpus needs {name} of at least 1, not {number:,}.", remedy=f"Choose more {name}.")


def _some(ids: NDArray[np.int32]) -> None:
    if not len(ids):
        raise CorpusError("The corpus has no tokens.", remedy="Choose one that has.")
