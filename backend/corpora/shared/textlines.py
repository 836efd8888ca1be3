r"""Text files, row by row: UTF-8 only, and rows end at `\n` only."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from backend.corpora.shared.inputs import InputFile

UTF16 = "Save it as UTF-8, for instance with: iconv -f UTF-16 -t UTF-8."
UTF8 = "Save it as UTF-8, for instance with: iconv -f WINDOWS-1252 -t UTF-8."


def lines_for(file: InputFile, sentences: int, said: str, remedy: str) -> list[str]:
    """Return the lines of a file that has one for each of so many sentences.

    Raises `CorpusError` with its line where it has not: `said` is its text, with `{lines:,}` and `{sentences:,}`.
    """
    lines = read_lines(file)
    if len(lines) != sentences:
        problem = said.format(lines=len(lines), sentences=sentences)
        raise CorpusError(problem, remedy=remedy, file=file.name, line=min(len(lines), sentences + 1))
    return lines


def read_text(file: InputFile) -> str:
    """Return the whole file, without a byte order mark.

    Raises `CorpusError` naming the first line that is not UTF-8 or holds a NUL, and UTF-16 and Latin-1 by name.
    """
    data = file.path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or data[:4096].count(0) * 5 > len(data[:4096]) > 0:
        raise CorpusError("The file is UTF-16, not UTF-8.", remedy=UTF16, file=file.name, line=1)
    if (nul := data.find(0)) >= 0:
        raise CorpusError(
            "There is a NUL character.",
            remedy="Check that this is a text file, and remove the character.",
            file=file.name,
            line=data.count(b"\n", 0, nul) + 1,
        )
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        problem = f"The file is not UTF-8 (byte 0x{data[error.start]:02X}{_guess(data, error.start)})."
        line = data.count(b"\n", 0, error.start) + 1
        raise CorpusError(problem, remedy=UTF8, file=file.name, line=line) from None


def read_lines(file: InputFile) -> list[str]:
    r"""The rows of a file, each without its `\n` and the `\r` before it. Other line separators are text (U+2028, U+0085 …).

    Raises `CorpusError` as `read_text` does, and for a file without rows.
    """
    text = read_text(file)
    rows = text.split("\n")
    if rows[-1] == "":
        rows.pop()
    if not text.strip():
        raise CorpusError("The file is empty.", remedy="Leave it out, or drop the right file.", file=file.name)
    if len(rows) == 1 and rows[0].count("\r") > 1:
        raise CorpusError(
            "Its lines end in CR alone (old Mac OS).", remedy="Save it with LF or CRLF line ends.", file=file.name, line=1
        )
    return [row[:-1] if row.endswith("\r") else row for row in rows] if "\r" in text else rows


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
