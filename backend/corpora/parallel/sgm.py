"""Test sets of WMT in SGML: `newstest2019-deen-src.de.sgm` with `newstest2019-deen-ref.en.sgm`.

The files are no XML: a bare `&` may stand in them. What is read of them are `<doc docid>` and `<seg id>`, in capitals or not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from isogloss.backend.corpora.parallel.assemble import Column, assemble
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.textlines import each_line
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

NAME = re.compile(r"(?P<pair>.+)-(?P<side>src|ref)\.(?P<language>[A-Za-z]{2,3}(?:_[A-Za-z]{2,4})?)\.sgml?", re.IGNORECASE)
TAG = re.compile(r"<(doc|seg|/seg)\b([^<>]*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\b(docid|id)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));", re.IGNORECASE)
NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the files whose name says that they are one side of a test set."""
    return {f: Evidence.PATTERN for f in files if NAME.fullmatch(f.base)}


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in files that `recognise` returned; a sentence's id is `document/segment`, after its set if several.

    Raises `CorpusError` for a missing half, a file that is not as WMT writes them, and halves with different segments.
    """
    pairs: dict[str, dict[str, tuple[str, InputFile]]] = {}
    for file in files:
        match = NAME.fullmatch(file.base)
        assert match is not None
        pairs.setdefault(match["pair"], {})[match["side"].lower()] = match["language"], file
    columns: list[Column] = []
    for pair, halves in sorted(pairs.items()):
        if len(halves) < 2:
            [(side, (_, file))] = halves.items()
            other = "ref" if side == "src" else "src"
            raise CorpusError(
                f"Its other half, {pair}-{other}, is missing.",
                remedy="Drop the source and the reference together.",
                file=file.name,
            )
        prefix = f"{pair}/" if len(pairs) > 1 else ""
        columns += _same_segments([_column(*halves[side], prefix) for side in ("src", "ref")])
    return assemble(FORMAT.name, columns)


def _same_segments(halves: list[Column]) -> list[Column]:
    """Return both halves. Raises `CorpusError` naming a segment that only one has."""
    for one, other in (halves, halves[::-1]):
        there = set(other.ids)
        lacking = next(((i, line) for i, line in zip(one.ids, one.lines, strict=True) if i not in there), None)
        if lacking is not None:
            raise CorpusError(
                f"The segment {lacking[0]} is not in {other.file}.",
                remedy="Drop the source and the reference of one test set.",
                file=one.file,
                line=lacking[1],
            )
    return halves


def _column(language: str, file: InputFile, prefix: str) -> Column:
    text = "\n".join(each_line(file))
    ids: list[str] = []
    texts: list[str | None] = []
    lines: list[int] = []
    documents: list[str | None] = []
    document, segment, begun = "", "", -1
    line, counted = 1, 0
    for tag in TAG.finditer(text):
        line, counted = line + text.count("\n", counted, tag.start()), tag.start()
        attributes = {name.lower(): value for name, value in ATTRIBUTE.findall(tag[2])}
        match tag[1].lower():
            case "doc":
                document = attributes.get("docid", "")
            case "seg":
                if begun >= 0 or not document or "id" not in attributes:
                    raise _broken(file, line)
                segment, begun = attributes["id"], tag.end()
            case _:
                if begun < 0:
                    raise _broken(file, line)
                ids.append(f"{prefix}{document}/{segment}")
                texts.append(" ".join(ENTITY.sub(_character, text[begun : tag.start()]).split()))
                lines.append(line)
                documents.append(f"{prefix}{document}")
                begun = -1
    if begun >= 0 or not ids:
        raise _broken(file, line)
    return Column(language, file.name, ids, texts, lines, documents)


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return NAMED[entity[1].lower()]
    code = int(entity[2]) if entity[2] else int(entity[3], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else entity[0]


def _broken(file: InputFile, line: int) -> CorpusError:
    return CorpusError(
        "This is no test set as WMT publishes them: each text is a <seg id> within a <doc docid>.",
        remedy="Drop the .sgm files as they were published.",
        file=file.name,
        line=line,
    )


FORMAT = Format("WMT test sets (.sgm)", "`newstest2019-deen-src.de.sgm` with `newstest2019-deen-ref.en.sgm`", recognise, read)
