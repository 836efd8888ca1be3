"""One forward pass over the sentences of one language, and all that it gives: sentence vectors and, where they fit, words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.corpora.languages.words import segment, segmenter_version
from isogloss.backend.experiments.spec import cancelling
from isogloss.backend.experiments.vectors.keeping import Saving
from isogloss.backend.store import embeddings as store
from isogloss.backend.store import word_embeddings as word_store
from isogloss.backend.store.embeddings import EmbeddingKey, SentenceVectors
from isogloss.backend.store.word_embeddings import WordVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.experiments.vectors.keeping import Keeping
    from isogloss.backend.models.encoding.reduce import Encoded, Kind
    from isogloss.backend.models.encoding.words import WordTokens
    from isogloss.backend.models.entry import Checkpoint, Pooling
    from isogloss.backend.models.layered.encode import Asked
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.settings import Settings

TOGETHER: tuple[Pooling, ...] = ("mean", "first")
"""Kept from every pass, whichever was asked for: a later question about the other needs no pass of its own."""
WORDS_SHARE = 0.1
"""A checkpoint's words are kept from whatever pass comes first where they take at most this share of the budget: they need
some twenty times what the sentences do."""


@dataclass(frozen=True)
class Text:
    """The sentences of one language that a pass goes over, and the name under which their vectors are kept."""

    checkpoint: Checkpoint
    corpus: str
    language: str
    ids: Sequence[str]
    texts: Sequence[str]
    segmentation: str | None = None
    """What the words are, where they are given and not those that our segmenter finds."""
    prefix: str = ""
    """What the model reads before every one of them; words keep their places in the texts without it."""
    precision: str = "float32"
    """What this worker computes in (`precision_of`): vectors in another are not taken for these."""
    without_first: bool = False
    """Whether words go without the first token of their sentence (`entry.WordVector`)."""

    def key(self, pooling: Pooling) -> EmbeddingKey:
        """Return the key of these sentences in one pooling."""
        sentences = store.sentences_digest(self.ids)
        of = self.checkpoint.fingerprint, self.corpus, self.language
        return EmbeddingKey(*of, pooling, sentences, self.prefix, self.precision)

    @property
    def words_key(self) -> EmbeddingKey:
        """The key of all words of these sentences."""
        segmentation = self.segmentation or segmenter_version(self.language)
        version = word_store.words_of(segmentation, without_first=self.without_first)
        sentences = store.sentences_digest(self.ids)
        of = self.checkpoint.fingerprint, self.corpus, self.language
        return word_store.key_of(*of, version, sentences, self.prefix, self.precision)

    def words(self) -> list[list[Span]]:
        """Segment each sentence into words, as spans of characters."""
        return [segment(text, self.language) for text in self.texts]


@dataclass
class EncodedBatch:
    """What a pass gave."""

    sentences: dict[Pooling, SentenceVectors] = field(default_factory=dict)
    words: WordVectors | None = None
    tokens: int = 0
    texts: int = 0
    was_kept: bool = False
    """Another worker kept some of it while this pass ran."""


def precision_of(settings: Settings) -> str:
    """Return what this worker's device computes vectors in: `float32`, `bfloat16`."""
    from isogloss.backend.models.device import choose_device, choose_dtype

    return str(choose_dtype(choose_device(settings.device))[0]).removeprefix("torch.")


def load(checkpoint: Checkpoint, context: Context, share: float = 0.0) -> Loaded:
    """Return the model of `checkpoint`, and begin to read the next one's files; `share` of the shard is done, for progress.

    Raises what loading raises.
    """
    from isogloss.backend.models.encoding import read_ahead
    from isogloss.backend.models.loading import load as loading

    context.step("loading the model", share)
    loaded = loading.load(checkpoint, context.settings, layered=True)
    if context.upcoming is not None:  # only now: this one's own loading had the disk to itself
        read_ahead.start(context.upcoming, context.settings, context.should_stop)
    return loaded


def run(
    loaded: Loaded,
    text: Text,
    poolings: Sequence[Pooling],
    words: Sequence[Sequence[Span]] | None,
    progress: Callable[[int, int], None],
    context: Context,
    *,
    keeping: Keeping | None = None,
    keep_words: bool = True,
    first: bool = False,
) -> EncodedBatch:
    """Encode `text` once for `poolings` and `words` (the characters of each sentence's).

    A word is the mean of its tokens, or (`first`) the first of them.

    What the pass gives is put to `keeping`, where there is one: first what was asked for, then the missing poolings of
    `TOGETHER`, then (`keep_words`) the words. Raises what encoding raises, `Cancelled` when the run was, what `Keeping.put`
    raises, and `ModelError` where the checkpoint's files changed meanwhile.
    """
    from isogloss.backend.models.encoding.encode import encode

    asked = _asked(loaded, text, poolings, words, context, keeping, first=first)
    with cancelling():
        encoded = encode(
            loaded,
            asked.tokens,
            asked.poolings,
            words=asked.words,
            language=asked.language,
            progress=progress,
            should_stop=context.should_stop,
        )
    return _given(loaded, text, poolings, words, asked, encoded, context, keeping, keep_words=keep_words)


def run_together(
    loaded: Loaded,
    texts: Sequence[tuple[Text, Sequence[Pooling], Sequence[Sequence[Span]] | None]],
    progress: Callable[[float], None],
    context: Context,
    keeping: Keeping,
) -> list[EncodedBatch]:
    """Encode several texts for poolings and words of their own, as `run`, by a model that is run layer by layer.

    Its weights are read once for all of them. `progress` gets the share that is done. Raises as `run`.
    """
    from isogloss.backend.models.layered.encode import encode_all

    asked = [_asked(loaded, *each, context, keeping) for each in texts]
    with cancelling():
        encoded = encode_all(loaded, asked, progress=progress, should_stop=context.should_stop)
    return [
        _given(loaded, *each, request, done, context, keeping, keep_words=True)
        for each, request, done in zip(texts, asked, encoded, strict=True)
    ]


def _asked(
    loaded: Loaded,
    text: Text,
    poolings: Sequence[Pooling],
    words: Sequence[Sequence[Span]] | None,
    context: Context,
    keeping: Keeping | None,
    *,
    first: bool = False,
) -> Asked:
    """Return what a pass is asked for: the tokens, and beside the poolings their companions, where they are kept."""
    from isogloss.backend.models.encoding import shared_tokens
    from isogloss.backend.models.layered.encode import Asked

    texts = [text.prefix + each for each in text.texts] if text.prefix else text.texts
    tokens = shared_tokens.token_ids(loaded, texts, text.language)
    of_words = None if words is None else shared_tokens.of_words(loaded, texts, text.language, _moved(words, len(text.prefix)))
    of_words = of_words.firsts() if of_words is not None and first else of_words
    of_words = of_words.without_first_token() if of_words is not None and text.without_first else of_words
    companions = [] if keeping is None or keeping.full else _companions(text, poolings, context)
    return Asked(tokens, [*companions, *poolings], of_words, text.language)


def _given(
    loaded: Loaded,
    text: Text,
    poolings: Sequence[Pooling],
    words: Sequence[Sequence[Span]] | None,
    asked: Asked,
    encoded: Encoded,
    context: Context,
    keeping: Keeping | None,
    *,
    keep_words: bool,
) -> EncodedBatch:
    """Return what a pass gave as it is kept, what was asked for first, and put it to `keeping`."""
    from isogloss.backend.models.device import named
    from isogloss.backend.models.loading import load as loading

    loading.check_unchanged(text.checkpoint, context.settings)  # before anything is kept under its name
    made: dict[str, Any] = {"device": named(loaded.device), "precision": str(loaded.dtype).removeprefix("torch.")}
    assert made["precision"] == text.precision, "vectors are kept under the precision that they were computed in"
    given = EncodedBatch(tokens=asked.tokens.count, texts=len(text.texts))
    told: dict[str, Any] = {"truncated": encoded.truncated, "sinks": encoded.sinks, "pieces": asked.tokens.own}
    for pooling in dict.fromkeys([*poolings, *asked.poolings]):
        firsts = encoded.first_shares[pooling]
        given.sentences[pooling] = SentenceVectors(**_own(encoded, pooling), **made, **told, first_shares=firsts)
    if words is not None and asked.words is not None:
        given.words = WordVectors(**_own(encoded, "words"), **made, places=_places(words), lost=_lost(asked.words))
    if keeping is not None:
        given.was_kept = any(store.exists(context.workspace, text.key(pooling)) for pooling in given.sentences)
        keeping.put(_savings(given, text, context, keep_words))
    return given


def _savings(given: EncodedBatch, text: Text, context: Context, keep_words: bool) -> list[Saving]:
    """Return how each kind of vectors is saved: sentences in the order of their poolings, then words."""
    savings = [
        Saving(vectors.size, partial(store.save, context.workspace, text.key(pooling), text.ids, vectors))
        for pooling, vectors in given.sentences.items()
    ]
    if keep_words and given.words is not None:
        savings.append(Saving(given.words.size, partial(word_store.save, context.workspace, text.words_key, given.words)))
    return savings


def worth_keeping(loaded: Loaded, words: Sequence[Sequence[Span]], languages: int, context: Context) -> bool:
    """Return whether the words of all `languages`, taken to have as many as these, take little enough of the budget."""
    size = sum(map(len, words)) * (loaded.layers + 1) * loaded.dims * 2
    return size * languages <= WORDS_SHARE * context.settings.embeddings_gib * 2**30


def _own(encoded: Encoded, kind: Kind) -> dict[str, Any]:
    """What one kind of vectors has of its own, as the store names it."""
    return {"vectors": encoded.vectors[kind], "exponents": encoded.exponents[kind]}


def kept_words(text: Text, context: Context) -> WordVectors | None:
    """Return all words of `text` from the first workspace that has them."""
    found = (word_store.load(workspace, text.words_key) for workspace in context.workspaces)
    return next((each for each in found if each is not None), None)


def words_kept(text: Text, context: Context) -> bool:
    """Return whether a file has them; only `kept_words` knows whether it is whole."""
    return any(store.exists(workspace, text.words_key) for workspace in context.workspaces)


def _moved(words: Sequence[Sequence[Span]], by: int) -> Sequence[Sequence[Span]]:
    """Return the words' characters in texts that begin with `by` others."""
    return [[(start + by, end + by) for start, end in spans] for spans in words] if by else words


def _places(words: Sequence[Sequence[Span]]) -> NDArray[np.int32]:
    """List the words of all sentences, `[words, 3]`: the sentence's number, and start and end in its characters."""
    places = [(i, start, end) for i, spans in enumerate(words) for start, end in spans]
    return np.array(places, np.int32).reshape(-1, 3)


def _lost(words: WordTokens) -> NDArray[np.bool_]:
    """Mark the words of all sentences that have no token, `[words]`."""
    return np.array([not len(found) for sentence in words.tokens for found in sentence], np.bool_)


def _companions(text: Text, poolings: Sequence[Pooling], context: Context) -> list[Pooling]:
    return [
        pooling
        for pooling in TOGETHER
        if pooling not in poolings and not any(store.exists(workspace, text.key(pooling)) for workspace in context.workspaces)
    ]
