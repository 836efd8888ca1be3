"""Tagged text from the files a user drops: CoNLL-U treebanks, XTREME's and WikiAnn's two columns, alone or in archives."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from isogloss.backend.corpora.languages.languages import language, only
from isogloss.backend.corpora.languages.languages import languages as languages_of
from isogloss.backend.corpora.parallel.assemble import Skips
from isogloss.backend.corpora.shared.inputs import InputFile, expand, listed, printable
from isogloss.backend.corpora.tagged import assemble, conllu, tsv
from isogloss.backend.corpora.tagged.sentences import Left, Pile, Tags, rows
from isogloss.backend.corpora.tasks import columns as task_columns
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus
    from isogloss.backend.corpora.tagged.parts import Part
    from isogloss.backend.corpora.tasks.rows import PartName

__all__ = ["InputFile", "read"]

Format = Literal["CoNLL-U", "two columns"]
KNOWN = (
    "CoNLL-U (en_pud-ud-test.conllu), or two columns (train-en.tsv): a word, a tab and its tag on each line, "
    "and a blank line after each sentence"
)
TREEBANK = re.compile(r"([a-z]{2,3})_([a-z0-9]+)-ud-(train|dev|test)[^/\\]*\.conllu", re.IGNORECASE)
"""How Universal Dependencies name their files."""
SUFFIX = re.compile(r"\.(conllu|conll|tsv|tab|txt|bio|iob2?)$", re.IGNORECASE)
BARE = re.compile(r"(train|dev|valid|validation|test|extra)", re.IGNORECASE)
"""Names without an ending, as WikiAnn's archives have."""
PARTS: dict[str, Part] = {"": "train", "train": "train", "dev": "validation", "test": "test"}
LISTED = 6
"""Files that a note names."""
UNTAGGED = 1000
"""After so many sentences without one tag a file has none."""
WORST = 10
"""One sentence in so many may lack a tag; beyond that the file is taken for something else than it was said to be."""


@dataclass(frozen=True)
class _Source:
    """What a file is, as far as its name and its first rows say."""

    file: InputFile
    format: Format
    language: str
    """As the file's name or its words write it."""
    part: PartName
    prefix: str = ""


def read(files: Sequence[InputFile], *, languages: Sequence[str] = ()) -> TaggedCorpus:
    """Return the tagged corpus in a set of dropped files and archives, whatever their order.

    Names say the language and the part (`train-en.tsv`, `en/dev.tsv`, `en_pud-ud-test.conllu`); a file whose name says no part
    is for training. Several files of one part are joined in the order of their names. `languages` reads only those. A file of
    words without tags, such as XTREME's tests, is not read, and the report says so. Raises `CorpusError` with file and line for
    what is broken, and for files that are no tagged text; `StoreError` where the disk is too full to unpack them.
    """
    if not files:
        raise CorpusError("No file was dropped.", remedy=f"Drop the files of one tagged corpus: {KNOWN}.")
    skips, notes, tags = Skips(), list[str](), Tags()
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        found, left_out = expand(files, Path(folder), streamed=True)
        notes += left_out
        named = [_named(file) for file in _texts(found, notes)]
        named = only(named, [each.language for each in named], languages)
        known = _languages([each.language for each in named])
        reading = _Reading(known, skips, tags)
        for each in named:
            reading.add(each)
        notes += reading.notes()
        notes += _no_part(named)
        names = {known[each.language]: each.language for each in named}
        kind = ", ".join(sorted({each.format for each in named}))
        return assemble.corpus(kind, list(reading.piles.values()), tags, names=names, skips=skips, warnings=notes)


@dataclass
class _Reading:
    """What was read of the files so far."""

    languages: dict[str, str]
    """The name that a source uses → its tag."""
    skips: Skips
    tags: Tags
    piles: dict[tuple[str, Part], Pile] = field(default_factory=dict)
    files: dict[tuple[str, Part], list[str]] = field(default_factory=dict)
    """The files of each pile."""
    untagged: list[str] = field(default_factory=list)

    def add(self, source: _Source) -> None:
        """Add the sentences of one file to its language and part; a file without any tag is noted and counts for nothing."""
        file, left, skips = source.file, Left(), Skips()
        key = self.languages[source.language], PARTS[source.part]
        pile = self.piles.get(key) or Pile(*key, self.tags)
        found = conllu.sentences(file) if source.format == "CoNLL-U" else tsv.sentences(file, source.prefix)
        for sentence in found:
            pile.add(sentence, file, skips, left)
            if left.without_tag == UNTAGGED and not left.sentences:
                break
        if left.without_tag and not left.sentences:
            self.untagged.append(file.name)
            return
        check_left(file, left)
        skips.tally.read(file.name, left.sentences + left.without_tag)
        self.skips.tally.join(skips.tally)
        if left.sentences:
            self.piles[key] = pile
            self.files.setdefault(key, []).append(file.name)
        for row in skips.rows:
            self.skips.add(row.file, [row.line], row.reason, lost=False)  # what was lost is joined above
        self.skips.more += skips.more

    def notes(self) -> list[str]:
        """Say which files have no tags, and which were joined."""
        notes_of_files = []
        if self.untagged:
            notes_of_files.append(f"Not read, since the words have no tags: {listed(self.untagged, LISTED)}.")
        for (tag, part), files in self.files.items():
            if len(files) > 1:
                notes_of_files.append(f"{len(files)} files make up the {part} part of {tag}: {listed(files, LISTED)}.")
        return notes_of_files


def _languages(names: Sequence[str]) -> dict[str, str]:
    """Return each name → its tag, without a region that nothing else needs; several names of one language have one tag."""
    first = {language(name).tag: name for name in reversed(names)}
    found = languages_of(first.values())
    return {name: found[first[language(name).tag]].tag for name in names}


def check_left(file: InputFile, left: Left) -> None:
    """Raise `CorpusError` where so much of a file is left out that it is not what it was said to be."""
    sentences = left.sentences + left.without_tag
    if left.without_tag * WORST > sentences:
        raise CorpusError(
            f"{left.without_tag:,} of {sentences:,} sentences have a word without a tag; this is the first.",
            remedy="Write a tag after each word, and a blank line after each sentence.",
            file=file.name,
            line=left.first,
        )
    if left.hidden * 2 > left.words:
        raise CorpusError(
            "Most of its words are '_': their text is withheld.",
            remedy="Merge the text into the treebank first, as its README says.",
            file=file.name,
        )


def _texts(files: Sequence[InputFile], notes: list[str]) -> list[InputFile]:
    """Return the files that may hold tagged text, in the order of their names. Raises `CorpusError` where there is none."""
    wanted = sorted((f for f in files if SUFFIX.search(f.base) or BARE.fullmatch(f.base)), key=lambda f: f.name)
    if others := [f.name for f in files if f not in wanted]:
        notes.append(f"Not read, since no tagged text by their names: {listed([printable(name) for name in others], LISTED)}.")
    if not wanted:
        raise CorpusError(
            "This is no tagged text.", remedy=f"These are read: {KNOWN}.", file=printable(files[0].name) if files else None
        )
    return [InputFile(printable(file.name), file.path) for file in wanted]


def _named(file: InputFile) -> _Source:
    """Return the format, language and part of a file. Raises `CorpusError` where nothing says its language."""
    format_ = _format(file)
    if match := TREEBANK.search(file.base):
        return _Source(file, format_, treebank_language(match[1], match[2]), task_columns.PARTS[match[3].lower()])
    part, name = task_columns.of_file(file)
    part = part or _folders_part(file.name)
    if format_ == "CoNLL-U":
        prefix = ""
    else:
        prefix = tsv.prefix_of(file)
        if prefix and name and language(name).tag != language(prefix[:-1]).tag:
            prefix = ""
        name = name or prefix[:-1] or None
    if name is None:
        raise CorpusError(
            "The name does not say which language this is.",
            remedy="Name it like train-en.tsv or en_pud-ud-test.conllu, or put it into a folder named by the language.",
            file=file.name,
        )
    return _Source(file, format_, name, part, prefix)


def _folders_part(name: str) -> PartName:
    """Return the part that the innermost folder named after one says: `test/de.tsv`."""
    found = (task_columns.PARTS.get(step.lower(), "") for step in reversed(re.split(r"[/\\]", name)[:-1]))
    return next((part for part in found if part), "")


def treebank_language(code: str, treebank: str) -> str:
    """Return the language of a treebank. Both Norwegian standards are filed under `no`."""
    return "nn" if code.lower() == "no" and treebank.lower().startswith("nynorsk") else code.lower()


def _format(file: InputFile) -> Format:
    """CoNLL-U by its name or its first row with tabs; two columns otherwise."""
    if file.base.lower().endswith(".conllu"):
        return "CoNLL-U"
    for line, row in rows(file):
        if "\t" in row:
            return "CoNLL-U" if row.count("\t") == conllu.COLUMNS - 1 else "two columns"
        if line > 1000:
            break
    return "two columns"


def _no_part(named: Sequence[_Source]) -> list[str]:
    unnamed = [each.file.name for each in named if not each.part]
    return [f"Taken for training, since the name says no part: {listed(unnamed, LISTED)}."] if unnamed else []
