r"""Static word embeddings in the text files of fastText and MUSE (`.vec`): read as a stream, only the words needed.

A line is a word and its numbers, separated by single spaces; the first line may say `count dims` instead. Only the space
separates, only `\n` ends a line; a word with spaces is what stands before the last `dims` numbers. The first of two lines with
one word counts; lookup by key: `docs/definitions.md`.

Source of the format: Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information"; Conneau et al. 2018, "Word
Translation Without Parallel Data" (the aligned files).
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import ModelError, StoreError
from isogloss.backend.files import publish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

LONGEST_LINE = 2**20
"""Bytes; 2,000 dimensions take some 30,000."""
LISTED = 100
"""How many broken lines a report lists."""
BETWEEN_REPORTS = 4096
"""Lines."""
ADVICE = "Give a .vec text file, as fastText and MUSE write them."
_DIGITS = b"0123456789.+-eE "
_WHOLE = re.compile(rb"[+-]?\d+")
ARCHIVES = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ")
_BEFORE, _AS_WRITTEN = 1, 2  # how good a row is: its key's first word, or the word written as the key


@dataclass(frozen=True)
class StaticReport:
    """What stands in a file."""

    dims: int
    words: int
    """Lines that hold a word and `dims` numbers. Those of words not asked for are looked at for their characters alone."""
    declared: int | None
    """How many words the first line promises; None where it says nothing."""
    broken: tuple[tuple[int, str], ...]
    """The first lines left out: number, from 1, and why."""
    more_broken: int

    @property
    def broken_count(self) -> int:
        """Count all lines that were left out, listed or not."""
        return len(self.broken) + self.more_broken

    @property
    def note(self) -> str | None:
        """A sentence where the file is not what its first line promises, or lines were left out; None otherwise."""
        notes = []
        if self.declared is not None and self.declared != self.words + self.broken_count:
            notes.append(f"The first line promises {self.declared:,} words, the file has {self.words + self.broken_count:,}.")
        if self.broken:
            line, why = self.broken[0]
            notes.append(f"Lines left out: {self.broken_count:,}; the first is line {line:,}: {why}.")
        return " ".join(notes) or None


@dataclass(frozen=True, eq=False)
class StaticVectors:
    """The vectors of the words that were asked for, in their order."""

    vectors: NDArray[np.float32]
    """`[words, dims]`, mapped from a file that has no name and ends with the array; zeros where there is none."""
    found: NDArray[np.bool_]
    """`[words]`"""
    report: StaticReport


def read(
    path: Path,
    words: Iterable[str] = (),
    *,
    key: Callable[[str], str] = str,
    progress: Callable[[float], None] = lambda _share: None,
) -> StaticVectors:
    """Return the vectors of `words` (each as `key` writes it, all different), in one pass over the file.

    Memory does not depend on the size of the file. `progress` is told how much of it is read (0 to 1), and may raise to stop.
    Raises `ModelError`, with file and line, for what is no such file, for a line with another number of dimensions than the
    first, and for a file that cannot be read; `StoreError` where the disk has no room for the vectors.
    """
    rows = {word: row for row, word in enumerate(words)}
    try:
        size = path.stat().st_size
        with open(path, "rb", buffering=2**20) as file:
            return _read(_Lines(file, path.name, size, progress), rows, key)
    except OSError as error:
        raise ModelError(f"{path.name} cannot be read ({error.strerror}). Check that it is there and may be read.") from error


def write(path: Path, vectors: Mapping[str, NDArray[np.float32]], *, header: bool = True) -> None:
    """Write a `.vec` file, whole or not at all: numbers with the fewest digits that give the same float32 again.

    Raises ValueError for words that the format cannot hold and vectors of several sizes, `StoreError` where the disk is full.
    """
    sizes = {len(vector) for vector in vectors.values()}
    if len(sizes) > 1:
        raise ValueError(f"vectors of one file have one size, not {sorted(sizes)}")
    for word in vectors:
        if not word or any(character in word for character in " \n\r\t"):
            raise ValueError(f"{word!r} cannot stand in a .vec file")
    with publish(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        if header:
            file.write(f"{len(vectors)} {next(iter(sizes), 0)}\n")
        for word, vector in vectors.items():
            file.write(f"{word} {' '.join(str(number) for number in np.asarray(vector, np.float32))}\n")


@dataclass
class _Lines:
    """The lines of an open file, numbered from 1, without what ends them."""

    file: IO[bytes]
    shown: str
    size: int
    progress: Callable[[float], None]

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        number = done = 0
        while line := self.file.readline(LONGEST_LINE):
            number += 1
            done += len(line)
            if len(line) == LONGEST_LINE:
                raise self.error(number, f"The line does not end. {ADVICE}")
            if number % BETWEEN_REPORTS == 0:
                self.progress(min(1.0, done / max(1, self.size)))
            yield number, line.rstrip(b" \r\n\t")
        self.progress(1.0)

    def error(self, number: int, problem: str) -> ModelError:
        return ModelError(f"{self.shown}, line {number:,}: {problem}")


def _read(lines: _Lines, rows: Mapping[str, int], key: Callable[[str], str]) -> StaticVectors:
    numbered = iter(lines)
    declared, dims, first = _beginning(lines, numbered)
    vectors = _mapped(len(rows), dims)
    quality = np.zeros(len(rows), np.int8)
    broken: list[tuple[int, str]] = []
    words = more = 0
    for number, line in chain(first, numbered):
        problem = None
        try:
            start, numbers = _parts(lines, number, line, dims, declared)
            word = start.decode("utf-8")
        except UnicodeDecodeError:
            problem = "the word is not UTF-8"
        else:
            known = key(word)
            row, better = rows.get(known), _AS_WRITTEN if word == known else _BEFORE
            if not word:
                problem = "no word" if line else "blank"
            elif numbers.translate(None, _DIGITS):  # every line's, and a hundredth of the time that it takes to read them
                problem = "not numbers"
            elif row is not None and quality[row] < better:
                if (vector := _numbers(line, dims)) is None:
                    problem = "not numbers"
                else:
                    vectors[row], quality[row] = vector, better
        if problem is None:
            words += 1
        elif len(broken) < LISTED:
            broken.append((number, problem))
        else:
            more += 1
    if not words:
        number, problem = broken[0] if broken else (1, "nothing follows")
        raise lines.error(number, f"No line has a word with a vector: {problem}. {ADVICE}")
    return StaticVectors(vectors, quality > 0, StaticReport(dims, words, declared, tuple(broken), more))


def _beginning(lines: _Lines, numbered: Iterator[tuple[int, bytes]]) -> tuple[int | None, int, list[tuple[int, bytes]]]:
    """Declared words, dimensions, and the first line (or none) that should be a word's."""
    number, line = next(numbered, (1, b""))
    line = line.removeprefix(b"\xef\xbb\xbf")
    if line.startswith(ARCHIVES):
        raise lines.error(number, "The file is compressed. Unpack it first.")
    fields = line.split(b" ")
    if len(fields) == 2 and all(field.isdigit() for field in fields) and 0 < int(fields[1]) < LONGEST_LINE:
        dims, first = int(fields[1]), list(islice(numbered, 1))
        for each in first:
            # Before room is made for vectors of a size that only the first line believes in.
            _parts(lines, *each, dims, int(fields[0]))
        return int(fields[0]), dims, first
    if len(fields) < 2 or _numbers(line, len(fields) - 1) is None:
        raise lines.error(number, f"There is no word followed by numbers. {ADVICE}")
    if all(_WHOLE.fullmatch(field) for field in fields):
        raise lines.error(
            number, f"There are whole numbers alone, which are neither a word's vector nor 'count dims'. {ADVICE}"
        )
    return None, len(fields) - 1, [(number, line)]


def _parts(lines: _Lines, number: int, line: bytes, dims: int, declared: int | None) -> tuple[bytes, bytes]:
    """What stands before the numbers of a line, empty where there is nothing, and the numbers.

    Raises `ModelError` for fewer or more numbers than `dims`.
    """
    spaces = line.count(b" ")
    if spaces == dims or not line:
        word, _, numbers = line.partition(b" ")
        return word, numbers
    word = line.rsplit(b" ", dims)[0]
    if spaces > dims and not _is_number(word.rsplit(b" ", 1)[-1]):
        return word.strip(b" "), line[len(word) + 1 :]
    promised = f"The first line is '{declared} {dims}': words, and numbers of each. " if declared is not None else ""
    raise lines.error(
        number,
        f"A word is followed by {spaces:,} numbers, not by {dims:,}. {promised}The file is damaged or not whole: get it again.",
    )


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _numbers(line: bytes, dims: int) -> NDArray[np.float32] | None:
    """Return the last `dims` fields of a line as `[dims]`; None where one is no number, infinite, or too large for float32."""
    try:
        fields = [float(field) for field in line.rsplit(b" ", dims)[1:]]
    except ValueError:
        return None
    with np.errstate(over="ignore"):
        vector = np.array(fields, np.float32)
    return vector if len(fields) == dims and bool(np.isfinite(vector).all()) else None


def _mapped(words: int, dims: int) -> NDArray[np.float32]:
    """Zeros in a file without a name, which the system removes with the array, however the process ends."""
    if not words:
        return np.zeros((0, dims), np.float32)
    try:
        with tempfile.TemporaryFile(prefix="vectors-") as file:
            if hasattr(os, "posix_fallocate"):  # a full disk is told now, not by a signal at the first write
                os.posix_fallocate(file.fileno(), 0, words * dims * 4)
            return np.memmap(file, np.float32, "w+", shape=(words, dims))
    except OSError as error:
        raise StoreError(
            f"There is no room for {words:,} vectors ({error.strerror}). Free some disk in {tempfile.gettempdir()}, "
            "or set TMPDIR to a folder with space."
        ) from error
