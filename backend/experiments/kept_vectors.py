"""Which vectors of a run are saved already: its price counts only what must be encoded, and says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from backend.corpora.languages.words import segmenter_version
from backend.corpora.parallel import library as corpora
from backend.corpora.parallel.corpus import ParallelCorpus
from backend.errors import IsoglossError
from backend.experiments.estimate import Encoding, Lacking, corpus_of, read_cached
from backend.files import published_files
from backend.store import embeddings, word_embeddings
from backend.store.embeddings import EmbeddingKey

if TYPE_CHECKING:
    from backend.models.entry import Checkpoint

Digests = Mapping[str, str]
"""Language → the digest of the ids of the sentences that are encoded (`embeddings.sentences_digest`)."""
Kinds = Mapping[str, Sequence[str]]
"""Language → the kinds of vectors that are needed of it, as keys call them: poolings, or words."""


def without_kept(
    encoding: Encoding,
    checkpoints: Sequence[Checkpoint],
    corpus: str,
    sentences: Digests | None,
    kinds: Kinds,
    prefix: str,
    workspaces: Sequence[Path],
) -> Encoding:
    """Return what is left to encode of sentences of a parallel corpus, by the files of vectors that the workspaces have.

    `sentences` None, which ids are encoded is not known, and a corpus that is not kept leave all.
    """
    entry = corpus_of(corpus, workspaces)
    if sentences is None or entry is None:
        return encoding
    there_are, precision = files(workspaces), encoding.speed.precision
    characters = {each.tag: each.characters for each in entry.languages if each.tag in kinds}
    whole, shares, there = sum(characters.values()), [], []
    for checkpoint in checkpoints:
        kept = [
            tag
            for tag, needed in kinds.items()
            if all(
                _file(checkpoint.fingerprint, corpus, tag, kind, sentences[tag], prefix, precision) in there_are
                for kind in needed
            )
        ]
        there.append(len(kept))
        shares.append(1.0 - sum(characters.get(tag, 0) for tag in kept) / max(1, whole) if len(kept) < len(kinds) else 0.0)
    return replace(encoding, lacking=Lacking(tuple(shares), said(there, len(kinds)))) if any(there) else encoding


def said(there: Sequence[int], languages: int) -> str:
    """Say of how many `languages` each checkpoint's vectors are `there`."""
    total = languages * len(there)
    if sum(there) == total:
        return "all vectors are kept: nothing is encoded"
    if len(set(there)) == 1:
        return f"vectors of {there[0]} of {languages} languages are kept: the others are encoded"
    if set(there) == {0, languages}:
        return f"vectors of {there.count(languages)} of {len(there)} checkpoints are kept: the others are encoded"
    return f"vectors of {sum(there):,} of {total:,} languages × checkpoints are kept: the others are encoded"


def shared(corpus: str, languages: Sequence[str], limit: int | None, workspaces: Sequence[Path]) -> Digests | None:
    """Return the digests of the sentences that all of `languages` have, or the first so many; None where that is not known."""
    found = _digest(corpus, tuple(languages), limit, tuple(workspaces))
    return None if found is None else dict.fromkeys(languages, found)


def own(corpus: str, languages: Sequence[str], limit: int | None, workspaces: Sequence[Path]) -> Digests | None:
    """Return the digests of all sentences of each language, or the first so many; None where that is not known."""
    found = {tag: _digest(corpus, (tag,), limit, tuple(workspaces)) for tag in languages}
    known = {tag: each for tag, each in found.items() if each is not None}
    return known if len(known) == len(found) else None


def poolings(languages: Sequence[str], needed: Sequence[str]) -> Kinds:
    """Return the same poolings of every language."""
    return dict.fromkeys(languages, needed)


def words(languages: Sequence[str]) -> Kinds:
    """Return the words that our segmenter finds in each language."""
    return {tag: [word_embeddings.key_of("", "", tag, segmenter_version(tag), "").pooling] for tag in languages}


def files(workspaces: Sequence[Path]) -> frozenset[str]:
    """Return the names of all files of vectors."""
    return frozenset(read_cached(embeddings.FOLDER, workspaces, _listed))


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
