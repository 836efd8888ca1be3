"""The files a user dropped, and what is inside their archives. Names are shown, never used as paths."""

from __future__ import annotations

import gzip
import lzma
import re
import tarfile
import uuid
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from isogloss.backend.corpora.shared import limits
from isogloss.backend.errors import CorpusError, StoreError, on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_FILES = 10_000
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"

ENDING = re.compile(r"(\.[a-z]\w{0,9})?(\.(gz|zip|tar|tgz|bz2|xz))*$", re.IGNORECASE)
"""What a name says of the format. What follows a dot and begins with a digit is none: `run-0.1.jsonl` is `run-0.1`."""
SEPARATOR = re.compile(r"[-_.\s]+")
"""Between the words of a file's name."""
ARCHIVE = re.compile(r"\.(zip|tar|tar\.gz|tgz)$", re.IGNORECASE)
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError)
BROKEN = (*DAMAGED, RuntimeError, ValueError)
"""What the archive modules raise on damaged, encrypted (RuntimeError) or unsupported (NotImplementedError is one) input."""


@dataclass(frozen=True)
class InputFile:
    """A file as it was dropped."""

    name: str
    """What the user called it, possibly with folders of an archive; may be hostile, so only shown and matched."""
    path: Path
    """Where its bytes lie."""
    unshortened: str = ""
    """The name as it is, where `name` leaves out its middle."""

    @property
    def whole(self) -> str:
        """The name with all its folders, which may say what the file is of."""
        return self.unshortened or self.name

    @property
    def base(self) -> str:
        """The last part of the name, without a `.gz`."""
        return re.sub(r"\.gz$", "", on_one_line(re.split(r"[/\\]", self.whole)[-1]), flags=re.IGNORECASE)


def stem(name: str) -> str:
    """Return a file's name without folders and endings."""
    return ENDING.sub("", printable(re.split(r"[/\\]", name)[-1]))


def shared_name(names: Sequence[str]) -> str:
    """Return what some files may be called together: the folder and the words that all their names have in common.

    `xnli/dev-en.tsv` and `xnli/dev-de.tsv` are `xnli dev`. One file is called as it is; where nothing is common, by the first.
    """
    stems = list(dict.fromkeys(stem(name) for name in names))
    if len(stems) < 2:
        return stems[0] if stems else ""
    folders = {tuple(re.split(r"[/\\]", name)[-2:-1]) for name in names}
    words = [[word for word in SEPARATOR.split(each) if word] for each in stems]
    common = [word for word in words[0] if all(word in other for other in words[1:])]
    folder = folders.pop() if len(folders) == 1 else ()
    return " ".join(dict.fromkeys([*folder, *common])).strip() or f"{stems[0]} and {len(stems) - 1:,} more"


def listed(names: Sequence[str], most: int = 10) -> str:
    """`a, b and 3 more`: the first `most` of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


@dataclass
class Budget:
    """How much more may be expanded, over all archives of one drop."""

    left: int
    files: int = MAX_FILES
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""


def printable(name: str) -> str:
    """Return a name fit for messages: printable, at most 120 characters."""
    clean = on_one_line(name)
    return clean if len(clean) <= 120 else f"{clean[:60]}…{clean[-59:]}"


def expand(files: Sequence[InputFile], into: Path, *, streamed: bool = False) -> tuple[list[InputFile], list[str]]:
    """Return the files with archives and `.gz` replaced by their contents, and notes on what inside was left alone.

    Contents are written to files with random names in the folder `into`. Raises `CorpusError` for an archive that is damaged
    or encrypted, or holds more than `MAX_FILES`; `TooLargeError` where the files are, expanded, more than `limits.most_held`
    (`limits.most_streamed` where they will be `streamed`); `StoreError` where the disk is full.
    """
    budget, inputs = Budget(limits.most_streamed() if streamed else limits.most_held()), []
    for file in files:
        named = InputFile(printable(file.name), file.path, file.whole)
        if ARCHIVE.search(named.name):
            members = list(_archive(named, into, budget))
        else:
            members = [named]
            _take(named, named.path.stat().st_size, budget)
        inputs += [_gunzip(m, into, budget) if m.name.lower().endswith(".gz") else m for m in members]
    return inputs, budget.notes


@contextmanager
def _readable(file: InputFile) -> Iterator[None]:
    try:
        yield
    except BROKEN as error:
        locked = isinstance(error, RuntimeError) and "encrypted" in str(error)
        problem = "The archive is encrypted." if locked else "The archive is damaged, or not what its name says."
        raise CorpusError(problem, remedy="Pack it again, or drop the files unpacked.", file=file.name) from error
    except OSError as error:
        raise StoreError(
            f"{file.name} could not be unpacked ({error.strerror}). Make room in the server's temporary folder and try again."
        ) from error


def _archive(file: InputFile, into: Path, budget: Budget) -> Iterator[InputFile]:
    with _readable(file):
        members = _zip(file, into, budget) if file.name.lower().endswith(".zip") else _tar(file, into, budget)
        for name, path in members:
            yield InputFile(f"{file.name}/{printable(name)}", path, f"{file.whole}/{name}")


def _zip(file: InputFile, into: Path, budget: Budget) -> Iterator[tuple[str, Path]]:
    with zipfile.ZipFile(file.path) as archive:
        for info in archive.infolist():
            if not info.filename.endswith("/") and _wanted(info.filename, budget, file):
                with archive.open(info) as source:
                    yield info.filename, _copy(source, file, into, budget)


def _tar(file: InputFile, into: Path, budget: Budget) -> Iterator[tuple[str, Path]]:
    plain = file.path
    if not file.name.lower().endswith(".tar"):
        # Decompressed under the cap first: tarfile would otherwise inflate without limit to skip a member.
        left = budget.left
        with gzip.open(file.path) as source:
            plain = _copy(source, file, into, budget)
        budget.left = left  # its members are counted as they are unpacked
    with tarfile.open(plain, "r:") as archive:
        for member in archive:
            if member.isdir() or not _wanted(member.name, budget, file):
                continue
            content = archive.extractfile(member) if member.isreg() else None
            if content is None:  # a link or a device: never followed
                budget.notes.append(f"Not read: {printable(member.name)} in {file.name} is not a regular file.")
                continue
            with content:
                yield member.name, _copy(content, file, into, budget)


def _gunzip(file: InputFile, into: Path, budget: Budget) -> InputFile:
    with open(file.path, "rb") as raw:
        if raw.read(2) != GZIP:
            raise CorpusError(
                "The file is not gzip, though its name ends in .gz.",
                remedy="Take .gz off its name, or pack it.",
                file=file.name,
            )
    with _readable(file), gzip.open(file.path) as source:
        return InputFile(file.name, _copy(source, file, into, budget), file.unshortened)


def _wanted(name: str, budget: Budget, file: InputFile) -> bool:
    parts = re.split(r"[/\\]", name)
    if parts[-1].startswith(".") or "__MACOSX" in parts:
        return False
    if ARCHIVE.search(name):
        budget.notes.append(f"Not read: {printable(name)} is an archive inside {file.name}; unpack it and drop its files.")
        return False
    budget.files -= 1
    if budget.files < 0:
        raise CorpusError(
            f"The archive holds more than {MAX_FILES:,} files.", remedy="Drop only the files of the corpus.", file=file.name
        )
    return True


def _copy(source: IO[bytes] | gzip.GzipFile, file: InputFile, into: Path, budget: Budget) -> Path:
    """Write what `source` holds to a new file, within the budget."""
    target = into / uuid.uuid4().hex
    with open(target, "xb") as out:
        while chunk := source.read(CHUNK):
            _take(file, len(chunk), budget)
            out.write(chunk)
    return target


def _take(file: InputFile, size: int, budget: Budget) -> None:
    budget.left -= size
    if budget.left < 0:
        raise limits.too_large(file.name)
