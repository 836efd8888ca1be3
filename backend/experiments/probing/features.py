"""Vectors of words or sentences of one language: kept ones are read, missing ones encoded, a piece at a time.

All layers of a hundred thousand words take gigabytes, so while they are used they lie in a nameless file of the workspace,
which is gone with the process; what the budget has room for is kept beside, as other vectors are, and serves the next time.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import StoreError
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.experiments.vectors.keeping import Keeping, Saving
from isogloss.backend.experiments.vectors.one_pass import Text
from isogloss.backend.store import embeddings as store
from isogloss.backend.store import word_embeddings as word_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.languages.words import Span
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.models.entry import Checkpoint, Pooling
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.probe.options import Pooling as WordPooling

WORDS_A_PIECE = 4096
"""Words encoded and kept together, in whole sentences: 80 MB of a model with 13 layers of 768 dimensions."""
SENTENCES_A_PIECE = 1024
KEPT_SHARE = 0.4
"""Vectors are kept where those of all languages that a checkpoint needs take at most this share of the budget."""
SEGMENTATION: dict[WordPooling, str] = {"mean": "given 1", "first": "given 1 first"}
"""Under what the words of tagged text are kept; of no other text are words given. A number raised makes older files unread."""


class Vectors:
    """Vectors as they are filled in, in a file without a name that is gone with them, or with the process."""

    def __init__(self, rows: int, context: Context) -> None:
        """Make room for as many `rows`, without those that have no vector."""
        self.kept = np.zeros(rows, np.bool_)
        """`[rows]`: false for a word without a vector (cut off with its sentence's end, or unknown to the tokeniser)."""
        self.devices: set[str] = set()
        self.precisions: set[str] = set()
        context.workspace.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=context.workspace)  # noqa: SIM115 — it lives as long as its vectors
        self._exponents: list[NDArray[np.int16]] = []
        self._shape = (0, 0)
        self._put = 0

    def put(
        self, vectors: NDArray[np.float16], exponents: NDArray[np.int16], lost: NDArray[np.bool_], device: str, precision: str
    ) -> None:
        """Fill in the next rows. Raises `StoreError` where the disk is full."""
        self.kept[self._put : self._put + len(vectors)] = ~lost
        self._put += len(vectors)
        self._shape = (int(vectors.shape[1]), int(vectors.shape[2]))
        self._exponents.append(exponents[~lost])
        self.devices.add(device)
        self.precisions.add(precision)
        try:
            self._file.write(np.ascontiguousarray(vectors[~lost]).data)
        except OSError as error:
            raise StoreError(
                f"The workspace has no room for the vectors of a probe: {error.strerror or error}. "
                "Free some disk space, or train on fewer words."
            ) from error

    @property
    def lost(self) -> int:
        """Count the rows without a vector."""
        return int((~self.kept).sum())

    @property
    def stored(self) -> NDArray[np.float16]:
        """`[rows kept, layers + 1, dims]`, mapped into memory."""
        self._file.flush()
        shape = (int(self.kept.sum()), *self._shape)
        return np.memmap(self._file, np.float16, "r", shape=shape) if shape[0] else np.zeros(shape, np.float16)

    @property
    def exponents(self) -> NDArray[np.int16] | None:
        """`[rows kept, layers + 1]`: true vector = stored vector × 2^exponent; None where all are 0, as nearly always.

        A linear probe notices, unlike a cosine.
        """
        found = np.concatenate(self._exponents) if self._exponents else np.zeros((0, 0), np.int16)
        return found if found.any() else None


Share = tuple[float, float]
"""From what share of the shard to what share something goes, for progress."""


@dataclass(frozen=True)
class FeaturePart:
    """Sentences of one language that are encoded together, and the name under which their vectors are kept."""

    corpus: str
    """Content id of the tagged corpus or labelled task."""
    language: str
    ids: Sequence[str]
    texts: Sequence[str]
    spans: Sequence[Sequence[Span]] = ()
    """The words of each sentence, where words are wanted."""


class Encoder:
    """Gives vectors of one checkpoint; loads its weights once, and only if something is missing."""

    def __init__(self, checkpoint: Checkpoint, context: Context, languages: int, prefix: str = "") -> None:
        """`languages` is how many are asked for of one checkpoint: whether vectors are worth keeping depends on it.

        The model reads `prefix` before every sentence.
        """
        self.checkpoint, self.context, self.languages, self.prefix = checkpoint, context, languages, prefix
        self.tokens = self.texts = 0
        """Encoded now, not read."""
        self._loaded: Loaded | None = None

    def words(self, part: FeaturePart, pooling: WordPooling, share: Share) -> Vectors:
        """The vectors of all words of `part`, sentence by sentence; progress goes from one `share` of the shard to another.

        Raises what loading and encoding raise; `Cancelled` when the run was.
        """
        vectors = Vectors(sum(map(len, part.spans)), self.context)
        with Keeping(self.context) as keeping:
            for begin, end in pieces_of_words([len(spans) for spans in part.spans]):
                self._step(part, begin, share)
                text, spans = self._text(part, begin, end, SEGMENTATION[pooling]), part.spans[begin:end]
                kept = one_pass.kept_words(text, self.context)
                if kept is None or kept.exponents is None:
                    loaded = self._load(share[0])
                    reporting = self._reporting(part, begin, share)
                    first = pooling == "first"
                    given = one_pass.run(loaded, text, [], spans, reporting, self.context, first=first)
                    kept = given.words
                    assert kept is not None
                    assert kept.exponents is not None
                    self._count(given.tokens, given.texts)
                    if self._worth_keeping(len(vectors.kept), kept.vectors.shape):
                        save = partial(word_store.save, self.context.workspace, text.words_key, kept)
                        keeping.put([Saving(kept.size, save)])
                vectors.put(kept.vectors, kept.exponents, kept.lost, kept.device, kept.precision)
        return vectors

    def sentences(self, part: FeaturePart, pooling: Pooling, share: Share) -> Vectors:
        """Return the vectors of all sentences of `part`; as `words`."""
        vectors = Vectors(len(part.texts), self.context)
        with Keeping(self.context) as keeping:
            for begin in range(0, len(part.texts), SENTENCES_A_PIECE):
                end = min(begin + SENTENCES_A_PIECE, len(part.texts))
                self._step(part, begin, share)
                text = self._text(part, begin, end, None)
                of_workspaces = (store.load(workspace, text.key(pooling)) for workspace in self.context.workspaces)
                kept = next((each for each in of_workspaces if each is not None), None)
                if kept is None:
                    loaded = self._load(share[0])
                    reporting = self._reporting(part, begin, share)
                    given = one_pass.run(loaded, text, [pooling], None, reporting, self.context)
                    kept = given.sentences[pooling]
                    self._count(given.tokens, given.texts)
                    if self._worth_keeping(len(vectors.kept), kept.vectors.shape):
                        save = partial(store.save, self.context.workspace, text.key(pooling), text.ids, kept)
                        keeping.put([Saving(kept.size, save)])
                none = np.zeros(end - begin, np.bool_)
                vectors.put(kept.vectors, kept.exponents, none, kept.device, kept.precision)
        return vectors

    def _text(self, part: FeaturePart, begin: int, end: int, segmentation: str | None) -> Text:
        ids, texts = part.ids[begin:end], part.texts[begin:end]
        precision = one_pass.precision_of(self.context.settings)
        return Text(self.checkpoint, part.corpus, part.language, ids, texts, segmentation, self.prefix, precision)

    def _step(self, part: FeaturePart, done: int, share: Share) -> None:
        total = len(part.texts)
        now = share[0] + (share[1] - share[0]) * done / max(1, total)
        self.context.step(f"encoding {part.language} ({done} of {total} sentences)", now)

    def _reporting(self, part: FeaturePart, begin: int, share: Share) -> Callable[[int, int], None]:
        return lambda done, _total: self._step(part, begin + done, share)

    def _count(self, tokens: int, texts: int) -> None:
        self.tokens += tokens
        self.texts += texts

    def _worth_keeping(self, rows: int, shape: tuple[int, ...]) -> bool:
        size = rows * shape[1] * shape[2] * 2
        return size * self.languages <= KEPT_SHARE * self.context.settings.embeddings_gib * 2**30

    def _load(self, share: float) -> Loaded:
        if self._loaded is None:
            self._loaded = one_pass.load(self.checkpoint, self.context, share)
        return self._loaded


def pieces_of_words(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Cut sentences of so many words into what is encoded and kept together; where each piece begins and ends."""
    return _pieces(sizes, WORDS_A_PIECE)


def _pieces(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Cut a sequence into pieces of at most `most` in size, or of one; where each begins and ends."""
    begin, size = 0, 0
    for i, each in enumerate(sizes):
        if i > begin and size + each > most:
            yield begin, i
            begin, size = i, 0
        size += each
    if begin < len(sizes):
        yield begin, len(sizes)
