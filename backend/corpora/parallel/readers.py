"""What the dropped files are: one of the known formats, or a sentence on why not."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel import flores, moses, ntrex, pair_tsv, plain, sgm, tabular, tatoeba, tmx
from isogloss.backend.corpora.parallel.assemble import with_warnings
from isogloss.backend.corpora.shared.formats import Format, choose, words_of
from isogloss.backend.corpora.shared.inputs import InputFile, expand, listed
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

__all__ = ["InputFile", "read"]

FORMATS: tuple[Format[Callable[[Sequence[InputFile]], ParallelCorpus]], ...] = tuple(
    each.FORMAT for each in (ntrex, flores, tatoeba, moses, tmx, sgm, pair_tsv, tabular, plain)
)
ALONGSIDE = re.compile(r"(LANGUAGES|DOCUMENT_IDS|metadata_\w+)\.tsv|.*\.(md|pdf|html?|json|ya?ml|py|sh)", re.IGNORECASE)
"""What published corpora have beside their texts: named as not read where the texts are there."""
OFFICE = re.compile(r"\.(xlsx?|ods|docx?|odt|rtf|pptx?)$", re.IGNORECASE)
KNOWN = words_of(FORMATS)


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in a set of dropped files, `.gz` files and `.zip` or `.tar.gz` archives, whatever their order.

    Its report says what was recognised, skipped and odd. Raises `CorpusError` where the files are no known format, several
    formats at once, or cannot be read as they are; `StoreError` where the disk is too full to unpack them.
    """
    if not files:
        raise CorpusError("No file was dropped.", remedy=f"Drop the files of one corpus: {KNOWN}.")
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        inputs, notes = expand(files, Path(folder))
        inputs.sort(key=lambda f: f.name)
        _check_names(inputs)
        format_, chosen, others = choose(FORMATS, inputs, ALONGSIDE)
        if format_ is None:
            raise _unknown(inputs)
        corpus = format_.read(chosen)
    if others:
        notes.append(f"Not read, since not part of the corpus: {listed([file.name for file in others])}.")
    return with_warnings(corpus, notes) if notes else corpus


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
