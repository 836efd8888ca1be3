"""Labelled tasks from the files a user drops: XTREME's files, tables with a column per language, long tables."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.languages import only
from isogloss.backend.corpora.parallel.assemble import Skips
from isogloss.backend.corpora.parallel.readers import OFFICE
from isogloss.backend.corpora.shared.cells import Builder
from isogloss.backend.corpora.shared.delimited import read_rows, uneven
from isogloss.backend.corpora.shared.inputs import InputFile, expand, listed
from isogloss.backend.corpora.shared.tables import SUFFIX, Table, read_table
from isogloss.backend.corpora.shared.textlines import check_aligned, each_line, read_lines
from isogloss.backend.corpora.tasks import columns as task_columns
from isogloss.backend.corpora.tasks import layouts as task_layouts
from isogloss.backend.corpora.tasks import rows as task_rows
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.tasks.rows import PartName, Piece
    from isogloss.backend.corpora.tasks.task import LabelledTask

__all__ = ["InputFile", "read"]

KNOWN = (
    "a file per language (dev-en.tsv: text, second text, label), or CSV, TSV, JSON Lines or Parquet with columns "
    "text_en, text_de … and label, or id, language, text and label"
)


def read(
    files: Sequence[InputFile],
    validation: Sequence[InputFile] = (),
    *,
    languages: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> LabelledTask:
    """Return the task in a set of dropped files and archives, whatever their order.

    With `validation`, `files` are for training and those for validation. Otherwise names (`train-en.tsv`) or a column `split`
    say it, and where nothing does all rows are for training (`tasks.split` sets some aside). `languages` reads only
    those, `labels` are the only ones that may occur. Raises `CorpusError` as `task_rows.assemble` does, and for files that are
    no table of a task, differ in layout, or are not aligned; `StoreError` where the disk is too full to unpack them.
    """
    if not files:
        raise CorpusError("No file was dropped.", remedy=f"Drop the files of one task: {KNOWN}.")
    skips, notes = Skips(), list[str]()
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        pieces, kinds = _all(files, "train" if validation else None, Path(folder), skips, notes)
        if validation:
            more, others = _all(validation, "dev", Path(folder), skips, notes)
            pieces, kinds = pieces + more, kinds | others
        pieces = only(pieces, [piece.name for piece in pieces], languages)
        return task_rows.assemble(", ".join(sorted(kinds)), pieces, skips=skips, warnings=notes, allowed=labels)


def _all(
    files: Sequence[InputFile], part: PartName | None, folder: Path, skips: Skips, notes: list[str]
) -> tuple[list[Piece], set[str]]:
    """Return the pieces of all files, which have `part` whatever their names say, and their format in words."""
    inputs, left_out = expand(files, folder)
    notes += left_out
    table_files = sorted((f for f in inputs if _is_table(f)), key=lambda f: f.name)
    if others := [f.name for f in inputs if not _is_table(f)]:
        notes.append(f"Not read, since not part of the task: {listed(others)}.")
    if not table_files:
        raise _unknown(inputs)
    pieces: list[Piece] = []
    layouts: dict[task_layouts.Layout, str] = {}
    formats = set[str]()
    rows: dict[PartName, dict[str, int]] = {}
    for file in table_files:
        part_of_file, name = task_columns.of_file(file)
        blank = len(skips.rows) + skips.more
        table, headless = _table(file, skips)
        layout = "a file per language" if headless and name else task_layouts.recognise(table, name)
        layouts.setdefault(layout, file.name)
        if layout == "a file per language" and len(skips.rows) + skips.more > blank:
            _check_blank(table, skips)
        if layout == "a file per language" and not table.find(task_columns.ROW_IDS):
            rows.setdefault(part_of_file, {})[file.name] = len(table.lines)
        formats.add("XTREME" if headless else layout)
        if part is not None and table.find(task_columns.SPLITS):
            table = _without_split(table, notes)
        pieces += task_layouts.pieces(layout, table, part_of_file if part is None else part, name, notes)
    if len(layouts) > 1:
        found_layouts = "; ".join(f"{name} is {layout}" for layout, name in layouts.items())
        raise CorpusError(f"The files differ in layout: {found_layouts}.", remedy="Drop one kind at a time.")
    for counts in rows.values():
        check_aligned(counts)
    return pieces, formats


def _table(file: InputFile, skips: Skips) -> tuple[Table, bool]:
    """Return the table in a file, and whether it has no header, as XTREME's have none."""
    suffix = SUFFIX.search(file.base)
    if suffix and suffix[1].lower() not in ("tsv", "tab"):
        return read_table(file, skips), False
    header = {field.strip().lower() for field in next(each_line(file), "").split("\t")}
    if header & set(task_columns.NAMES["label"]) or any(name.startswith("label") for name in header):
        return read_table(file, skips), False
    return _headless(file, read_lines(file)), True


def _headless(file: InputFile, lines: Sequence[str]) -> Table:
    """Rows as they stand: quotes are text (PAWS-X has unpaired ones). An empty line is a row without text."""
    width = next((len(row) for _, row in read_rows(file, lines, "\t", "text") if len(row) > 1), 1)
    if width not in (2, 3):
        raise CorpusError(
            f"The first row has {width} field{'s' if width > 1 else ''}, not 2 (text, label) or 3 (text, second text, label).",
            remedy="Separate them by tabs, or put a header with the columns' names above.",
            file=file.name,
            line=1,
        )
    names = ("text", "label") if width == 2 else ("text", "text_pair", "label")
    builders = {name: Builder() for name in names}
    for number, row in read_rows(file, lines, "\t", "text"):
        fields = row if any(map(str.strip, row)) else [""] * width
        if len(fields) != width:
            remedy = "Separate text, second text and label by one tab each, and remove tabs inside texts."
            raise uneven(file, (number, row), f"but the first has {width}", remedy)
        for builder, field in zip(builders.values(), fields, strict=True):
            builder.append(field)
    if task_columns.of_file(file)[1] is None:
        raise CorpusError(
            "The name does not say which language this is, and there is no header.",
            remedy="Name it like dev-en.tsv, or put a header with the columns' names above.",
            file=file.name,
            line=1,
        )
    return Table(file.name, {name: each.done() for name, each in builders.items()}, range(1, len(lines) + 1))


def _check_blank(table: Table, skips: Skips) -> None:
    """Raise `CorpusError` for a blank row of a language's own file where only their number says what translates what."""
    if table.find(task_columns.ROW_IDS):
        return
    line = next((row.line for row in skips.rows if row.file == table.file), None)
    raise CorpusError(
        "A row is blank, and without ids its number alone says which rows are translations of each other.",
        remedy="Write its label with empty texts, or add a column 'id'.",
        file=table.file,
        line=line,
    )


def _without_split(table: Table, notes: list[str]) -> Table:
    column = table.find(task_columns.SPLITS) or ""
    notes.append(f"{table.file}: the column '{column}' was not used, for the files themselves say what is for validation.")
    return replace(table, columns={name: values for name, values in table.columns.items() if name != column})


def _is_table(file: InputFile) -> bool:
    base = file.base.lower()
    return bool(SUFFIX.search(base)) or (base.endswith(".txt") and task_columns.of_file(file)[1] is not None)


def _unknown(files: Sequence[InputFile]) -> CorpusError:
    if not files:
        return CorpusError("The archive holds no files.", remedy=f"Drop the files of one task: {KNOWN}.")
    base = files[0].base
    remedy = f"These are read: {KNOWN}."
    if OFFICE.search(base):
        remedy = "Save the sheet as CSV (UTF-8)."
    elif base.lower().endswith(".json"):
        remedy = "Write one JSON object a line, in a .jsonl file."
    return CorpusError("This is no table of a task.", remedy=remedy, file=files[0].name)
