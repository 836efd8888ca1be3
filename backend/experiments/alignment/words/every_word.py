"""Every word of two languages with its vectors, some sentences at a time: kept ones are read, missing ones computed.

Where the budget has room the words are encoded and kept as by any pass. Where it has not, sentences are encoded as they are
asked for and not kept, so that a large corpus or model takes no more memory than a part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.spec import cancelling
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.experiments.vectors.keeping import Keeping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.experiments.vectors.one_pass import Text
    from isogloss.backend.metrics.retrieval.mutual_links import Links
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.store.word_embeddings import WordVectors

PART = 1 << 29
"""Bytes of float16 vectors in a part, of both languages."""


@dataclass(frozen=True, eq=False)
class _Language:
    """One language: all its words where they are kept, else what is needed to compute some."""

    text: Text
    numbers: NDArray[np.int64]
    """Of each shared sentence, its place in the text."""
    whole: WordVectors | None
    words: list[list[Span]]
    """Of each sentence of the text, where the words are not there as a whole."""

    @property
    def width(self) -> int:
        """Bytes of a word's vectors; 0 where they are not known."""
        return 0 if self.whole is None else int(np.prod(self.whole.vectors.shape[1:])) * 2

    @property
    def counts(self) -> NDArray[np.int64]:
        """Words of each shared sentence."""
        if self.whole is None:
            return np.array([len(self.words[number]) for number in self.numbers], np.int64)
        return np.bincount(self.whole.places[:, 0], minlength=len(self.text.ids))[self.numbers]


def parts(texts: Sequence[Text], shared: Sequence[str], context: Context) -> Iterator[list[WordVectors]]:
    """The words of each of `texts` (of one checkpoint) in the sentences `shared`, text by text, until all sentences are done.

    A word's place has its sentence's number among `shared`; words are sentence by sentence, in the order of each.
    Raises what loading and encoding raise.
    """
    from isogloss.backend.models.loading.load import load

    @cache
    def model() -> Loaded:
        context.step("loading the model", 0.0)
        return load(texts[0].checkpoint, context.settings)

    languages = [_language(text, shared, model, len(texts), context) for text in texts]
    width = next((each.width for each in languages if each.width), None) or (model().layers + 1) * model().dims * 2
    counts = np.sum([each.counts for each in languages], axis=0)
    for start, stop in _cuts(counts * width, PART):
        context.step(f"encoding words ({start} of {len(shared)} sentences)", 0.5 * start / len(shared))
        yield [_side(each, start, stop, model, context) for each in languages]


def _language(text: Text, shared: Sequence[str], model: Callable[[], Loaded], languages: int, context: Context) -> _Language:
    number = {sentence: i for i, sentence in enumerate(text.ids)}
    numbers = np.array([number[sentence] for sentence in shared], np.int64)
    whole = one_pass.kept_words(text, context)
    words = text.words() if whole is None else []
    if whole is None and one_pass.worth_keeping(model(), words, languages, context):

        def report(done: int, total: int) -> None:
            context.step(f"encoding {text.language} ({done} of {total} sentences)", 0.0)

        with Keeping(context) as keeping:
            whole = one_pass.run(model(), text, [], words, report, context, keeping=keeping).words
    return _Language(text, numbers, whole, words)


def mutual_links(part: Sequence[WordVectors], layer: int, context: Context) -> tuple[list[NDArray[np.int64]], Links]:
    """Link the words of a part that are each other's nearest in their sentences at a layer (SimAlign's argmax).

    Return the rows of the words that have vectors, of either side, and the links between these. Raises `Cancelled`.
    """
    import torch

    from isogloss.backend.metrics.retrieval import mutual_links as metric
    from isogloss.backend.models.device import choose_device

    device = choose_device(context.settings.device)
    rows = [np.flatnonzero(~side.lost) for side in part]
    u, v = (torch.from_numpy(side.vectors[of, layer]).to(device) for side, of in zip(part, rows, strict=True))
    groups = [side.places[of, 0].astype(np.int64) for side, of in zip(part, rows, strict=True)]
    with cancelling():
        return rows, metric.mutual_links(u, v, groups[0], groups[1], context.should_stop)


def _side(text_of: _Language, start: int, stop: int, model: Callable[[], Loaded], context: Context) -> WordVectors:
    """Return the words of the shared sentences `start` to `stop`."""
    if text_of.whole is not None:
        place = np.full(len(text_of.text.ids), -1, np.int32)
        place[text_of.numbers] = np.arange(len(text_of.numbers))
        of_words = place[text_of.whole.places[:, 0]]
        inside = np.flatnonzero((of_words >= start) & (of_words < stop))
        # Where the sentences follow one another, a view: a copy takes as long as all that is computed from it.
        follow = len(inside) and inside[-1] - inside[0] + 1 == len(inside)
        rows = slice(inside[0], inside[-1] + 1) if follow else inside
        places = np.column_stack([of_words[rows], text_of.whole.places[rows, 1:]])
        return replace(
            text_of.whole, places=places, vectors=text_of.whole.vectors[rows], lost=text_of.whole.lost[rows], exponents=None
        )
    chosen = text_of.numbers[start:stop].tolist()
    text = replace(text_of.text, ids=[text_of.text.ids[i] for i in chosen], texts=[text_of.text.texts[i] for i in chosen])
    words = [text_of.words[i] for i in chosen]
    found = one_pass.run(model(), text, [], words, lambda _done, _total: None, context).words
    assert found is not None
    return replace(found, places=found.places + np.array([start, 0, 0], np.int32))


def _cuts(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Consecutive sentences of at most `most` bytes together, at least one."""
    start, total = 0, 0
    for place, size in enumerate(sizes.tolist()):
        if place > start and total + size > most:
            yield start, place
            start, total = place, 0
        total += size
    yield start, len(sizes)
