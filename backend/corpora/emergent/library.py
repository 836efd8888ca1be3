"""The emergent corpora that a workspace keeps: `<workspace>/emergent/<content hash>/emergent.parquet` and `entry.json`.

As with other corpora (`backend.corpora.parallel.library`), the same utterances of the same symbols are the same corpus
under any name, with their meanings or without: what is learnt from utterances does not change when meanings come.
Each row of the table is an utterance, a list of ids; the vocabulary is in the file's metadata. Meanings lie beside it.
"""

from __future__ import annotations

import hashlib
import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pydantic import model_validator

from isogloss.backend import parquet
from isogloss.backend.corpora.emergent import meanings
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport, Origin, Symbols
from isogloss.backend.corpora.shared import kept
from isogloss.backend.corpora.shared.formats import Layout
from isogloss.backend.corpora.shared.inputs import listed
from isogloss.backend.corpora.shared.kind import Kind
from isogloss.backend.errors import CorpusError, StoreError
from isogloss.backend.files import publish_json

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
    reasons: tuple[tuple[str, int], ...] = ()
    source: str | None = None
    language: str | None = None
    """BCP-47, of human-language text."""
    origin: Origin = "emergent"
    attributes: tuple[str, ...] = ()
    """Of its utterances' meanings, where these are kept."""
    meanings_id: str | None = None
    """24 hex digits of the meanings: the same utterances may be brought with them or without."""

    @model_validator(mode="before")
    @classmethod
    def _with_origin(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields  # refused by pydantic
        return {"origin": ORIGINS.get(str(fields.get("format")), "emergent")} | fields


def content_id(corpus: EmergentCorpus) -> str:
    """24 hex digits of the utterances and the symbols that their ids stand for."""
    return _content_id(corpus.ids, corpus.starts, corpus.vocabulary)


def _describe(corpus: EmergentCorpus, **common: Any) -> EmergentEntry:
    report = corpus.report
    return EmergentEntry(
        id=content_id(corpus),
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
        attributes=corpus.meanings.names if corpus.meanings else (),
        meanings_id=corpus.meanings.id if corpus.meanings else None,
        **common,
    )


def _write(corpus: EmergentCorpus, path: Path) -> None:
    column = pa.ListArray.from_arrays(pa.array(corpus.starts.astype(np.int32)), pa.array(corpus.ids))
    vocabulary = None if corpus.vocabulary is None else list(corpus.vocabulary)
    if corpus.meanings is not None:
        meanings.write(corpus.meanings, path.parent)
    parquet.write(path, pa.table([column], schema=SCHEMA), {"vocabulary": vocabulary})


def _restore(entry: EmergentEntry, table: pa.Table, folder: Path) -> EmergentCorpus:
    left_out = entry.skipped_rows, entry.more_skipped, entry.reasons
    report = EmergentReport(entry.format, entry.symbols, *left_out, entry.warnings, entry.source, entry.language, entry.origin)
    told = None if entry.meanings_id is None else meanings.read(folder, entry.meanings_id)
    if told is None and entry.meanings_id is not None:
        raise StoreError(f"The meanings of '{entry.name}' are damaged on disk. Remove the corpus and import it again.")
    return EmergentCorpus(*_arrays(table), report, told)


def _lacks(entry: EmergentEntry, now: EmergentEntry) -> bool:
    return entry.meanings_id is None and now.meanings_id is not None


def _with_meanings(entry: EmergentEntry, corpus: EmergentCorpus, folder: Path) -> EmergentEntry:
    """Add the meanings of `corpus` to what is kept where that has none. Raises `CorpusError` where it has others."""
    told = corpus.meanings
    if told is None or told.id == entry.meanings_id:
        return entry
    if entry.meanings_id is not None:
        raise CorpusError(
            f"The same utterances are saved as '{entry.name}' with other meanings.",
            remedy="Remove that corpus first, or keep it.",
        )
    meanings.write(told, folder)
    now = {"attributes": told.names, "meanings_id": told.id, "warnings": corpus.report.warnings}
    entry = entry.model_copy(update=now)
    publish_json(folder / kept.ENTRY, entry.model_dump(mode="json"))
    return entry


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
    try:
        table = parquet.read(path, batch=BATCH)
    except (OSError, StoreError, pa.ArrowException):
        return None
    if not table.schema.remove_metadata().equals(SCHEMA) or table["utterance"].null_count:
        return None
    if _content_id(*_arrays(table)) != entry.id:
        return None
    whole = entry.meanings_id is None or meanings.read(path.parent, entry.meanings_id) is not None
    return table if whole else None


KIND = Kind(
    name="emergent corpus",
    folder="emergent",
    table="emergent.parquet",
    beside=(meanings.TABLE,),
    complete=_with_meanings,
    lacks=_lacks,
    entry=EmergentEntry,
    describe=_describe,
    write=_write,
    read=_read_table,
    restore=_restore,
    group="emergent",
    several="emergent corpora",
    what="emergent languages",
    about="Import emergent-language corpora, make references, list them and look into them.",
    looks="Rows",
    formats=(
        Layout(
            "JSON Lines",
            '`[3, 1, 4]` (XferBench), `["wa", "tok"]`, `"wa tok"`, or objects with a field: `{"message": [3, 1]}`',
        ),
        Layout("Plain", "`3 1 4` or `wa tok`: an utterance a line"),
        Layout("CSV, TSV", "a header, and a column of messages"),
        Layout("Parquet, Arrow", "a column of lists of integers or text, or of text"),
        Layout("Hugging Face data set", "all files of a folder that `save_to_disk` wrote, dropped together"),
    ),
    formats_note=(
        "Text is UTF-8, also in gzip. What a file is shows in its rows, not in its name. A row that cannot be read is "
        "left out, shown and counted before anything is kept. What utterances mean may be in further fields or columns, or "
        "in a file of its own with a meaning a row: text or numbers, lists or objects of them, as many attributes in every row."
    ),
    columns={
        "tokens": attrgetter("tokens"),
        "utterances": attrgetter("utterances"),
        "vocabulary": attrgetter("vocabulary_size"),
        "format": attrgetter("format"),
    },
    summary=lambda entry: (
        f"{entry.format}: {entry.tokens:,} tokens, {entry.utterances:,} utterances, {entry.vocabulary_size:,} different symbols"
        + (f", {meanings_of(entry)}" if entry.attributes else "")
    ),
)
entries, problems, keep, load, rename, remove = KIND.entries, KIND.problems, KIND.keep, KIND.load, KIND.rename, KIND.remove


def meanings_of(entry: EmergentEntry, most: int = 6) -> str:
    """`meanings of 2 attributes (color, shape)`."""
    number = len(entry.attributes)
    return f"meanings of {number:,} attribute{'s' * (number != 1)} ({listed(entry.attributes, most)})"


def readable(workspaces: Sequence[Path]) -> list[EmergentEntry]:
    """Return the `entries` whose utterances are kept, and not their names alone; `problems` names those that lost theirs."""
    kept_here = [entry for entry in entries(workspaces) if not entry.names_only]
    return [each for each in kept_here if any((place / KIND.folder / each.id / KIND.table).is_file() for place in workspaces)]
