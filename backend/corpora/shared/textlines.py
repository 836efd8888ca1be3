r"""Text files, row by row: UTF-8 only, and rows end at `\n` only."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared.cells import Builder, Cells
from isogloss.backend.corpora.shared.limits import LONGEST_LINE, PIECE
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from isogloss.backend.corpora.shared.inputs import InputFile

MOST_BLANK = 5_000_000
"""Blank lines of a file: no text has so many, and a small archive of them holds a reader for minutes."""
UTF16 = "Save it as UTF-8, for instance with: iconv -f UTF-16 -t UTF-8."
UTF8 = "Save it as UTF-8, for instance with: iconv -f WINDOWS-1252 -t UTF-8."


def lines_for(file: InputFile, sentences: int, message: str, remedy: str) -> Cells:
    """Return the lines of a file that has one for each of so many sentences.

    Raises `CorpusError` with its line where it has not: `message` is its text, with `{lines:,}` and `{sentences:,}`.
    """
    lines = read_lines(file)
    if len(lines) != sentences:
        problem = message.format(lines=len(lines), sentences=sentences)
        raise CorpusError(problem, remedy=remedy, file=file.name, line=min(len(lines), sentences + 1))
    return lines


def read_lines(file: InputFile) -> Cells:
    r"""The rows of a file, each without its `\n` and the `\r` before it. Other line separators are text (U+2028, U+0085 …).

    Raises `CorpusError` as `each_line` does, and for a file without rows.
    """
    builder = Builder()
    for line in each_line(file):
        builder.append(line)
    lines = builder.done()
    if not any(line and not line.isspace() for line in lines):
        raise CorpusError("The file is empty.", remedy="Leave it out, or drop the right file.", file=file.name)
    if len(lines) == 1 and "\r" in lines[0]:
        raise CorpusError(
            "Its lines end in CR alone (old Mac OS).", remedy="Save it with LF or CRLF line ends.", file=file.name, line=1
        )
    return lines


def each_line(file: InputFile) -> Iterator[str]:
    r"""Yield the rows of a file in order, without a byte order mark and line ends.

    Raises `CorpusError` naming the first line that is not UTF-8, holds a NUL or is longer than `LONGEST_LINE`, and UTF-16 and
    Latin-1 by name.
    """
    line, rest, blank = 1, b"", 0
    with open(file.path, "rb") as source:
        while chunk := source.read(PIECE):
            if line == 1 and not rest:
                _check_head(chunk, file)
                chunk = chunk.removeprefix(codecs.BOM_UTF8)
            body, end, last = (rest + chunk).rpartition(b"\n")
            if len(last) > LONGEST_LINE or (end and body.find(b"\n") > LONGEST_LINE):
                raise _longer(file, line + body.count(b"\n") + 1 if end else line)
            rest = last
            if end:
                rows = _decoded(body, file, line).split("\n")
                blank = check_blank(blank + rows.count(""), file, line)
                yield from map(_without_cr, rows)
                line += len(rows)
    if rest:
        yield _without_cr(_decoded(rest, file, line))


def check_blank(blank: int, file: InputFile, line: int) -> int:
    """Return how many lines so far are blank. Raises `CorpusError` where they are more than any text has."""
    if blank > MOST_BLANK:
        raise CorpusError(
            f"There are more than {MOST_BLANK:,} blank lines.", remedy="Leave them out.", file=file.name, line=line
        )
    return blank


def _without_cr(row: str) -> str:
    return row.removesuffix("\r")


def _check_head(head: bytes, file: InputFile) -> None:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or head[:4096].count(0) * 5 > len(head[:4096]) > 0:
        raise CorpusError("The file is UTF-16, not UTF-8.", remedy=UTF16, file=file.name, line=1)


def _longer(file: InputFile, line: int) -> CorpusError:
    return CorpusError(
        f"The line is longer than {LONGEST_LINE >> 20} MiB.",
        remedy="Write one sentence or one row a line.",
        file=file.name,
        line=line,
    )


def _decoded(data: bytes, file: InputFile, line: int) -> str:
    """Return rows as text, of which the first is the file's line of that number."""
    if (nul := data.find(0)) >= 0:
        raise CorpusError(
            "There is a NUL character.",
            remedy="Check that this is a text file, and remove the character.",
            file=file.name,
            line=line + data.count(b"\n", 0, nul),
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"The file is not UTF-8 (byte 0x{data[error.start]:02X}{_guess(data, error.start)})."
        at = line + data.count(b"\n", 0, error.start)
        raise CorpusError(problem, remedy=UTF8, file=file.name, line=at) from None


def check_aligned(rows: Mapping[str, int]) -> None:
    """Raise `CorpusError` where files that must be parallel differ in their number of rows. `rows` is file name → rows."""
    counts = list(rows.values())
    usual = max(sorted(set(counts)), key=counts.count)
    for name, count in rows.items():
        if count != usual:
            other = next(n for n in rows if rows[n] == usual)
            raise CorpusError(
                f"The file has {count:,} lines, but {other} has {usual:,}: they are not parallel.",
                remedy="Give every file the same number of lines, with an empty line where a translation is missing.",
                file=name,
                line=min(count, usual) + 1 if count > usual else count,
            )


def _guess(data: bytes, start: int) -> str:
    """Return what the bytes may be instead: said only where it is likely."""
    around = data[max(0, start - 2000) : start + 2000]
    high = [b for b in around if b >= 0x80]
    mostly_letters = sum(b >= 0xC0 for b in high) * 2 >= len(high)
    return "; it looks like Latin-1 or Windows-1252" if len(high) * 4 < len(around) and mostly_letters else ""
