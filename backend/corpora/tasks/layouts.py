"""Layouts of labelled tasks, and their rows as pieces: one language of one file.

| layout | columns |
|---|---|
| a file per language (XTREME, PAWS-X) | text, [second text], label, header or none; the name says which |
| a column per language | `text_en` or `en`, or `premise_en` and `hypothesis_en`; label (or `label_en`) |
| long format | id, language, text, [text_pair], label |
| XNLI, all languages | premise {language: text}, hypothesis {language: […], …}, label |

`split` and `id` may stand beside. Without an id, rows of equal number are translations of each other.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.corpora.parallel import layouts
from isogloss.backend.corpora.parallel.tabular import LANGUAGES
from isogloss.backend.corpora.shared.cells import held, numbered
from isogloss.backend.corpora.tasks import columns as task_columns
from isogloss.backend.corpora.tasks.rows import Piece
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.tables import Table
    from isogloss.backend.corpora.tasks.columns import Role
    from isogloss.backend.corpora.tasks.rows import PartName

Layout = Literal["a file per language", "a column per language", "long format", "XNLI, all languages"]
XNLI_LABELS = ("entailment", "neutral", "contradiction")
"""What the Hub's 0, 1 and 2 mean."""


def recognise(table: Table, file_language: str | None) -> Layout:
    """Return which layout a table has. Raises `CorpusError` naming the columns found where it has none."""
    label, text = (table.find(task_columns.NAMES[role]) for role in ("label", "text"))
    if layouts.recognise(table) == "XNLI" and label:
        return "XNLI, all languages"
    if table.find(LANGUAGES) and text and label:
        return "long format"
    roles = {found[0] for name in table.columns if (found := task_columns.of_language(table, name))}
    if "text" in roles and (label or "label" in roles) and not text:
        return "a column per language"
    if file_language and text and label:
        return "a file per language"
    listed = ", ".join(f"'{name}'" for name in list(table.columns)[:8])
    missing = "no column of labels" if not label and "label" not in roles else "no column of texts with a language"
    raise CorpusError(
        f"There is {missing} (found: {listed}).",
        remedy="Name columns label and text_en, text_de … (or premise_en, hypothesis_en …), or id, language, text, label.",
        file=table.file,
        line=1,
    )


def pieces(layout: Layout, table: Table, part: PartName, name: str | None, notes: list[str]) -> list[Piece]:
    """The rows of one table. `part` is what the file says of all its rows, `name` its language; a column `split` goes first."""
    column = table.find(task_columns.SPLITS)
    if column is None:
        return _pieces(layout, table, range(len(table.lines)), part, name, notes)
    groups: dict[PartName, array[int]] = defaultdict(lambda: array("q"))
    for row, value in enumerate(table.columns[column]):
        groups[task_columns.part_of(value, table, table.lines[row])].append(row)
    return [piece for own, rows in groups.items() for piece in _pieces(layout, table, rows, own, name, notes)]


def _pieces(
    layout: Layout, table: Table, rows: Sequence[int], part: PartName, name: str | None, notes: list[str]
) -> list[Piece]:
    match layout:
        case "a file per language":
            _note_others(table, notes)
            return [_piece(table, rows, part, name or "", _one(table, "text"), _one(table, "pair"), _labels(table))]
        case "long format":
            _note_others(table, notes, LANGUAGES)
            return _long(table, rows, part)
        case "a column per language":
            return _wide(table, rows, part, notes)
        case "XNLI, all languages":
            return _nested(table, rows, part)


def _note_others(table: Table, notes: list[str], *more: Sequence[str]) -> None:
    """Note the columns that are not read, once for files that have the same: one may hold the labels that were meant."""
    read = {table.find(names) for names in (*task_columns.NAMES.values(), task_columns.SPLITS, *more)}
    known = {*task_columns.ROW_IDS}
    if others := [f"'{name}'" for name in table.columns if name not in read and name.lower() not in known]:
        note = f"Columns that were left out: {', '.join(others[:8])}{', …' if len(others) > 8 else ''}"
        notes += [] if any(each.startswith(note) for each in notes) else [f"{note} (first in {table.file})."]


def _long(table: Table, rows: Sequence[int], part: PartName) -> list[Piece]:
    if not table.find(task_columns.ROW_IDS):
        raise CorpusError(
            "The long format has no id column, so nothing says which rows are translations of each other.",
            remedy="Add a column 'id' with the same value for a row in every language.",
            file=table.file,
            line=1,
        )
    names = table.columns[table.find(LANGUAGES) or ""]
    groups: dict[str, array[int]] = defaultdict(lambda: array("q"))
    for row in rows:
        if not isinstance(names[row], str) or not names[row].strip():
            raise CorpusError(
                "The row does not say its language.", remedy="Fill in the column.", file=table.file, line=table.lines[row]
            )
        groups[names[row].strip()].append(row)
    text, pair, labels = _one(table, "text"), _one(table, "pair"), _labels(table)
    return [_piece(table, own, part, name, text, pair, labels) for name, own in groups.items()]


def _wide(table: Table, rows: Sequence[int], part: PartName, notes: list[str]) -> list[Piece]:
    roles: dict[str, dict[Role, str]] = defaultdict(dict)
    known = {*task_columns.ROW_IDS, *task_columns.SPLITS}
    for column in table.columns:
        column_role = task_columns.of_language(table, column)
        if column_role is None:
            note = f"{table.file}: the column '{column}' is no language's text and was left out."
            other = column.lower() not in known and column != table.find(task_columns.NAMES["label"])
            notes += [note] if other and note not in notes else []
            continue
        role, name = column_role
        if role in roles[name]:
            raise CorpusError(
                f"The columns '{roles[name][role]}' and '{column}' are both the {role} in {name}.",
                remedy="Leave one out.",
                file=table.file,
                line=1,
            )
        roles[name][role] = column
    pairs = any("pair" in columns_of_name for columns_of_name in roles.values())
    for name, columns_of_name in roles.items():
        wanted: tuple[Role, ...] = ("text", "pair") if pairs else ("text",)
        if lacking := [role for role in wanted if role not in columns_of_name]:
            there = next(column for each in roles.values() for role, column in each.items() if role == lacking[0])
            raise CorpusError(
                f"{name} has no column such as '{there}'.",
                remedy="Give every language the same columns.",
                file=table.file,
                line=1,
            )
    shared, named = _labels(table), table.find(task_columns.NAMES["label"])
    if named and all("label" in columns_of_name for columns_of_name in roles.values()):
        note = f"{table.file}: the column '{named}' was left out, since every language has labels of its own."
        notes += [note] if note not in notes else []
    made = []
    for name, columns_of_name in roles.items():
        labels = _as_labels(table, columns_of_name["label"]) if "label" in columns_of_name else shared
        if labels is None:
            raise CorpusError(f"{name} has no column of labels.", remedy="Add one column 'label'.", file=table.file, line=1)
        second = table.columns[columns_of_name["pair"]] if pairs else None
        made.append(_piece(table, rows, part, name, table.columns[columns_of_name["text"]], second, labels))
    return made


def _nested(table: Table, rows: Sequence[int], part: PartName) -> list[Piece]:
    """The languages of the first premise; a row without one of them lacks its text there. Labels 0, 1, 2 get their names."""
    sides = []
    for side in layouts.SIDES:
        sides.append([layouts.by_language(v, table.file, n) for v, n in zip(table.columns[side], table.lines, strict=True)])
    labels = _labels(table) or []
    if set(labels) <= {"0", "1", "2", "-1", ""}:
        names = dict(zip("012", XNLI_LABELS, strict=True))
        labels = [names.get(label, "") for label in labels]
    languages = dict.fromkeys(name for row in sides[0] for name in row)
    return [
        _piece(table, rows, part, name, [r.get(name) for r in sides[0]], [r.get(name) for r in sides[1]], labels)
        for name in languages
    ]


def _piece(
    table: Table,
    rows: Sequence[int],
    part: PartName,
    name: str,
    texts: Sequence[Any] | None,
    pairs: Sequence[Any] | None,
    labels: Sequence[str] | None,
) -> Piece:
    def own(values: Sequence[Any] | None) -> Sequence[Any]:
        every = isinstance(rows, range) and len(rows) == len(table.lines)
        return (values or []) if every else held((values or [])[i] for i in rows)

    second = None if pairs is None else own(pairs)
    lines = array("q", (table.lines[i] for i in rows))
    return Piece(name, table.file, part, own(_ids(table)), own(texts), second, own(labels), lines)


def _ids(table: Table) -> Sequence[str]:
    column = table.find(task_columns.ROW_IDS)
    if column is None:
        return numbered(len(table.lines), "")
    for value, line in zip(table.columns[column], table.lines, strict=True):
        if value is None or isinstance(value, dict | list) or not str(value).strip():
            raise CorpusError("The row has no id.", remedy=f"Fill in the column '{column}'.", file=table.file, line=line)
    return held(str(value).strip() for value in table.columns[column])


def _one(table: Table, role: Role) -> Sequence[Any] | None:
    column = table.find(task_columns.NAMES[role])
    return None if column is None else table.columns[column]


def _labels(table: Table) -> Sequence[str] | None:
    column = table.find(task_columns.NAMES["label"])
    return None if column is None else _as_labels(table, column)


def _as_labels(table: Table, column: str) -> Sequence[str]:
    pairs = zip(table.columns[column], table.lines, strict=True)
    return held((task_columns.label_of(value, table, line) for value, line in pairs))
