"""Tagged text from the files a user drops: CoNLL-U treebanks, XTREME's and WikiAnn's two columns, alone or in archives."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from backend.corpora.languages.languages import language
from backend.corpora.parallel.assemble import Skips
from backend.corpora.shared.inputs import InputFile, expand, shown
from backend.corpora.tagged import assemble, conllu, tsv
from backend.corpora.tagged.sentences import MAX_WORDS, Left, Pile, Tags, rows
from backend.corpora.tasks import columns
from backend.errors import CorpusError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.tagged.corpus import TaggedCorpus
    from backend.corpora.tagged.parts import Part

__all__ = ["InputFile", "read"]

Format = Literal["CoNLL-U", "two columns"]
KNOWN = "CoNLL-U (en_pud-ud-test.conllu), or a word, a tab and its tag on each line (train-en.tsv), a blank line after each sentence"
TREEBANK = re.compile(r"([a-z]{2,3})_([a-z0-9]+)-ud-(train|dev|test)[^/\\]*\.conllu", re.IGNORECASE)
"""How Universal Dependencies name their files."""
SUFFIX = re.compile(r"\.(conllu|conll|tsv|tab|txt|bio|iob2?)$", re.IGNORECASE)
BARE = re.compile(r"(train|dev|valid|validation|test|extra)", re.IGNORECASE)
"""Names without an ending, as WikiAnn's archives have."""
PARTS: dict[str, Part] = {"": "train", "train": "train", "dev": "validation", "test": "test"}
WORST = 10
"""One sentence in so many may lack a tag; beyond that the file is taken for something else than it was said to be."""


@dataclass(frozen=True)
class _Named:
    """What a file is, as far as its name and its first rows say."""

    file: InputFile
    format: Format
    language: str
    """As the file's name or its words write it."""
    part: columns.PartName
    prefix: str = ""


def read(files: Sequence[InputFile], *, languages: Sequence[str] = ()) -> TaggedCorpus:
    """The tagged corpus in a set of dropped files and archives, whatever their order.

    Names say the language and the part (`train-en.tsv`, `en/dev.tsv`, `en_pud-ud-test.conllu`); a file whose name says no part
    is for training. Several files of one part are joined in the order of their names. `languages` reads only those. A file of
    words without tags, such as XTREME's tests, is not read, and the report says so. Raises `CorpusError` with file and line for
    what is broken, and for files that are no tagged text; `StoreError` where the disk is too full to unpack them.
    """
    if not files:
        raise CorpusError("No file was dropped.", remedy=f"Drop the files of one tagged corpus: {KNOWN}.")
    skips, notes, tags = Skips(), list[str](), Tags()
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        found, left_out = expand(files, Path(folder))
        notes += left_out
        named = [_named(file) for file in _texts(found, notes)]
        if languages:
            named = _only(named, languages)
        piles: dict[tuple[str, Part], Pile] = {}
        joined: dict[tuple[str, Part], list[str]] = {}
        total = 0
        for each in named:
            key = language(each.language).tag, PARTS[each.part]
            pile = piles.get(key) or Pile(*key, tags)
            left = _read(each, pile, skips, total, notes)
            if left.sentences:
                piles[key] = pile
                joined.setdefault(key, []).append(each.file.name)
            total += left.words
        names = {language(each.language).tag: each.language for each in named}
        _note_parts(named, joined, notes)
        kind = ", ".join(sorted({each.format for each in named}))
        return assemble.corpus(kind, list(piles.values()), names=names, skips=skips, warnings=notes)


def _read(named: _Named, pile: Pile, skips: Skips, total: int, notes: list[str]) -> Left:
    """Add the sentences of one file to its pile; say where it has no tags at all."""
    file, left = named.file, Left()
    found = conllu.sentences(file) if named.format == "CoNLL-U" else tsv.sentences(file, named.prefix)
    own = Skips()
    for sentence in found:
        pile.add(sentence, file, own, left)
        if total + left.words > MAX_WORDS:
            raise CorpusError(
                f"There are more than {MAX_WORDS:,} words.", remedy="Drop a part of them.", file=file.name, line=sentence.line
            )
    if left.without_tag and not left.sentences:
        notes.append(f"Not read, since its words have no tags: {file.name}.")
        return left
    if left.without_tag * WORST > left.sentences + left.without_tag:
        raise CorpusError(
            f"{left.without_tag:,} of {left.sentences + left.without_tag:,} sentences have a word without a tag; this is the first.",
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
    skips.rows += own.rows[: max(0, assemble.SHOWN - len(skips.rows))]
    skips.more += own.more + max(0, len(own.rows) + len(skips.rows) - assemble.SHOWN)
    return left


def _texts(files: Sequence[InputFile], notes: list[str]) -> list[InputFile]:
    """The files that may hold tagged text, in the order of their names. Raises `CorpusError` where there is none."""
    wanted = sorted((f for f in files if SUFFIX.search(f.base) or BARE.fullmatch(f.base)), key=lambda f: f.name)
    if others := [f.name for f in files if f not in wanted]:
        more = f" and {len(others) - 10:,} more" if len(others) > 10 else ""
        notes.append(f"Not read, since no tagged text by their names: {', '.join(map(shown, others[:10]))}{more}.")
    if not wanted:
        raise CorpusError(
            "This is no tagged text.", remedy=f"These are read: {KNOWN}.", file=shown(files[0].name) if files else None
        )
    return [InputFile(shown(file.name), file.path) for file in wanted]


def _named(file: InputFile) -> _Named:
    """The format, language and part of a file. Raises `CorpusError` where nothing says its language."""
    format_ = _format(file)
    if match := TREEBANK.search(file.base):
        return _Named(file, format_, _treebank_language(match[1], match[2]), columns.PARTS[match[3].lower()])
    part, name = columns.of_file(file)
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
    return _Named(file, format_, name, part, prefix)


def _treebank_language(code: str, treebank: str) -> str:
    """The language of a treebank. Both Norwegian standards are filed under `no`."""
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


def _only(named: Sequence[_Named], languages: Sequence[str]) -> list[_Named]:
    tags = {language(each.language).tag for each in named}
    wanted = {language(name).tag: name for name in languages}
    for tag, name in wanted.items():
        if tag not in tags:
            raise CorpusError(f"The files have no '{name}'.", remedy=did_you_mean(tag, tags))
    return [each for each in named if language(each.language).tag in wanted]


def _note_parts(named: Sequence[_Named], joined: dict[tuple[str, Part], list[str]], notes: list[str]) -> None:
    """Say which files say no part, and which were joined."""
    if unnamed := [each.file.name for each in named if not each.part]:
        notes.append(
            f"Taken for training, since the name says no part: {', '.join(unnamed[:6])}{', …' if unnamed[6:] else ''}."
        )
    for (tag, part), files in joined.items():
        if len(files) > 1:
            notes.append(
                f"{len(files)} files make up the {part} part of {tag}: {', '.join(files[:6])}{', …' if files[6:] else ''}."
            )
