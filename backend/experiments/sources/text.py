"""The text of sources to pre-train on: kept corpora as token ids. Imports no torch."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.corpus import HUMAN_TEXT, EmergentCorpus, EmergentReport
from isogloss.backend.corpora.parallel import library
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.sources.source import EmergentSource, TextSource

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.training.language_model.options import Text

TOKENIZERS = "tokenizers"
"""Where trained tokenisers are kept in the workspace."""
AT_ONCE = 1000
"""Texts tokenised together."""


def texts_of(corpus: str, language: str, workspaces: Sequence[Path]) -> list[str]:
    """Return the texts of a saved corpus in one language, in its order. Raises `CorpusError` where it has none."""
    return library.load(corpus, workspaces).align([language])[1][language]


def text_digest(texts: Sequence[str]) -> str:
    """Return a 24-digit hexadecimal hash of texts in their order, whatever corpus they lie in."""
    hashed = hashlib.blake2b(digest_size=12)
    for text in texts:
        encoded = text.encode()
        hashed.update(len(encoded).to_bytes(8, "little") + encoded)
    return hashed.hexdigest()


def source_corpus(
    source: EmergentSource | TextSource, entries: int, enough: int, context: Context, text: Text = "file order", seed: int = 0
) -> EmergentCorpus:
    """Load the utterances to pre-train on. Human-language text is `text_corpus` with these arguments.

    Raises `CorpusError` where the corpus is not kept, `StoreError` where its files are damaged.
    """
    if isinstance(source, TextSource):
        texts = texts_of(source.corpus, source.language, context.workspaces)
        return text_corpus(texts, entries, context.workspace / TOKENIZERS, enough, text=text, seed=seed)
    return emergent_library.load(source.corpus, context.workspaces)


def fold_ranks(corpus: EmergentCorpus, most: int) -> EmergentCorpus:
    """Fold the corpus into at most `most` symbols: frequency ranks that are equal modulo `most` become one symbol.

    Its most frequent symbols stay apart, each with what is rarer, and what is random, nested or repeated stays that. Only
    models with small vocabularies need it: the paper's has 30,000.
    """
    if corpus.vocabulary_size <= most:
        return corpus
    _, dense, counts = np.unique(corpus.ids, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")  # of equal counts the lower id first
    rank = np.empty(len(counts), np.int32)
    rank[order] = np.arange(len(counts), dtype=np.int32) % most
    return EmergentCorpus(rank[dense], corpus.starts, None, corpus.report)


def text_corpus(
    texts: Sequence[str],
    vocabulary: int,
    kept_in: Path | None = None,
    enough: int | None = None,
    *,
    text: Text = "file order",
    seed: int = 0,
    language: str | None = None,
    kept_name: str = "",
) -> EmergentCorpus:
    """Human-language text as a corpus like any other: an utterance a text, its symbols the entries of a byte-level BPE.

    Args:
        texts: Empty ones are left out.
        vocabulary: Entries of the tokeniser, trained on these texts, at most.
        kept_in: Folder that keeps trained tokenisers; None to train each time.
        enough: Texts that come after so many tokens are left out; None takes all.
        text: Which texts come first (`backend.training.language_model.order`); where it is the published code's, its first
            15,000 are all that is read.
        seed: Of a random order.
        language: The text's, as a BCP-47 tag, and
        kept_name: the name of the corpus that it is of, both for the report alone.

    Raises `CorpusError` where there is no text.
    """
    from isogloss.backend.training.language_model.options import is_released
    from isogloss.backend.training.language_model.order import in_order, tokenizer_of
    from isogloss.backend.training.language_model.released import SOURCE_TEXTS

    tokenizer = tokenizer_of(texts, text, vocabulary, kept_in)
    if is_released(text):
        texts, enough = texts[:SOURCE_TEXTS], None
    else:
        texts = in_order(texts, text, seed)
    rows: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
    read = 0
    for first in range(0, len(texts), AT_ONCE):
        if enough is not None and read >= enough:
            break
        encoded = tokenizer.encode_batch_fast(list(texts[first : first + AT_ONCE]), add_special_tokens=False)
        rows += [np.asarray(one.ids, np.int32) for one in encoded if one.ids]
        read = sum(map(len, rows)) if enough is not None else 0
    if not rows:
        raise CorpusError("There is no text to take tokens from.", remedy="Choose a language that the corpus has text of.")
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows], dtype=np.int64)])
    entries = tokenizer.get_vocab_size()
    words = tuple(_readable(str(tokenizer.id_to_token(place))) for place in range(entries))
    source = f"{kept_name}, byte-level BPE of {entries:,} entries" if kept_name else f"byte-level BPE of {entries:,} entries"
    report = EmergentReport(HUMAN_TEXT, "words", source=source, language=language, origin="human")
    return EmergentCorpus(np.concatenate(rows), starts, words, report)


def _readable(token: str) -> str:
    """Return an entry of a byte-level BPE as text, `▁` for a space; bytes that are no whole characters as `<e6 97>`."""
    raw = bytes(_byte_of()[character] for character in token)
    try:
        return raw.decode("utf-8").replace(" ", "▁")
    except UnicodeDecodeError:
        return f"<{raw.hex(' ')}>"


@lru_cache(maxsize=1)
def _byte_of() -> dict[str, int]:
    """The byte that each character of a byte-level BPE stands for: itself where Latin-1 prints it (Radford et al. 2019)."""
    printed = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {chr(256 + place): byte for place, byte in enumerate(others)}
