"""The emergent corpora that a workspace keeps: `<workspace>/emergent/<content hash>/emergent.parquet` and `entry.json`.

As with other corpora (`backend.corpora.parallel.library`), the same utterances of the same symbols are the same corpus
under any name.
Each row of the table is an utterance, a list of ids; the vocabulary is in the file's metadata.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pydantic import model_validator

from backend import parquet
from backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport, Origin, Symbols
from backend.corpora.parallel.corpus import Skipped
from backend.corpora.shared import kept
from backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

BATCH = 1 << 16
"""Utterances that are decoded at once."""
ORIGINS: dict[str, Origin] = {
    "human-language text": "human",
    "Random": "random",
    "Paren synth": "synthetic",
    "Paren real": "synthetic",
    "Shuffled within utterances": "synthetic",
    "Shuffled over the corpus": "synthetic",
}
"""By their formats those of corpora that were kept before entries said it; others were emergent."""
SCHEMA = pa.schema([("utterance", pa.list_(pa.int32()))])


class EmergentEntry(kept.Entry):
    """What is known of a saved emergent corpus without reading its rows."""

    format: str
    symbols: Symbols
    tokens: int
    utterances: int
    vocabulary_size: int
    """How many different symbols occur."""
    longest: int
    """Tokens of the longest utterance."""
    skipped: int = 0
    skipped_rows: tuple[Skipped, ...] = ()
    """The first of them, as in the reader's report."""
    reasons: tuple[tuple[str, int], ...] = ()
    source: str | None = None
    language: str | None = None
    """BCP-47, of human-language text."""
    origin: Origin = "emergent"

    @model_validator(mode="before")
    @classmethod
    def _with_origin(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields  # refused by pydantic
        return {"origin": ORIGINS.get(str(fields.get("format")), "emergent")} | fields


def content_id(corpus: EmergentCorpus) -> str:
    """24 hex digits of the utterances and the symbols that their ids stand for."""
    return _content_id(corpus.ids, corpus.starts, corpus.vocabulary)


def keep(corpus: EmergentCorpus, name: str, workspace: Path, *, licence: str | None = None) -> EmergentEntry:
    """Keep a corpus under a name. Content that is saved already stays under the name it has: its entry is returned.

    Raises `CorpusError` for a name that is empty, too long or taken by another emergent corpus, `StoreError` where the
    workspace cannot be written.
    """
    name = kept.checked_name(name, "emergent corpus")
    entry = _entry(corpus, name, licence)

    def write(path: Path) -> None:
        column = pa.ListArray.from_arrays(pa.array(corpus.starts.astype(np.int32)), pa.array(corpus.ids))
        vocabulary = None if corpus.vocabulary is None else list(corpus.vocabulary)
        parquet.write(path, pa.table([column], schema=SCHEMA), {"vocabulary": vocabulary})

    return SHELF.keep(entry, workspace, write)


def load(corpus_id: str, workspaces: Sequence[Path]) -> EmergentCorpus:
    """Return a saved emergent corpus, from the first workspace that has it. Its content is checked against its id.

    Raises `CorpusError` where no workspace has it, `StoreError` where its files are damaged.
    """
    entry, table = SHELF.load(corpus_id, workspaces)
    left_out = entry.skipped_rows, entry.skipped - len(entry.skipped_rows), entry.reasons
    report = EmergentReport(entry.format, entry.symbols, *left_out, entry.warnings, entry.source, entry.language, entry.origin)
    return EmergentCorpus(*_arrays(table), report)


def _entry(corpus: EmergentCorpus, name: str, licence: str | None) -> EmergentEntry:
    report = corpus.report
    return EmergentEntry(
        id=content_id(corpus),
        name=name,
        format=report.format,
        symbols=report.symbols,
        tokens=corpus.tokens,
        utterances=corpus.utterances,
        vocabulary_size=corpus.vocabulary_size,
        longest=int(np.diff(corpus.starts).max()),
        reasons=report.reasons,
        source=report.source,
        language=report.language,
        origin=report.origin,
        **kept.reading_fields(report, licence),
    )


def _content_id(ids: NDArray[np.int32], starts: NDArray[np.int64], vocabulary: Sequence[str] | None) -> str:
    hashed = hashlib.blake2b(digest_size=12)
    words = json.dumps(None if vocabulary is None else list(vocabulary)).encode("ascii")
    for part in (ids.astype("<i4", copy=False).data, starts.astype("<i8", copy=False).data, words):
        hashed.update(hashlib.blake2b(part, digest_size=16).digest())
    return hashed.hexdigest()


def _arrays(table: pa.Table) -> tuple[NDArray[np.int32], NDArray[np.int64], tuple[str, ...] | None]:
    """Ids, starts and vocabulary as in `EmergentCorpus`."""
    chunks = table["utterance"].chunks
    ids = np.concatenate([np.empty(0, np.int32), *(chunk.flatten().to_numpy() for chunk in chunks)])
    lengths = (np.diff(chunk.offsets.to_numpy()) for chunk in chunks)
    starts = np.concatenate([np.zeros(1, np.int64), *lengths])
    provenance: dict[str, Any] = json.loads((table.schema.metadata or {}).get(parquet.METADATA, b"{}"))
    vocabulary = provenance.get("vocabulary")
    return ids, np.cumsum(starts), None if vocabulary is None else tuple(vocabulary)


def _read_table(path: Path, entry: EmergentEntry) -> pa.Table | None:
    """Return the utterances, or None where the file is missing, damaged, or not what the entry was made from."""
    try:
        table = parquet.read(path, batch=BATCH)
    except (OSError, StoreError, pa.ArrowException):
        return None
    if not table.schema.remove_metadata().equals(SCHEMA) or table["utterance"].null_count:
        return None
    return table if _content_id(*_arrays(table)) == entry.id else None


SHELF = kept.Shelf("emergent corpus", "emergent", "emergent.parquet", EmergentEntry, _read_table)
entries, problems, rename, remove = SHELF.entries, SHELF.problems, SHELF.rename, SHELF.remove


def readable(workspaces: Sequence[Path]) -> list[EmergentEntry]:
    """Return the `entries` whose utterances are kept, and not their names alone; `problems` names those that lost theirs."""
    kept_here = [entry for entry in entries(workspaces) if not entry.names_only]
    return [each for each in kept_here if any((place / SHELF.folder / each.id / SHELF.table).is_file() for place in workspaces)]
