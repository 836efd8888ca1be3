"""Dictionaries from files: MUSE (a pair a line, tab or space), and tables of two columns or with columns named by language.

MUSE dictionaries: Conneau et al. 2018, "Word Translation Without Parallel Data". A word recurs with each of its translations.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isogloss.backend.corpora.dictionaries import layouts
from isogloss.backend.corpora.dictionaries.dictionary import COLONS, GAP, Dictionary, DictionaryReport
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.languages.words import fold, is_word, segment
from isogloss.backend.corpora.parallel import checks
from isogloss.backend.corpora.parallel.assemble import Skips
from isogloss.backend.corpora.parallel.corpus import Skipped
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.languages.languages import Language

MAX_LENGTH = 200
"""Characters of one word; longer cells are text, not words."""
MAX_SENTENCE = 2000
"""Characters of one cloze sentence."""
WORST = 10
"""One line in so many may be left out; beyond that the file is taken for something else than it was said to be."""


@dataclass
class _Found:
    """Pairs read so far, and what was not read."""

    entries: dict[str, dict[str, int]] = field(default_factory=dict)
    """Word → translation → the line it was first on."""
    blank: int = 0
    duplicates: int = 0
    skips: Skips = field(default_factory=Skips)
    reasons: Counter[str] = field(default_factory=Counter)
    first: Skipped | None = None
    cloze: dict[tuple[str, str], str] = field(default_factory=dict)
    without_gap: list[int] = field(default_factory=list)
    """Lines whose sentence has no gap, or no answer after it."""


def read(file: InputFile, source: str, target: str) -> Dictionary:
    """Return the dictionary in a file, from `source` to `target` (language names in any form `languages.language` takes).

    Blank lines and repeated pairs are counted; other lines that are no pair of words are listed with their reason. Raises
    `CorpusError` with file, line and remedy for what is not UTF-8, a separator that does not separate, columns in the wrong
    order, more than one bad line in `WORST`, and a file without any pair.
    """
    file = InputFile(printable(file.name), file.path)
    ends = language(source), language(target)
    if ends[0].tag == ends[1].tag:
        raise CorpusError(
            f"A dictionary needs two languages, and '{source}' and '{target}' are one.", remedy="Name both.", file=file.name
        )
    pairs_read = _Found()
    layout = layouts.recognise(file, ends)
    for line, cells in layout.rows:
        _take(file, line, cells, layout, ends, pairs_read)
    _check_share(file, pairs_read)
    pairs_read.skips.tally.read(
        file.name, pairs_read.reasons.total() + pairs_read.duplicates + sum(map(len, pairs_read.entries.values()))
    )
    losses = pairs_read.skips.tally.losses("line")
    warnings = [*layout.notes, *_check_languages(file, pairs_read, ends), *_never_found(pairs_read, ends)]
    if lines := pairs_read.without_gap:
        warnings.append(
            f"{file.name}, line {lines[0]}: no gap {GAP} with a colon and the answer after it, here and in {len(lines) - 1:,} "
            "other sentences, which are left out; their words are kept."
        )
    entries = {word: tuple(translations) for word, translations in pairs_read.entries.items()}
    rows = tuple(pairs_read.skips.rows)
    report = DictionaryReport(
        layout.format, pairs_read.blank, pairs_read.duplicates, rows, pairs_read.skips.more, tuple(warnings), losses
    )
    return Dictionary(ends[0].tag, ends[1].tag, entries, report, pairs_read.cloze)


def _take(
    file: InputFile,
    line: int,
    cells: Sequence[str],
    layout: layouts.Layout,
    ends: tuple[Language, Language],
    pairs_read: _Found,
) -> None:
    """Add the pair on a line to `pairs_read`, or count why there is none."""
    if not any(cell.strip() for cell in cells):
        pairs_read.blank += 1
        return
    reason = _reason(cells, layout, ends)
    if reason:
        pairs_read.skips.add(file.name, [line], reason)
        pairs_read.reasons[reason] += 1
        pairs_read.first = pairs_read.first or Skipped(file.name, line, reason)
        return
    word, translation = (fold(cells[c].strip(), e.tag) for c, e in zip(layout.columns, ends, strict=True))
    translations = pairs_read.entries.setdefault(word, {})
    pairs_read.duplicates += translation in translations
    translations.setdefault(translation, line)
    if layout.cloze is not None and (sentence := " ".join(cells[layout.cloze].split())):
        if has_gap(sentence):
            pairs_read.cloze.setdefault((word, translation), sentence)
        else:
            pairs_read.without_gap.append(line)


def has_gap(sentence: str) -> bool:
    """Return whether a sentence has a gap, and a colon after it, before its answer."""
    _, gap, after = sentence.partition(GAP)
    return bool(gap) and len(sentence) <= MAX_SENTENCE and any(mark in after for mark in COLONS)


def _reason(cells: Sequence[str], layout: layouts.Layout, ends: tuple[Language, Language]) -> str | None:
    """Why a line is no pair of words, or None."""
    if len(cells) != layout.width:
        if len(cells) == 1:
            return f"one column: no {layout.separator_name} between two words"
        return f"{len(cells)} columns instead of {layout.width}"
    for column, end in zip(layout.columns, ends, strict=True):
        cell = cells[column].strip()
        if not cell:
            return f"no word in {end.tag}"
        if len(cell) > MAX_LENGTH:
            return f"more than {MAX_LENGTH} characters in {end.tag}"
        if not is_word(cell) or not fold(cell, end.tag):
            return f"no letter or number in {end.tag}"
    return None


def _check_share(file: InputFile, pairs_read: _Found) -> None:
    bad, good = pairs_read.reasons.total(), pairs_read.duplicates + sum(map(len, pairs_read.entries.values()))
    if pairs_read.first and bad * WORST > bad + good:
        raise CorpusError(
            f"{bad:,} of {bad + good:,} lines are no pair of words; the first: {pairs_read.first.reason}.",
            remedy="Write one word, a tab and one translation on each line.",
            file=file.name,
            line=pairs_read.first.line,
        )
    if not good:
        raise CorpusError("There is no pair of words.", remedy="Choose the right file.", file=file.name)


def _check_languages(file: InputFile, found: _Found, ends: tuple[Language, Language]) -> list[str]:
    """Warnings about scripts and damaged characters. Raises `CorpusError` where a column is in another script."""
    pairs = [(word, each, line) for word, translations in found.entries.items() for each, line in translations.items()]
    some = pairs[:: max(1, len(pairs) // 200)]
    samples = [
        checks.Sample(end.tag, end, file.name, texts, [line for *_, line in some])
        for end, texts in zip(ends, ([word for word, *_ in some], [each for _, each, _ in some]), strict=True)
    ]
    notes = checks.scripts(samples, strict=True)
    damaged = re.compile("\ufffd|Ã[\x80-\xbf]|â€|ã[\x80-\xbf]")  # lower-cased by now
    hits = [line for word, each, line in pairs if damaged.search(word) or damaged.search(each)]
    if hits:
        notes.append(
            f"{file.name}, line {hits[0]}: damaged characters stand here and in {len(hits) - 1:,} other pairs. "
            "The encoding was damaged before the file came here; export it again from its source."
        )
    return notes


def _never_found(pairs_read: _Found, ends: tuple[Language, Language]) -> list[str]:
    """Return a warning with the number of pairs that cannot be found, since sentences are looked through word by word."""
    known: tuple[dict[str, bool], dict[str, bool]] = {}, {}

    def single(word: str, side: int) -> bool:
        if word not in known[side]:
            known[side][word] = segment(word, ends[side].tag) == [(0, len(word))]
        return known[side][word]

    pairs = [(word, each) for word, translations in pairs_read.entries.items() for each in translations]
    count = sum(not (single(word, 0) and single(each, 1)) for word, each in pairs)
    if not count:
        return []
    return [f"{count:,} of {len(pairs):,} pairs have a side that is not one word by itself; they are rarely or never found."]
