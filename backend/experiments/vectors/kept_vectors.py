"""Which vectors of a shard are saved already: its work is to encode the others, or, where all are there, to score them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.languages.words import segmenter_version
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.errors import CorpusError, IsoglossError
from isogloss.backend.experiments.pricing.estimate import Work, read_cached, size_of
from isogloss.backend.files import published_files
from isogloss.backend.store import embeddings, word_embeddings
from isogloss.backend.store.embeddings import EmbeddingKey

if TYPE_CHECKING:
    from isogloss.backend.corpora.parallel.library import CorpusEntry, KeptLanguage
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.models.entry import Checkpoint, Model

OF_SYLLABLES = frozenset({"Hani", "Hans", "Hant", "Jpan", "Kore"})
LETTERS_A_CHARACTER = 2.2
"""Of syllables and words, as scripts of East Asia have: XLM-R's tokeniser gives .55 (Korean), .61 (Japanese) tokens a character
of NTREX and .20 to .35 in the 33 other languages; a price by plain characters took Chinese for a seventh of the others."""

Digests = Mapping[str, str]
"""Language → the digest of the ids of the sentences that are encoded (`embeddings.sentences_digest`)."""
Kinds = Mapping[str, Sequence[str]]
"""Language → the kinds of vectors that are needed of it, as keys call them: poolings, or words."""


def work(
    checkpoint: Checkpoint,
    model: Model,
    corpus: CorpusEntry,
    sentences: Digests | None,
    kinds: Kinds,
    where: Place,
    *,
    prefix: str = "",
    limit: int | None = None,
    scoring: float,
    options: tuple[str, ...],
) -> Work:
    """Return what it is to score a checkpoint on sentences of a parallel corpus, by the files of vectors that are there.

    Where something must be encoded it is characters × size of the model, and what `scoring` counts beside: that grows with the
    squares of languages and sentences, so of few the one tells nothing of the other. `options` are those of the scores: the
    first changes what scoring is. `sentences` None, which ids are encoded is not known, and `limit` is how many of each
    language are.
    """
    characters = {each.tag: _letters(each) for each in corpus.languages if each.tag in kinds}
    there = files(where.workspaces)
    kept = [
        tag
        for tag, needed in kinds.items()
        if sentences is not None
        and all(
            _file(checkpoint.fingerprint, corpus.id, tag, kind, sentences[tag], prefix, where.precision) in there
            for kind in needed
        )
    ]
    like = (model.name, corpus.id, *options[1:])
    to_score = Work(scoring, (f"scoring, {options[0]}", *like), len(kept), len(kinds))
    if len(kept) == len(kinds):
        return to_score
    share = min(1.0, (limit or corpus.sentences) / max(1, corpus.sentences))
    left = share * sum(count for tag, count in characters.items() if tag not in kept)
    encoding = f"encoding alone, {options[0]}"
    return Work(left * size_of(model), (encoding, *like), len(kept), len(kinds), beside=to_score if scoring else None)


def common_digests(corpus: str, languages: Sequence[str], limit: int | None, workspaces: Sequence[Path]) -> Digests | None:
    """Return the digests of the sentences that all of `languages` have, or the first so many; None where that is not known."""
    found = _digest(corpus, tuple(languages), limit, tuple(workspaces))
    return None if found is None else dict.fromkeys(languages, found)


def sentence_digests(corpus: str, languages: Sequence[str], limit: int | None, workspaces: Sequence[Path]) -> Digests | None:
    """Return the digests of all sentences of each language, or the first so many; None where that is not known."""
    found = {tag: _digest(corpus, (tag,), limit, tuple(workspaces)) for tag in languages}
    known = {tag: each for tag, each in found.items() if each is not None}
    return known if len(known) == len(found) else None


def poolings(languages: Sequence[str], needed: Sequence[str]) -> Kinds:
    """Return the same poolings of every language."""
    return dict.fromkeys(languages, needed)


def word_kinds(languages: Sequence[str], *, without_first: bool = False) -> Kinds:
    """Return the words that our segmenter finds in each language, with their sentence's first token or without."""
    keys = {tag: word_embeddings.words_of(segmenter_version(tag), without_first=without_first) for tag in languages}
    return {tag: [word_embeddings.key_of("", "", tag, key, "").pooling] for tag, key in keys.items()}


def files(workspaces: Sequence[Path]) -> frozenset[str]:
    """Return the names of all files of vectors."""
    return frozenset(read_cached(embeddings.FOLDER, workspaces, _listed))


def _letters(known: KeptLanguage) -> float:
    """Return a language's characters in letters of an alphabet: as many make as many tokens."""
    try:
        script = language(known.tag).script
    except CorpusError:  # the name of a library's own making, as a language of a constructed corpus has
        return known.characters
    return known.characters * (LETTERS_A_CHARACTER if script in OF_SYLLABLES else 1.0)


@lru_cache(maxsize=256)
def _digest(corpus: str, languages: tuple[str, ...], limit: int | None, workspaces: tuple[Path, ...]) -> str | None:
    """Return the digest, found once: a corpus' id is its content."""
    try:
        return embeddings.sentences_digest(_loaded(corpus, workspaces).align(languages, limit)[0])
    except IsoglossError:
        return None


@lru_cache(maxsize=1)
def _loaded(corpus: str, workspaces: tuple[Path, ...]) -> ParallelCorpus:
    return corpora.load(corpus, workspaces)


@lru_cache(maxsize=1 << 16)
def _file(fingerprint: str, corpus: str, language: str, kind: str, sentences: str, prefix: str, precision: str) -> str:
    return EmbeddingKey(fingerprint, corpus, language, kind, sentences, prefix, precision).file


def _listed(workspaces: Sequence[Path]) -> list[str]:
    return [file.name for workspace in workspaces for file in published_files(workspace / embeddings.FOLDER, "*.parquet")]
