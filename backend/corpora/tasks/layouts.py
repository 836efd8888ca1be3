"""The layouts that labelled tasks come in, and their rows as pieces: one language of one file.

| layout | columns |
|---|---|
| a file per language (XTREME, PAWS-X) | text, [second text], label, with a header or without; the name says which |
| a column per language | `text_en` or `en`, or `premise_en` and `hypothesis_en`; label (or `label_en`) |
| long format | id, language, text, [text_pair], label |
| XNLI, all languages | premise {language: text}, hypothesis {language: […], …}, label |

`split` and `id` may stand beside. Without an id, rows of equal number are translations of each other.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal

from backend.corpora.parallel import layouts
from backend.corpora.parallel.tabular import LANGUAGES
from backend.corpora.tasks import columns as task_columns
from backend.corpora.tasks.pieces import Piece
from backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.parallel.tables import Frame
    from backend.corpora.tasks.columns import Role
    from backend.corpora.tasks.pieces import PartName

Layout = Literal["a file per language", "a column per language", "long format", "XNLI, all languages"]
XNLI_LABELS = ("entailment", "neutral", "contradiction")
"""What the Hub's 0, 1 and 2 mean."""


def recognise(frame: Frame, file_language: str | None) -> Layout:
    """Which layout a table has. Raises `CorpusError` naming the columns found where it has none."""
    label, text = (task_columns.named(frame, task_columns.NAMES[role]) for role in ("label", "text"))
    if layouts.recognise(frame) == "XNLI" and label:
        return "XNLI, all languages"
    if task_columns.named(frame, LANGUAGES) and text and label:
        return "long format"
    roles = {found[0] for name in frame.columns if (found := task_columns.of_language(frame, name))}
    if "text" in roles and (label or "label" in roles) and not text:
        return "a column per language"
    if file_language and text and label:
        return "a file per language"
    listed = ", ".join(f"'{name}'" for name in list(frame.columns)[:8])
    missing = "no column of labels" if not label and "label" not in roles else "no column of texts with a language"
    raise CorpusError(
        f"There is {missing} (found: {listed}).",
        remedy="Name columns label and text_en, text_de … (or premise_en, hypothesis_en …), or id, language, text, label.",
        file=frame.file,
        line=1,
    )


def pieces(layout: Layout, frame: Frame, part: PartName, name: str | None, notes: list[str]) -> list[Piece]:
    """The rows of one table. `part` is what the file says of all its rows, `name` its language; a column `split` goes first."""
    column = task_columns.named(frame, task_columns.SPLITS)
    if column is None:
        return _pieces(layout, frame, list(range(len(frame.lines))), part, name, notes)
    groups: dict[PartName, list[int]] = defaultdict(list)
    for row, value in enumerate(frame.columns[column]):
        groups[task_columns.part_of(value, frame, frame.lines[row])].append(row)
    return [piece for own, rows in groups.items() for piece in _pieces(layout, frame, rows, own, name, notes)]


def _pieces(layout: Layout, frame: Frame, rows: list[int], part: PartName, name: str | None, notes: list[str]) -> list[Piece]:
    match layout:
        case "a file per language":
            _note_others(frame, notes)
            return [_piece(frame, rows, part, name or "", _one(frame, "text"), _one(frame, "pair"), _labels(frame))]
        case "long format":
            _note_others(frame, notes, LANGUAGES)
            return _long(frame, rows, part)
        case "a column per language":
            return _wide(frame, rows, part, notes)
        case "XNLI, all languages":
            return _nested(frame, rows, part)


def _note_others(frame: Frame, notes: list[str], *more: Sequence[str]) -> None:
    """Note the columns that are not read, once for files that have the same: one may hold the labels that were meant."""
    read = {task_columns.named(frame, names) for names in (*task_columns.NAMES.values(), task_columns.SPLITS, *more)}
    known = {*task_columns.ROW_IDS}
    if others := [f"'{name}'" for name in frame.columns if name not in read and name.lower() not in known]:
        note = f"Columns that were left out: {', '.join(others[:8])}{', …' if len(others) > 8 else ''}"
        notes += [] if any(each.startswith(note) for each in notes) else [f"{note} (first in {frame.file})."]


def _long(frame: Frame, rows: Sequence[int], part: PartName) -> list[Piece]:
    if not task_columns.named(frame, task_columns.ROW_IDS):
        raise CorpusError(
            "The long format has no id column, so nothing says which rows are translations of each other.",
            remedy="Add a column 'id' with the same value for a row in every language.",
            file=frame.file,
            line=1,
        )
    names = frame.columns[task_columns.named(frame, LANGUAGES) or ""]
    groups: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        if not isinstance(names[row], str) or not names[row].strip():
            raise CorpusError(
                "The row does not say its language.", remedy="Fill in the column.", file=frame.file, line=frame.lines[row]
            )
        groups[names[row].strip()].append(row)
    text, pair, labels = _one(frame, "text"), _one(frame, "pair"), _labels(frame)
    return [_piece(frame, own, part, name, text, pair, labels) for name, own in groups.items()]


def _wide(frame: Frame, rows: Sequence[int], part: PartName, notes: list[str]) -> list[Piece]:
    roles: dict[str, dict[Role, str]] = defaultdict(dict)
    known = {*task_columns.ROW_IDS, *task_columns.SPLITS}
    for column in frame.columns:
        found = task_columns.of_language(frame, column)
        if found is None:
            note = f"{frame.file}: the column '{column}' is no language's text and was left out."
            other = column.lower() not in known and column != task_columns.named(frame, task_columns.NAMES["label"])
            notes += [note] if other and note not in notes else []
            continue
        role, name = found
        if role in roles[name]:
            raise CorpusError(
                f"The columns '{roles[name][role]}' and '{column}' are both the {role} in {name}.",
                remedy="Leave one out.",
                file=frame.file,
                line=1,
            )
        roles[name][role] = column
    pairs = any("pair" in own for own in roles.values())
    for name, own in roles.items():
        wanted: tuple[Role, ...] = ("text", "pair") if pairs else ("text",)
        if lacking := [role for role in wanted if role not in own]:
            there = next(column for each in roles.values() for role, column in each.items() if role == lacking[0])
            raise CorpusError(
                f"{name} has no column such as '{there}'.",
                remedy="Give every language the same columns.",
                file=frame.file,
                line=1,
            )
    shared, named = _labels(frame), task_columns.named(frame, task_columns.NAMES["label"])
    if named and all("label" in own for own in roles.values()):
        note = f"{frame.file}: the column '{named}' was left out, since every language has labels of its own."
        notes += [note] if note not in notes else []
    made = []
    for name, own in roles.items():
        labels = _as_labels(frame, own["label"]) if "label" in own else shared
        if labels is None:
            raise CorpusError(f"{name} has no column of labels.", remedy="Add one column 'label'.", file=frame.file, line=1)
        second = frame.columns[own["pair"]] if pairs else None
        made.append(_piece(frame, rows, part, name, frame.columns[own["text"]], second, labels))
    return made


def _nested(frame: Frame, rows: Sequence[int], part: PartName) -> list[Piece]:
    """The languages of the first premise; a row without one of them lacks its text there. Labels 0, 1, 2 get their names."""
    sides = []
    for side in layouts.SIDES:
        sides.append([layouts.by_language(v, frame.file, n) for v, n in zip(frame.columns[side], frame.lines, strict=True)])
    labels = _labels(frame) or []
    if set(labels) <= {"0", "1", "2", "-1", ""}:
        names = dict(zip("012", XNLI_LABELS, strict=True))
        labels = [names.get(label, "") for label in labels]
    languages = dict.fromkeys(name for row in sides[0] for name in row)
    return [
        _piece(frame, rows, part, name, [r.get(name) for r in sides[0]], [r.get(name) for r in sides[1]], labels)
        for name in languages
    ]


def _piece(
    frame: Frame,
    rows: Sequence[int],
    part: PartName,
    name: str,
    texts: Sequence[Any] | None,
    pairs: Sequence[Any] | None,
    labels: Sequence[str] | None,
) -> Piece:
    ids = _ids(frame)
    return Piece(
        name,
        frame.file,
        part,
        [ids[i] for i in rows],
        [(texts or [])[i] for i in rows],
        None if pairs is None else [pairs[i] for i in rows],
        [(labels or [])[i] for i in rows],
        [frame.lines[i] for i in rows],
    )


def _ids(frame: Frame) -> list[str]:
    column = task_columns.named(frame, task_columns.ROW_IDS)
    if column is None:
        return [str(number) for number in range(1, len(frame.lines) + 1)]
    for value, line in zip(frame.columns[column], frame.lines, strict=True):
        if value is None or isinstance(value, dict | list) or not str(value).strip():
            raise CorpusError("The row has no id.", remedy=f"Fill in the column '{column}'.", file=frame.file, line=line)
    return [str(value).strip() for value in frame.columns[column]]


def _one(frame: Frame, role: Role) -> list[Any] | None:
    column = task_columns.named(frame, task_columns.NAMES[role])
    return None if column is None else frame.columns[column]


def _labels(frame: Frame) -> list[str] | None:
    column = task_columns.named(frame, task_columns.NAMES["label"])
    return None if column is None else _as_labels(frame, column)


def _as_labels(frame: Frame, column: str) -> list[str]:
    pairs = zip(frame.columns[column], frame.lines, strict=True)
    return [task_columns.label_of(value, frame, line) for value, line in pairs]
