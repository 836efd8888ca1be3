"""FLORES-200 and FLORES+ as plain text (NLLB Team 2022; Open Language Data Initiative).

FLORES-200 and FLORES-101 name files `dev/eng_Latn.dev`, `devtest/eng_Latn.devtest` (`eng.dev`); FLORES+ `dev/dev.eng_Latn`.
`metadata_dev.tsv` and `metadata_devtest.tsv`, with a header and a column `URL`, give the document of each line.
FLORES+ on the Hub is Parquet: see `layouts`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel.assemble import Column, assemble
from isogloss.backend.corpora.parallel.plain import align
from isogloss.backend.corpora.shared.delimited import read_rows
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.textlines import check_aligned, read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

CODE = r"[a-z]{3}_[A-Z][a-z]{3}(?:_[a-z0-9]+)?"
TEXT = re.compile(rf"(?:(?P<code>{CODE}|[a-z]{{3}})\.(?P<split>dev|devtest))|(?:(?P<split2>dev|devtest)\.(?P<code2>{CODE}))")
METADATA = re.compile(r"metadata_(dev|devtest)\.tsv")


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the text files of FLORES and, with them, the metadata of their splits."""
    texts = [f for f in files if TEXT.fullmatch(f.base)]
    return dict.fromkeys([*texts, *(f for f in files if texts and METADATA.fullmatch(f.base))], Evidence.PUBLISHED)


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in files of `recognise`; ids are `dev.1`, `devtest.1` … Raises `CorpusError` as `plain.align` does."""
    splits: dict[str, list[tuple[str, InputFile]]] = {}
    for file in files:
        if match := TEXT.fullmatch(file.base):
            splits.setdefault(match["split"] or match["split2"], []).append((match["code"] or match["code2"], file))
    columns: list[Column] = []
    for split, texts in sorted(splits.items()):
        metadata = next((f for f in files if f.base == f"metadata_{split}.tsv"), None)
        documents = _documents(metadata) if metadata else None
        own = align(texts, f"{split}.", documents)
        if metadata and documents is not None:
            check_aligned({**{c.file: len(c.texts) for c in own}, f"{metadata.name} (below its header)": len(documents)})
        columns += own
    return assemble(FORMAT.name, columns)


def _documents(file: InputFile) -> list[str] | None:
    """Return each sentence's URL, or None where the file has no such column."""
    header, *rows = (cells for _, cells in read_rows(file, read_lines(file), "\t", "text"))
    place = next((i for i, name in enumerate(header) if name.strip().lower() == "url"), None)
    return None if place is None else [row[place] if place < len(row) else "" for row in rows]


FORMAT = Format("FLORES", "FLORES-200 and FLORES+: `dev/eng_Latn.dev` …; FLORES+ also as Parquet", recognise, read)
