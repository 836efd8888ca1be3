"""The formats of a kind of data, each declared once, and which one files have: decided by evidence, not by their order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from isogloss.backend.corpora.shared.inputs import InputFile

Reader = TypeVar("Reader")


class Evidence(IntEnum):
    """What shows that a file has a format, the weakest first."""

    BESIDE = 1
    """It only could: files of its name usually stand beside a corpus, such as a README or a list of languages."""
    LANGUAGE = 2
    """Its name says a language, as those of other files may too: `news.de`."""
    ENDING = 3
    """Its name has the format's ending: `corpus.csv`."""
    PATTERN = 4
    """Its name has the format's pattern, or its first lines are the format's: `corpus.de-en.de`."""
    PUBLISHED = 5
    """It is called as a published data set calls it: `newstest2019-ref.deu.txt`."""


@dataclass(frozen=True)
class Format(Generic[Reader]):
    """A format in which data of some kind come as files."""

    name: str
    """As messages and the reports of what was read have it."""
    example: str
    """How its files are called or what is in them, as Markdown, for people who choose files."""
    recognise: Callable[[Sequence[InputFile]], Mapping[InputFile, Evidence]]
    """Return those of some files that may have this format, and what shows it, by their names and first lines."""
    read: Reader


@dataclass(frozen=True)
class Layout:
    """How files of a kind may be laid out, where its one reader tells it by what is in them."""

    name: str
    """As its users know it."""
    example: str
    """How its files, lines or rows look, in Markdown."""


def table_of(formats: Iterable[Format[Any] | Layout], looks: str = "Files") -> str:
    """Return a Markdown table of formats and examples of them, of their `looks`: files, lines or rows."""
    return "\n".join([f"| Format | {looks} |", "|---|---|", *(f"| {each.name} | {each.example} |" for each in formats)])


def words_of(formats: Iterable[Format[Any] | Layout]) -> str:
    """Return formats and their files in words, for messages."""
    return "; ".join(f"{each.name} ({each.example.replace('`', '')})" for each in formats)


def choose(
    formats: Sequence[Format[Reader]], files: Sequence[InputFile], beside: re.Pattern[str] | None = None
) -> tuple[Format[Reader] | None, list[InputFile], list[InputFile]]:
    """Return the one format that some files have, the files that have it, and the others, both in the order of `files`.

    A file has the format for which there is most evidence; files called as `beside` are evidence only where published so. Where
    some files have a format by more than the name of a language, those that do not are left out. The format is None where no
    file has any. Raises `CorpusError` where files have several formats, and where one may as well have another.
    """
    claims: dict[InputFile, list[tuple[Evidence, Format[Reader]]]] = {}
    for format_ in formats:
        for file, evidence in format_.recognise(files).items():
            claims.setdefault(file, []).append((evidence, format_))
    if not claims:
        return None, [], list(files)
    strongest = {file: max(evidence for evidence, _ in claims[file]) for file in files if file in claims}
    aside = {file for file, most in strongest.items() if beside and most < Evidence.PUBLISHED and beside.fullmatch(file.base)}
    counts = {file: Evidence.BESIDE if file in aside else most for file, most in strongest.items()}
    enough = min(Evidence.ENDING, max(counts.values()))
    by_format: dict[str, tuple[Format[Reader], list[InputFile]]] = {}
    for file in (file for file in counts if counts[file] >= enough):
        named = {format_.name: format_ for evidence, format_ in claims[file] if evidence == strongest[file]}
        if len(named) > 1:
            raise CorpusError(
                f"It may be {' or '.join(sorted(named))}: nothing shows which.",
                remedy="Name it as the files of one of these are named.",
                file=file.name,
            )
        [(name, format_)] = named.items()
        by_format.setdefault(name, (format_, []))[1].append(file)
    if len(by_format) > 1:
        listed = " and ".join(f"{name} ({by_format[name][1][0].name})" for name in sorted(by_format)[:3])
        raise CorpusError(f"These are several formats: {listed}.", remedy="Drop the files of one corpus at a time.")
    [(format_, chosen)] = by_format.values()
    return format_, chosen, [file for file in files if file not in chosen]
