"""The rows of a text file, plain or gzip, block by block: never the whole file in memory."""

from __future__ import annotations

import codecs
import gzip
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared.inputs import DAMAGED, GZIP, InputFile, printable
from isogloss.backend.corpora.shared.textlines import UTF16, check_blank
from isogloss.backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = 4 << 20
MAX_ROW = 8 << 20
"""Bytes of one row; a longer one is left out without being held."""
SIGNATURES = {
    b"PK\x03\x04": "a zip archive or an office document",
    b"PAR1": "Parquet",
    b"%PDF": "PDF",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ": "xz",
    b"BZh": "bzip2",
    **dict.fromkeys((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"]q\x00", b"(lp0\n", b"cnumpy"), "a pickle"),
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!\x1a": "a RAR archive",
    b"\x93NUMPY": "a numpy array",
    GZIP: "gzip inside gzip",
}


BLANK = "a blank line"
"""The reason of a row that holds nothing and is therefore no broken one."""


class BrokenRowError(ValueError):
    """What is wrong with one row: a reason to count by, and this row's detail."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        super().__init__(f"{reason}: {printable(detail)}" if detail else reason)


@dataclass(frozen=True)
class Block:
    """Rows in order, without their line ends."""

    lines: Sequence[int]
    """The line of each row, from 1."""
    rows: list[str | BrokenRowError]
    read: int = 0
    """Bytes of the file on disk that were read so far."""
    cut: bool = False
    """Whether the last row is the file's last and has no line end."""


def blocks(file: InputFile) -> Iterator[Block]:
    r"""Yield the rows of a file. They end at `\n` only; a `\r` before it and a byte order mark are no part of them.

    A row that is not UTF-8, holds a NUL or is longer than `MAX_ROW` is a `BrokenRowError`. Raises `CorpusError` for what
    is no text and damaged gzip.
    """
    number, rest, overlong, blank = 1, b"", False, 0
    with _opened(file) as (source, raw):
        while chunk := source.read(BLOCK):
            data = rest + chunk
            cut = data.rfind(b"\n") + 1
            body, rest = data[:cut], data[cut:]
            if body:
                overlong = overlong or body.index(b"\n") > MAX_ROW
                rows = _rows(body[:-1])
                blank = check_blank(blank + rows.count(""), file, number)
                if overlong:
                    rows[0] = _too_long()
                yield Block(range(number, number + len(rows)), rows, raw.tell())
                number, overlong = number + len(rows), False
            if len(rest) > MAX_ROW:
                rest, overlong = b"", True
        if overlong:
            yield Block([number], [_too_long()], raw.tell())
        elif rest:
            yield Block([number], _rows(rest), raw.tell(), cut=True)


def is_gzip(file: InputFile) -> bool:
    """By its first bytes, whatever its name."""
    with open(file.path, "rb") as source:
        return source.read(2) == GZIP


def _rows(body: bytes) -> list[str | BrokenRowError]:
    """Rows of bytes as text; those that are none are `BrokenRowError`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return [_row(each) for each in body.split(b"\n")]
    if "\0" in text:
        return [_row(each) for each in body.split(b"\n")]
    rows: list[str | BrokenRowError] = list(text.replace("\r\n", "\n").removesuffix("\r").split("\n"))
    return rows


def _row(row: bytes) -> str | BrokenRowError:
    if b"\0" in row:
        return BrokenRowError("a NUL character")
    try:
        return row.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        return BrokenRowError("not UTF-8", f"byte 0x{row[error.start]:02X} at {error.start + 1}")


def _too_long() -> BrokenRowError:
    return BrokenRowError(f"longer than {MAX_ROW >> 20} MiB")


@contextmanager
def _opened(file: InputFile) -> Iterator[tuple[BufferedReader | gzip.GzipFile, BufferedReader]]:
    """The expanded bytes after a byte order mark, and the file as it lies on disk."""
    try:
        with open(file.path, "rb") as raw:
            source: BufferedReader | gzip.GzipFile = gzip.GzipFile(fileobj=raw) if is_gzip(file) else raw
            _check_text(source.peek(4096)[:4096], file)
            if source.peek(3)[:3] == codecs.BOM_UTF8:
                source.read(3)
            yield source, raw
    except DAMAGED as error:
        raise CorpusError(
            "The gzip file is damaged or cut off.", remedy="Pack it again, or drop it unpacked.", file=file.name
        ) from error
    except OSError as error:
        raise StoreError(f"{file.name} could not be read ({error.strerror}). Drop it again.") from error


def _check_text(head: bytes, file: InputFile) -> None:
    """Raise `CorpusError` where the first bytes are no text."""
    for signature, what in SIGNATURES.items():
        if head.startswith(signature):
            raise CorpusError(
                f"This is {what}, not text.",
                remedy="Drop the corpus as text, JSON Lines or CSV, or gzip of it.",
                file=file.name,
            )
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CorpusError("The file is UTF-16, not UTF-8.", remedy=UTF16, file=file.name, line=1)
    # A multi-byte character may be cut at the end of the head; junk has far more than that.
    bad = head.count(0) + sum(c == "\ufffd" for c in head.decode("utf-8", "replace")) - head.count(b"\xef\xbf\xbd")
    if bad * 5 > len(head):
        raise CorpusError(
            "The file is binary, or not UTF-8 text.",
            remedy="Drop the corpus as UTF-8 text, JSON Lines or CSV, or gzip of it.",
            file=file.name,
        )
