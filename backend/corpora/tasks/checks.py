"""What may be wrong or odd about the labels and the rows of a task."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.errors import CorpusError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isogloss.backend.corpora.tasks.task import Split

MAX_LABELS = 500
MAX_LABEL = 300
"""Characters of one label."""
FEW = 20
"""With fewer rows, a label that occurs once says nothing."""
PLACEHOLDERS = frozenset({"NS", "N/A", "NULL", "#N/A"})
"""What annotation tools and spreadsheets write for a sentence that is not there; PAWS-X has NS."""


@dataclass(frozen=True, slots=True)
class Row:
    """One example in one language, and where it stands. Its texts stay where they were read: there may be millions."""

    texts: Sequence[str | None]
    pairs: Sequence[str | None] | None
    place: int
    """Of its text among all."""
    label: str
    file: str
    line: int
    whole: bool
    """Whether it has its text, and its second where there are pairs."""
    filled: bool
    """Whether its source has any text, of which `text` is empty where half of a pair is missing."""

    @property
    def text(self) -> str:
        """Return its text; nothing where it is not whole."""
        return (self.texts[self.place] or "") if self.whole else ""

    @property
    def pair(self) -> str | None:
        """Return its second text; None in a task of single sentences."""
        return None if self.pairs is None else self.pairs[self.place] or ""


Rows = dict[str, dict[str, Row]]
"""Tag → row id → row; the ids in the source's order."""


def labels(kept: Mapping[Split, Rows], allowed: Sequence[str], notes: list[str]) -> int:
    """Return how many rows differ in their label between languages; what is odd is added to `notes`.

    Raises `CorpusError`, with the first line, for: a label outside `allowed`, one that differs from another only by case, one
    that a single row has and that looks like a slip of another, one that a language has and another lacks, one that only
    validation has, one class only, and so many labels that they are text.
    """
    counts = Counter(row.label for rows in kept.values() for own in rows.values() for row in own.values())
    every = sorted(counts)
    if allowed:
        _refuse(kept, set(every) - set(allowed), "is not one of those expected", allowed)
    _check_count(kept, every)
    if not allowed:
        _check_slips(kept, counts, notes)
    for own in kept["train"].values():
        if len({row.label for row in own.values()}) < 2:
            row = next(iter(own.values()))
            raise CorpusError(
                f"Every row with a text and a label in every language has the label '{row.label[:60]}'.",
                remedy="A classifier needs two classes at least: check the column, or add rows of another class.",
                file=row.file,
            )
    _check_everywhere(kept)
    return _differences(kept, notes)


def _check_count(kept: Mapping[Split, Rows], every: Sequence[str]) -> None:
    """Raise `CorpusError` where there are so many labels, or so long a one, that they are text."""
    rows = len(next(iter(kept["train"].values()), {}))
    remedy = "Check that the labels' column holds classes; published test files often have none."
    if len(every) > MAX_LABELS or (rows >= FEW and len(every) * 2 > rows):
        raise CorpusError(
            f"There are {len(every):,} different labels in {rows:,} rows, such as '{every[0][:40]}'.",
            remedy=remedy,
            file=_first(kept, every[0]).file,
        )
    if long := next((label for label in every if len(label) > MAX_LABEL), None):
        row = _first(kept, long)
        raise CorpusError(
            f"A label has {len(long):,} characters, here '{long[:40]}'.", remedy=remedy, file=row.file, line=row.line
        )


def repeats(kept: Mapping[Split, Rows]) -> list[str]:
    """Warnings about rows with the same text as an earlier row, rows of both parts, and placeholders for text."""
    notes = []
    again, torn, leaked, placeholders = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    first: dict[str, Row] = {}
    for part, rows in kept.items():
        for tag, rows_of_language in rows.items():
            # By their hash of 64 bits, which no two of a million texts share by accident: the texts would fill the memory.
            trained = (
                {hash((row.text, row.pair)) for row in kept["train"].get(tag, {}).values()} if part == "validation" else set()
            )
            seen: dict[int, str] = {}
            for row in rows_of_language.values():
                text, pair = row.text, row.pair
                key = hash((text, pair))
                if PLACEHOLDERS & {text.strip(), (pair or "").strip()}:
                    placeholders[tag] += 1
                    first.setdefault("placeholder", row)
                elif key in seen:
                    again[tag] += 1
                    torn[tag] += seen[key] != row.label
                    first.setdefault("again", row)
                elif key in trained:
                    leaked[tag] += 1
                    first.setdefault("leaked", row)
                seen.setdefault(key, row.label)
    if placeholders:
        notes.append(
            f"A placeholder such as 'NS' stands for a sentence, kept: {_listed(placeholders)}. {_at(first['placeholder'])}"
        )
    if again:
        other = f" With another label: {_listed(torn)}." if +torn else ""
        notes.append(f"Rows that repeat an earlier one, kept: {_listed(again)}.{other} {_at(first['again'])}")
    if leaked:
        notes.append(f"Validation rows whose texts are also trained on: {_listed(leaked)}. {_at(first['leaked'])}")
    return notes


def _check_slips(kept: Mapping[Split, Rows], counts: Counter[str], notes: list[str]) -> None:
    folded: dict[str, str] = {}
    for label, _ in counts.most_common():
        usual = folded.setdefault(" ".join(label.casefold().split()), label)
        if usual != label:
            _refuse(kept, {label}, f"differs from '{usual[:60]}' only in its letters' case or spaces", [usual])
    languages = max(len(rows) for rows in kept.values())
    if counts.total() < FEW * languages:
        return
    for label, count in counts.items():
        usual_labels = [other for other in counts if counts[other] >= FEW * languages / 2 and other != label]
        if count <= languages and (near := get_close_matches(label, usual_labels, n=1, cutoff=0.8)):
            _refuse(kept, {label}, "is in one row only, and looks like a slip", near)
    if rare := sorted(label for label, count in counts.items() if count <= languages):
        named = ", ".join(f"'{label[:40]}'" for label in rare[:6]) + (", …" if len(rare) > 6 else "")
        notes.append(f"Labels of one row only, each a class of its own: {named}. {_at(_first(kept, rare[0]))}")


def _check_everywhere(kept: Mapping[Split, Rows]) -> None:
    """Every language has the same labels, and validation none that training lacks."""
    train = {tag: {row.label for row in own.values()} for tag, own in kept["train"].items()}
    only = next(iter(train))  # where training rows are in one language alone
    for part, rows in kept.items():
        for tag, own in rows.items():
            for row in own.values():
                if row.label not in (known := train.get(tag, train[only])) and part == "validation":
                    _refuse(kept, {row.label}, f"is in the validation part of {tag} but not in its training part", known)
    for tag, used in train.items():
        for other, others in train.items():
            if strange := used - others:
                _refuse(kept, strange, f"is used in {tag} but not in {other}", others)


def _differences(kept: Mapping[Split, Rows], notes: list[str]) -> int:
    """Rows whose label is not the same in every language; a note names the two languages that differ most."""
    total, pairs = 0, Counter[tuple[str, str]]()
    numbers: dict[str, int] = {}
    for rows in kept.values():
        tags = sorted(rows)
        columns = ((rows[tag][row_id].label for row_id in rows[tags[0]]) for tag in tags)
        codes = np.array([[numbers.setdefault(label, len(numbers)) for label in column] for column in columns])
        codes = codes[:, (codes != codes[0]).any(axis=0)]
        total += codes.shape[1]
        for i, tag in enumerate(tags[:-1]):
            for other, differ in zip(tags[i + 1 :], (codes[i + 1 :] != codes[i]).sum(axis=1).tolist(), strict=True):
                pairs[tag, other] += differ
    if total:
        (a, b), most = min(pairs.items(), key=lambda item: (-item[1], item[0]))
        notes.append(
            f"{total:,} rows have another label in another language ({most:,} between {a} and {b}), kept as published. "
            "A translated example counts with the label of the language that was trained on."
        )
    return total


def _refuse(kept: Mapping[Split, Rows], found: set[str], why: str, allowed: Sequence[str] | set[str]) -> None:
    """Raise `CorpusError` at the first row with a label of `found`; nothing where there is none."""
    if not found:
        return
    label = min(found)
    row = _first(kept, label)
    raise CorpusError(
        f"The label '{label[:60]}' {why}.",
        remedy=f"{did_you_mean(label, allowed)} Correct it, or give the list of labels that may occur.",
        file=row.file,
        line=row.line,
    )


def _first(kept: Mapping[Split, Rows], label: str) -> Row:
    return next(row for rows in kept.values() for own in rows.values() for row in own.values() if row.label == label)


def _listed(counts: Counter[str]) -> str:
    most = sorted((+counts).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} in {tag}" for tag, count in most[:6]) + (", …" if len(most) > 6 else "")


def _at(row: Row) -> str:
    return f"The first: {row.file}, line {row.line}."
