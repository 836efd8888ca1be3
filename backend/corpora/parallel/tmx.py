"""Translation memories in TMX 1.4 (https://www.gala-global.org/tmx-14b), streamed.

XML from strangers: document types may be named but are never loaded, entities may not be declared at all (so nothing can
expand). Expat reads UTF-8 and UTF-16 by itself.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING
from xml.parsers import expat

import pyarrow.compute as pc

from isogloss.backend.corpora.parallel.assemble import Column, Skips, assemble
from isogloss.backend.corpora.parallel.checks import no_repeats
from isogloss.backend.corpora.shared.cells import Builder, Cells, held
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.limits import LONGEST_LINE, PIECE
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

CODES = frozenset({"bpt", "ept", "ph", "it", "ut", "sub"})
"""Inline elements whose content is formatting of the original document, not text."""


class _Rows:
    """The segments of one language of one file."""

    def __init__(self) -> None:
        self.units, self.lines = array("q"), array("q")
        self.texts = Builder()


class _Reader:
    """Expat's handlers and what they have seen; one for each file."""

    def __init__(self, file: InputFile, skips: Skips) -> None:
        self.file, self.skips = file, skips
        self.rows: dict[str, _Rows] = defaultdict(_Rows)
        self.units, self.codes = 0, 0
        self.named = Builder()  # each unit's own id
        self.language = ""
        self.here: set[str] = set()  # the languages of this unit so far
        self.segment: list[str] | None = None
        self.line = 0
        self.root: str | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.skipped_entity

    def fail(self, problem: str, remedy: str = "Export the file again from your translation tool.") -> CorpusError:
        return CorpusError(problem, remedy=remedy, file=self.file.name, line=self.parser.CurrentLineNumber)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.root is None:
            self.root = name
            if name != "tmx":
                raise self.fail(f"This is XML, but its root is <{name[:40]}>, not <tmx>.", "Drop a TMX file.")
        match name:
            case "tu":
                self.units += 1
                self.named.append(attributes.get("tuid"))
                self.here = set()
            case "tuv":
                self.language = attributes.get("xml:lang") or attributes.get("lang") or ""
                if not self.language:
                    raise self.fail("A <tuv> does not say its language.", "Give every <tuv> an xml:lang.")
            case "seg":
                self.segment, self.codes, self.line = [], 0, self.parser.CurrentLineNumber
            case _ if self.segment is not None and name in CODES:
                self.codes += 1

    def end(self, name: str) -> None:
        if name in CODES and self.segment is not None:
            self.codes -= 1
        elif name == "seg" and self.segment is not None:
            self.keep("".join(self.segment))
            self.segment = None

    def text(self, data: str) -> None:
        if self.segment is not None and not self.codes:
            self.segment.append(data)

    def keep(self, text: str) -> None:
        if self.language in self.here:
            self.skips.add(self.file.name, [self.line], f"a second {self.language} in the same unit")
            return
        self.here.add(self.language)
        rows = self.rows[self.language]
        rows.units.append(self.units)
        rows.texts.append(text)
        rows.lines.append(self.line)

    def entity(self, name: str, *_: object) -> None:
        raise self.fail(f"The file declares an XML entity ('{name[:40]}').", "Remove the declaration; TMX needs none.")

    def skipped_entity(self, name: str, *_: object) -> None:
        raise self.fail(f"The entity '&{name[:40]};' is not defined.", "Write the character itself.")


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the files whose name ends in `.tmx`."""
    return {f: Evidence.ENDING for f in files if f.base.lower().endswith(".tmx")}


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in TMX files. Ids are the units' `tuid` where all have one and none recurs, else their number.

    A second segment of one language in a unit is skipped and counted.
    Raises `CorpusError` for XML that is broken, hostile or not TMX, with the line.
    """
    skips, columns = Skips(), []
    for place, file in enumerate(files, start=1):
        reader = _parse(file, skips)
        named = reader.named.done()
        unique = len(files) == 1 and _are_ids(named)
        prefix = f"{place}." if len(files) > 1 else ""
        for name, rows in reader.rows.items():
            ids = held(named[i - 1] if unique else f"{prefix}{i}" for i in rows.units)
            columns.append(Column(name, file.name, ids, rows.texts.done(), rows.lines))
        skips.tally.read(file.name, sum(len(rows.units) for rows in reader.rows.values()) + skips.tally.lost(file.name))
    if not columns:
        raise CorpusError("There is no <tu> in the file.", remedy="Drop a TMX file that has translations.", file=files[0].name)
    return assemble(FORMAT.name, columns, skips=skips)


def _are_ids(named: Cells) -> bool:
    """Return whether every unit has an id, and none recurs."""
    found = named.strings()
    return found is not None and bool(pc.all(pc.not_equal(pc.fill_null(found, ""), "")).as_py()) and no_repeats(found)


def _parse(file: InputFile, skips: Skips) -> _Reader:
    reader, fed = _Reader(file, skips), 0
    try:
        with open(file.path, "rb") as source:
            while chunk := source.read(PIECE):
                fed += len(chunk)
                reader.parser.Parse(chunk)
                if fed - reader.parser.CurrentByteIndex > LONGEST_LINE:  # expat looks anew at what it has not seen the end of
                    raise reader.fail(f"An element is longer than {LONGEST_LINE >> 20} MiB.")
            reader.parser.Parse(b"", True)
    except (LookupError, ValueError) as error:  # what Python says of an encoding that expat asks it for
        raise CorpusError(
            f"The encoding that the XML declares is not read ({error}).",
            remedy="Save the file as UTF-8, and declare that.",
            file=file.name,
            line=1,
        ) from None
    except expat.ExpatError as error:
        raise CorpusError(
            f"The XML is broken: {expat.ErrorString(error.code)}.",
            remedy="Export the file again from your translation tool, as UTF-8.",
            file=file.name,
            line=error.lineno,
        ) from None
    return reader


FORMAT = Format("TMX", "`*.tmx`", recognise, read)
