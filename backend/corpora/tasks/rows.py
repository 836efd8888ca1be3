"""From the pieces that every reader of tasks yields to a checked task: one place for all that can be wrong with rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from sys import intern
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from isogloss.backend.corpora.parallel import checks
from isogloss.backend.corpora.parallel.assemble import Column, Skips, check_nul, named_languages, shows_something, strings
from isogloss.backend.corpora.shared.cells import TOGETHER, Cells
from isogloss.backend.corpora.tasks import checks as task_checks
from isogloss.backend.corpora.tasks.checks import Row, Rows
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask, Split, TaskReport
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from isogloss.backend.corpora.languages.languages import Language

PartName = Literal["", "train", "dev", "test"]
"""What a file or a row says of itself; "" says nothing."""


@dataclass(frozen=True)
class Piece:
    """The rows of one language in one file. All sequences have the same length."""

    name: str
    """The language as the source calls it."""
    file: str
    part: PartName
    ids: Sequence[str]
    texts: Sequence[str | None]
    pairs: Sequence[str | None] | None
    labels: Sequence[str]
    lines: Sequence[int]


NO_LABEL = frozenset({"", "-", "-1"})
"""No label: an empty field, SNLI's and MNLI's `-` (no majority of annotators), and the Hub's -1."""
MOSTLY = 0.5
"""A language that lacks more than this share of the rows is refused: the rest of the task would be lost with it."""


def assemble(
    kind: str,
    pieces: Sequence[Piece],
    *,
    skips: Skips | None = None,
    warnings: Sequence[str] = (),
    allowed: Sequence[str] = (),
    source: str | None = None,
    strict: bool = True,
) -> LabelledTask:
    """Return the task that `pieces` make up; several pieces of one language (files, parts) are joined in the order given.

    A row that lacks a text or a label in one language is left out of all, counted, and named with its language. What is odd but
    harmless becomes a warning. `allowed` are the labels that may occur (none: any). With `strict`, text in another script than
    its language's is an error. Raises `CorpusError` for unknown languages, ids that recur, labels that `task_checks` refuses, a
    language without most of the rows, and a part that lacks a language.
    """
    skips = skips or Skips()
    notes = list(warnings)
    if len({piece.pairs is None for piece in pieces}) > 1:
        single = next(piece for piece in pieces if piece.pairs is None)
        raise CorpusError(
            f"{single.name} has single sentences, other rows pairs.",
            remedy="Drop one task at a time; a test file published without labels has one column fewer and cannot be used.",
            file=single.file,
        )
    columns = [Column(p.name, p.file, p.ids, p.texts, p.lines) for p in pieces]
    named = named_languages(columns)
    parts = _splits(pieces, notes)
    _check_parts(pieces, named, parts)
    found: dict[Split, Rows] = {"train": {}, "validation": {}}
    for piece in pieces:
        if piece.part in parts:
            _collect(piece, named[piece.name], found[parts[piece.part]].setdefault(named[piece.name].tag, {}))
    kept = {part: _complete(rows, named, skips) for part, rows in found.items() if rows}
    if not all(own for rows in kept.values() for own in rows.values()):
        raise CorpusError(
            f"No {'row' if len(kept) < 2 else 'row of a part'} has a text and a label in every language.",
            remedy="Fill them in, or drop other files; published test parts often have no labels.",
            file=pieces[0].file if pieces else None,
        )
    differs = task_checks.labels(kept, allowed, notes)
    test = _test_part(pieces, parts, named, kept, notes)
    notes += _oddities(kept, named, pieces, strict=strict)
    names = {named[p.name].tag: p.name for p in pieces}
    for file, part in dict.fromkeys((piece.file, piece.part) for piece in pieces):  # two folders may have files of one name
        lines = (piece.lines for piece in pieces if (piece.file, piece.part) == (file, part))
        skips.tally.read(file, len(set().union(*lines)))
    losses = skips.tally.losses()
    report = TaskReport(kind, names, tuple(skips.rows), skips.more, tuple(notes), differs, source, losses)
    return LabelledTask(_table(kept), report, test)


def _splits(pieces: Sequence[Piece], notes: list[str]) -> dict[PartName, Split]:
    """Which part becomes which: the first of train, dev, test is trained on, the next validates; a third is kept beside."""
    order: tuple[PartName, ...] = ("", "train", "dev", "test")
    present = [part for part in order if any(piece.part == part for piece in pieces)]
    if "" in present and len(present) > 1:
        unnamed = next(piece for piece in pieces if not piece.part)
        raise CorpusError(
            "Nothing says whether these rows are for training or for validation, as it does for others.",
            remedy="Put train, dev or test into every file's name, or fill in the column 'split'.",
            file=unnamed.file,
            line=unnamed.lines[0] if len(unnamed.lines) else None,
        )
    if present == ["dev", "test"]:
        notes.append("The dev part is for training, the test part for validation. For a split of your own drop one alone.")
    return dict(zip(present, ("train", "validation"), strict=False))


def _test_part(
    pieces: Sequence[Piece],
    parts: Mapping[PartName, Split],
    named: Mapping[str, Language],
    kept: Mapping[Split, Rows],
    notes: list[str],
) -> pa.Table | None:
    """The rows of a test part beside training and validation, where it has texts and known labels; a note says what came of it.

    What is wrong with it is no reason to refuse the other parts, which do without: published tests often have no labels.
    """
    if "test" in parts or not any(piece.part == "test" for piece in pieces):
        return None
    count = sum(len(piece.ids) for piece in pieces if piece.part == "test")
    what = f"the test part ({count:,} rows in all languages)"
    rows: Rows = {}
    try:
        for piece in pieces:
            if piece.part == "test":
                _collect(piece, named[piece.name], rows.setdefault(named[piece.name].tag, {}))
        most = max(map(len, rows.values()))
        complete = _complete(rows, named, Skips())
    except CorpusError as error:
        notes.append(f"Not read: {what}. {error}")
        return None
    known = {row.label for each in kept["train"].values() for row in each.values()}
    found = {row.label for each in complete.values() for row in each.values()}
    if strange := sorted(found - known):
        notes.append(f"Not read: {what}, for its label '{strange[0][:60]}' is not one of the training part's.")
        return None
    if not all(complete.values()):
        notes.append(f"Not read: {what}, for none has a text and a label in every language.")
        return None
    kept_rows = len(next(iter(complete.values())))
    lost = f", {most - kept_rows:,} left out" if kept_rows < most else ""
    notes.append(f"Kept beside, for probes: {what}{lost}. Transfer does not read it.")
    return _table({"test": complete})


def _check_parts(pieces: Sequence[Piece], named: Mapping[str, Language], parts: Mapping[PartName, Split]) -> None:
    """Raise `CorpusError` where a part lacks a language that another has, but for a training part in one language alone."""
    tags: dict[PartName, set[str]] = {}
    for piece in pieces:
        tags.setdefault(piece.part, set()).add(named[piece.name].tag)
    every = set().union(*tags.values())
    for part, own in tags.items():
        if (lacking := sorted(every - own)) and not (parts.get(part) == "train" and len(own) == 1):
            piece = next(p for p in pieces if p.part == part)
            raise CorpusError(
                f"The {part} part has no {', '.join(lacking[:8])}{', …' if len(lacking) > 8 else ''}, which another part has.",
                remedy="Drop the same languages in every part, or train files of one language alone: of several, which rows "
                "translate which could not be said.",
                file=piece.file,
            )


def _collect(piece: Piece, known: Language, rows: dict[str, Row]) -> None:
    """Add a piece's rows. Raises `CorpusError` for values that are not text, NULs and ids that recur."""
    texts = _checked(piece, piece.texts)
    pairs = None if piece.pairs is None else _checked(piece, piece.pairs)
    ids, labels = _checked(piece, piece.ids), _checked(piece, piece.labels)  # JSON can smuggle half characters into these too
    shown = shows_something(texts.strings())
    seconds = shown if pairs is None else shows_something(pairs.strings())
    known_labels = dict[str, str]()
    each = zip(ids, labels, piece.lines, Cells(shown.chunks), Cells(seconds.chunks), strict=True)
    for place, (row_id, label, line, first_there, second_there) in enumerate(each):
        row_id, label = row_id or "", (label or "").strip()
        name = intern(f"{piece.part}.{row_id}" if piece.part else row_id)  # one text for all languages
        if name in rows:
            first = rows[name]
            files = first.file != piece.file  # rows that are only numbered have no id that a user could correct
            raise CorpusError(
                f"The id '{row_id[:60]}' is there a second time in {known.tag} (first in {first.file}, line {first.line}).",
                remedy=("Leave one of the two files out, or give" if files else "Give")
                + " every row an id of its own, the same in all languages.",
                file=piece.file,
                line=line,
            )
        # A pair without one of its sentences is as good as none: both are emptied, so that one test finds it.
        there = first_there and second_there, first_there or second_there
        rows[name] = Row(texts, pairs, place, known_labels.setdefault(label, label), piece.file, line, *there)


def _checked(piece: Piece, values: Sequence[str | None]) -> Cells:
    texts = strings(Column(piece.name, piece.file, piece.ids, values, piece.lines), values)
    check_nul(texts, piece.file, piece.lines)
    return Cells(texts.chunks)


def _complete(rows: Rows, named: Mapping[str, Language], skips: Skips) -> Rows:
    """Return the rows that have a text and a label in every language; the others go to `skips`, once, with what they lack."""
    order = list(dict.fromkeys(row_id for rows_of_language in rows.values() for row_id in rows_of_language))
    names = {known.tag: name for name, known in named.items()}
    for tag, rows_of_language in rows.items():
        lacking = sum(row_id not in rows_of_language or not rows_of_language[row_id].whole for row_id in order)
        if lacking > MOSTLY * len(order):
            first = next(iter(rows_of_language.values()), None)
            raise CorpusError(
                f"{names[tag]} has text in only {len(order) - lacking:,} of {len(order):,} rows.",
                remedy="Leave this language out, or translate the others: a row that one language lacks is lost to all.",
                file=first.file if first else None,
            )
    whole: list[str] = []
    for row_id in order:
        rows_of_language = {tag: rows[tag][row_id] for tag in rows if row_id in rows[tag]}
        reasons = _reasons(rows_of_language, list(rows), names)
        if reasons:
            worst = next(
                (row for row in rows_of_language.values() if not row.whole or row.label in NO_LABEL),
                next(iter(rows_of_language.values())),
            )
            why = "; ".join(reasons)
            # A row that says nothing in any language is a blank one, kept so far because rows are aligned by their number.
            blank = not any(row.label or row.filled for row in rows_of_language.values())
            skips.add(worst.file, [worst.line], f"{why}: left out in every language", kind=why, lost=not blank)
            continue
        whole.append(row_id)
    for tag in list(rows):  # one after the other: there may be millions
        rows_of_language = rows[tag]
        rows[tag] = {row_id: rows_of_language[row_id] for row_id in whole}
    return rows


def _reasons(row_by_language: Mapping[str, Row], tags: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Why a row cannot be kept; nothing where it can."""
    reasons = []
    if without := [names[tag] for tag in tags if tag not in row_by_language]:
        reasons.append(f"no row in {', '.join(without)}")
    if without := [names[tag] for tag, row in row_by_language.items() if not row.whole]:
        reasons.append(f"no text in {', '.join(without)}")
    if without := [names[tag] for tag, row in row_by_language.items() if row.label in NO_LABEL]:
        reasons.append("no label" if len(without) == len(row_by_language) else f"no label in {', '.join(without)}")
    return reasons


def _oddities(kept: Mapping[Split, Rows], named: Mapping[str, Language], pieces: Sequence[Piece], *, strict: bool) -> list[str]:
    """Warnings about texts: scripts, copies, damage, repeats, rows of validation that are trained on."""
    by_tag = {known.tag: (name, known) for name, known in named.items()}
    samples = []
    for rows in kept.values():
        for tag, own in rows.items():
            some = _evenly(list(own.values()))
            both = [(text, row) for row in some for text in (row.text, row.pair) if text]
            if both:
                name, known = by_tag[tag]
                texts, lines = [text for text, _ in both], [row.line for _, row in both]
                samples.append(checks.Sample(name, known, some[0].file, texts, lines))
    notes = checks.scripts(samples, strict=strict) + checks.copies(samples) + checks.damage(samples)
    notes += task_checks.repeats(kept)
    if len(trained := list(kept["train"])) < len(by_tag):
        notes.append(
            f"The training part is in {trained[0]} alone: models trained on it have a test accuracy and a transfer gap in "
            "every language, but no IGap, which needs translations of the training rows."
        )
    if len(by_tag) == 1:
        notes.append(f"There is one language only ({pieces[0].name}): this can be extra training data, but not show transfer.")
    return notes


def _evenly(rows: list[Row], count: int = 100) -> list[Row]:
    return rows[:: max(1, len(rows) // count)]


def _table(kept: Mapping[Split, Rows]) -> pa.Table:
    def values() -> Iterator[tuple[str | None, ...]]:
        tags = sorted({tag for rows in kept.values() for tag in rows})
        for tag in tags:
            for part, rows in kept.items():
                for row_id, row in rows.get(tag, {}).items():
                    yield row_id, tag, row.text, row.pair, row.label, part

    every, batches = values(), []
    while some := list(islice(every, TOGETHER)):
        columns = [pa.array(column, pa.string()) for column in zip(*some, strict=True)]
        batches.append(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))
    return pa.Table.from_batches(batches, SCHEMA)
