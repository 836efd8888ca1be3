"""What the dropped files are: one of the known formats, or a sentence on why not."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from backend.corpora.parallel import flores, moses, ntrex, pair_tsv, plain, sgm, tabular, tatoeba, tmx
from backend.corpora.parallel.assemble import with_warnings
from backend.corpora.shared import limits
from backend.corpora.shared.inputs import InputFile, expand
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from backend.corpora.parallel.corpus import ParallelCorpus

__all__ = ["InputFile", "read"]

NAMED: tuple[tuple[str, ModuleType], ...] = (
    ("NTREX-128", ntrex),
    ("FLORES", flores),
    ("Tatoeba", tatoeba),
    ("Moses pairs", moses),
    ("TMX", tmx),
    ("WMT test sets", sgm),
    ("tables of two columns without a header", pair_tsv),
    ("tables", tabular),
    ("plain text, one file per language", plain),
)
"""In order: a file belongs to the first format whose `matching_files` has it."""
ALONGSIDE = re.compile(r"(LANGUAGES|DOCUMENT_IDS|metadata_\w+)\.tsv|.*\.(md|pdf|html?|json|ya?ml|py|sh)", re.IGNORECASE)
"""What published corpora have beside their texts: named as not read where the texts are there, never a format of its own."""
OFFICE = re.compile(r"\.(xlsx?|ods|docx?|odt|rtf|pptx?)$", re.IGNORECASE)
KNOWN = (
    "NTREX-128, FLORES-200 or FLORES+, Tatoeba and Moses pairs (corpus.de-en.de with corpus.de-en.en), TMX, WMT's .sgm pairs "
    "(newstest2019-deen-src.de.sgm with newstest2019-deen-ref.en.sgm), CSV, TSV, "
    "JSON Lines, Parquet, or one text file per language (news.de, news.fi)"
)


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in a set of dropped files, `.gz` files and `.zip` or `.tar.gz` archives, whatever their order.

    Its report says what was recognised, skipped and odd. Raises `CorpusError` where the files are no known format, several
    formats at once, or cannot be read as they are; `StoreError` where the disk is too full to unpack them.
    """
    if not files:
        raise CorpusError("No file was dropped.", remedy=f"Drop the files of one corpus: {KNOWN}.")
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder, limits.one_import():
        found, notes = expand(files, Path(folder))
        found.sort(key=lambda f: f.name)
        _check_names(found)
        reader, chosen, others = _choose(found)
        corpus: ParallelCorpus = reader.read(chosen)
    if others:
        listed = ", ".join(f.name for f in others[:10]) + (f" and {len(others) - 10:,} more" if len(others) > 10 else "")
        notes.append(f"Not read, since not part of the corpus: {listed}.")
    return with_warnings(corpus, notes) if notes else corpus


def _choose(files: list[InputFile]) -> tuple[ModuleType, list[InputFile], list[InputFile]]:
    """Return the reader, the files it reads, and the others. Raises `CorpusError` for no format and for several."""
    left = files
    matched: list[tuple[str, ModuleType, list[InputFile]]] = []
    for kind, reader in NAMED:
        beside = [f for f in left if matched and ALONGSIDE.fullmatch(f.base)]
        chosen = [f for f in reader.matching_files(left) if f not in beside]
        if chosen:
            matched.append((kind, reader, chosen))
            left = [f for f in left if f not in chosen]
    texts = [m for m in matched if m[1] is not plain or len(matched) == 1]
    if not texts:
        raise _unknown(files)
    if len(texts) > 1:
        listed = " and ".join(f"{kind} ({chosen[0].name})" for kind, _, chosen in texts[:3])
        raise CorpusError(f"These are several formats: {listed}.", remedy="Drop the files of one corpus at a time.")
    _, reader, chosen = texts[0]
    return reader, chosen, [f for f in files if f not in chosen]


def _check_names(files: Sequence[InputFile]) -> None:
    """Raise `CorpusError` for two files of one name: nothing could tell which is meant."""
    seen: dict[str, str] = {}
    for file in files:
        if file.name in seen:
            raise CorpusError("Two files have this name.", remedy="Drop it once, or rename one of them.", file=file.name)
        seen[file.name] = file.base


def _unknown(files: Sequence[InputFile]) -> CorpusError:
    if not files:
        return CorpusError("The archive holds no files.", remedy=f"Drop the files of one corpus: {KNOWN}.")
    file = files[0]
    if OFFICE.search(file.base):
        return CorpusError(
            "Office documents are not read.", remedy="Save the sheet as CSV (UTF-8) or the text as plain text.", file=file.name
        )
    if file.base.lower().endswith(".json"):
        return CorpusError("JSON is read as JSON Lines.", remedy="Write one object a line, in a .jsonl file.", file=file.name)
    return CorpusError(
        "The name does not say which format or which language this is.",
        remedy=f"These are read: {KNOWN}.",
        file=file.name,
    )
