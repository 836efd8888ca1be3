"""Emergent-language corpora from files: JSON Lines, tables, plain rows, each also as gzip; Parquet and Arrow.

Files are streamed: what is held is four bytes a token, eight an utterance, and the vocabulary. A row that cannot be read
never stops the reading: it is left out, named in the report and counted, and who keeps the corpus decides whether to go on
without it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from isogloss.backend.corpora.emergent import meaning_file
from isogloss.backend.corpora.emergent.columnar import rows_of
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus, EmergentReport
from isogloss.backend.corpora.emergent.csv_records import column
from isogloss.backend.corpora.emergent.layouts import Layout, Options, look, none_of
from isogloss.backend.corpora.emergent.meaning_file import Parts
from isogloss.backend.corpora.emergent.meaning_rows import Collected, check_columns, from_columns
from isogloss.backend.corpora.emergent.meanings import USUAL
from isogloss.backend.corpora.emergent.numbering import Numbering
from isogloss.backend.corpora.emergent.rows import integers, utterance
from isogloss.backend.corpora.parallel.assemble import Skips
from isogloss.backend.corpora.shared.blocks import BLANK, Block, BrokenRowError
from isogloss.backend.corpora.shared.inputs import InputFile, listed, printable
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from isogloss.backend.corpora.emergent.meanings import Meanings

__all__ = ["InputFile", "Layout", "Options", "look", "read"]

EMPTY = ("", "[]")


class _Left:
    """Rows left out so far, with how many there are for each reason."""

    def __init__(self) -> None:
        self.skips = Skips()
        self.reasons: Counter[str] = Counter()
        self.blank = 0

    def add(self, file: InputFile, line: int, broken: BrokenRowError) -> None:
        if broken.reason == BLANK:
            self.blank += 1
            return
        self.skips.add(file.name, [line], str(broken), kind=broken.reason)
        self.reasons[broken.reason] += 1


def read(
    files: Sequence[InputFile],
    options: Options | None = None,
    progress: Callable[[float], None] | None = None,
    meanings: InputFile | None = None,
) -> EmergentCorpus:
    """Return the corpus that the files make up, one after the other, with a report of what was recognised and left out.

    `meanings` is a file with a row for each row of the others, where what they mean is not among their own columns. `progress`
    is told the share of all bytes that were read. Raises `CorpusError` for a file that is no text or empty, a field that is
    lacking or must be chosen, files of integers and words together, where no row can be read, and for a row without a meaning
    or one of other attributes, where meanings are asked for.
    """
    if not files:
        raise CorpusError("No file was given.", remedy="Give the files of one corpus.")
    named = [InputFile(printable(file.name), file.path) for file in files]
    layouts = [_complete(file, look(file, options)) for file in named]
    _check_alike(named, layouts)
    columns = options.meaning if options else ()
    for file, layout in zip(named, layouts, strict=True) if meanings is None else ():
        check_columns(layout, file, columns)
    total, before = sum(file.path.stat().st_size for file in named), 0
    numbering, left = Numbering(), _Left()
    parts = [Parts(file, layout, []) for file, layout in zip(named, layouts, strict=True)]
    for file, layout, kept in parts:
        found = rows_of(file)
        for block in column(found, layout.delimiter, layout.field or "") if layout.kind == "table" else found:
            blank = left.blank
            lines = _add(file, block, layout, numbering, left)
            if columns or meanings is not None:
                kept.append(lines if isinstance(lines, range) else array("q", lines))
            left.skips.tally.read(file.name, len(block.rows) - (left.blank - blank))
            if progress:
                progress(min(1.0, (before + block.read) / total))
        before += file.path.stat().st_size
    told = _meanings(parts, meanings, columns, left) if numbering.tokens else None
    return _corpus(numbering, named, layouts, left, columns if meanings is None else (), told)


def _meanings(parts: Sequence[Parts], file: InputFile | None, columns: Sequence[str], left: _Left) -> Meanings | None:
    """Return what the kept utterances mean, where that is asked for, and name blank rows that mean something."""
    if file is not None:
        found, blank = meaning_file.read(parts, InputFile(printable(file.name), file.path), columns)
        for of, line in blank:
            left.blank -= 1
            left.skips.tally.read(of.name, 1)
            left.add(of, line, BrokenRowError("an empty utterance", "it has a meaning"))
        return found
    collected = Collected()
    for part in parts if columns else ():
        from_columns(part.file, part.layout, columns, chain.from_iterable(part.kept), collected)
    return collected.done() if columns else None


def _add(file: InputFile, block: Block, layout: Layout, numbering: Numbering, left: _Left) -> Sequence[int]:
    """Number the utterances of a block and leave out what is none. Returns the lines of the utterances."""
    if layout.symbols == "integers" and (whole := integers(block.rows, layout)) is not None:
        numbering.integers(*whole)
        return block.lines
    full = [row for row in block.rows if row not in EMPTY]
    if len(full) < len(block.rows) and layout.symbols == "integers" and (whole := integers(full, layout)) is not None:
        numbering.integers(*whole)  # empty utterances are the one thing that many sound files have everywhere
        for line, row in zip(block.lines, block.rows, strict=True):
            if row in EMPTY:
                left.add(file, line, BrokenRowError(BLANK if not row and layout.kind != "table" else "an empty utterance"))
        return [line for line, row in zip(block.lines, block.rows, strict=True) if row not in EMPTY]
    utterances, kept, last = [], [], len(block.rows) - 1
    for place, row in enumerate(block.rows):
        try:
            if isinstance(row, BrokenRowError):
                raise row
            if layout.kind != "table" and not row.strip():  # of a table, it is a cell of a row that has others
                raise BrokenRowError(BLANK)
            utterances.append(utterance(row, layout, cut=block.cut and place == last))
            kept.append(block.lines[place])
        except BrokenRowError as broken:
            left.add(file, block.lines[place], broken)
    if utterances:
        numbering.utterances(utterances, layout.symbols)
    return kept


def _corpus(
    numbering: Numbering,
    files: Sequence[InputFile],
    layouts: Sequence[Layout],
    left: _Left,
    columns: Sequence[str],
    told: Meanings | None,
) -> EmergentCorpus:
    skips = left.skips
    if not numbering.tokens:
        first = skips.rows[0] if skips.rows else None
        count = skips.more + len(skips.rows)
        raise CorpusError(
            f"{none_of(count)} {first.reason}." if first else "There are no rows below the header.",
            remedy="Give one utterance a row: [3, 1, 4], or 3 1 4, or words.",
            file=first.file if first else files[0].name,
            line=first.line if first else None,
        )
    formats = " and ".join(dict.fromkeys(layout.format for layout in layouts))
    ids, starts, vocabulary = numbering.done()
    damaged = sum("\ufffd" in word for word in vocabulary or ())
    warnings = list(dict.fromkeys(layout.doubt for layout in layouts if layout.doubt))
    unread = tuple(dict.fromkeys(name for layout in layouts for name in layout.others if name not in columns))
    warnings += [_not_read(layouts[0].part, unread, told)] if unread else []
    without = len(left.skips.rows) + left.skips.more
    if told is not None and without:
        warnings.append(f"{without:,} meaning{'s are' if without > 1 else ' is'} left out with the rows that cannot be read.")
    if damaged:
        warnings += [
            f"{damaged:,} symbols hold the replacement character U+FFFD. The encoding was damaged before the file came here."
        ]
    if numbering.renumbered:
        least, largest = numbering.renumbered
        warnings.append(f"Renumbered: the integers {least:,} to {largest:,} are 0 to {int(ids.max()):,} here, in their order.")
    left_out = tuple(skips.rows), skips.more, tuple(left.reasons.most_common())
    report = EmergentReport(
        formats,
        layouts[0].symbols,
        *left_out,
        tuple(warnings),
        losses=skips.tally.losses(),
        blank=left.blank,
        unread=unread,
    )
    return EmergentCorpus(ids, starts, vocabulary, report, told)


def _not_read(part: str, unread: Sequence[str], told: Meanings | None) -> str:
    """Name what was not read, and what of it may be the meaning by its name."""
    names = listed([f"'{printable(name)}'" for name in unread])
    why = "since not the utterances" if told is None else "since neither utterances nor meanings"
    sentence = f"Not read, {why}: {part}{'s' * (len(unread) > 1)} {names}."
    usual = [f"'{printable(name)}'" for name in unread if USUAL.fullmatch(name.strip())]
    if told is not None or not usual:
        return sentence
    return f"{sentence} By name, {listed(usual)} may be what the utterances mean: choose the meaning to measure that."


def _complete(file: InputFile, layout: Layout) -> Layout:
    """Return the layout, once it says which field to read. Raises `CorpusError` where it does not."""
    if layout.kind in ("objects", "table") and layout.field is None:
        listed = ", ".join(f"'{printable(name)}'" for name in layout.fields[:12])
        raise CorpusError(
            f"Nothing says which {layout.part} holds the utterances.",
            remedy=f"Choose one of: {listed}.",
            file=file.name,
            line=1,
        )
    return layout


def _check_alike(files: Sequence[InputFile], layouts: Sequence[Layout]) -> None:
    for file, layout in zip(files, layouts, strict=True):
        if layout.symbols != layouts[0].symbols:
            raise CorpusError(
                f"It holds {layout.symbols}, but {files[0].name} {layouts[0].symbols}.",
                remedy="Read them as corpora of their own.",
                file=file.name,
            )
