"""Tables: a column per language, or long format (id, language, text); CSV, TSV, JSON Lines, Parquet, with or without `.gz`."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import layouts
from isogloss.backend.corpora.parallel.assemble import Column, Skips, assemble
from isogloss.backend.corpora.shared.cells import Builder, Cells, drained, held, numbered
from isogloss.backend.corpora.shared.formats import Evidence, Format
from isogloss.backend.corpora.shared.parquet_columns import MAX_COLUMNS
from isogloss.backend.corpora.shared.tables import SUFFIX, Table, read_table
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.shared.inputs import InputFile

IDS = ("sentence_id", "sent_id", "segment_id", "seg_id", "sid", "key", "idx", "id", "qid")
DOCUMENTS = ("document_id", "doc_id", "docid", "document", "doc")
LANGUAGES = ("language", "lang", "language_code", "lang_code", "locale")
TEXTS = ("text", "sentence", "content", "segment")
OTHER = frozenset({"src", "tgt", "ref", "hyp", "source", "target", "url", "split", "domain", "topic", "score", "label", "set"})
"""Usual names of columns that also are, or look like, codes of languages (`src` is Logudorese) and never mean them."""
CODE = re.compile(r"[A-Za-z]{2,3}([-_]([A-Z]{2}|[A-Z][a-z]{3}|[0-9]{3}))*")
"""What looks like a code of a language; other unknown names are taken for other information."""
REMEDY = "Name each column after its language ('de', 'fi'), or give columns id, language and text."


def recognise(files: Sequence[InputFile]) -> Mapping[InputFile, Evidence]:
    """Return the files whose suffix says that they are tables."""
    return {f: Evidence.ENDING for f in files if SUFFIX.search(f.base)}


def read(files: Sequence[InputFile]) -> ParallelCorpus:
    """Return the corpus in one or more tables of the same layout.

    Raises `CorpusError` where no column is a language, a name that looks like a code is none, layouts differ, or several tables
    with a column per language have no ids to tell their rows apart.
    """
    skips = Skips()
    tables = [read_table(file, skips) for file in files]
    kinds = {table.file: _kind(table) for table in tables}
    if len(set(kinds.values())) > 1:
        listed = "; ".join(f"{name} is {kind}" for name, kind in kinds.items())
        raise CorpusError(f"The tables differ in layout: {listed}.", remedy="Drop one kind at a time.", file=tables[-1].file)
    notes: list[str] = []
    match kind := kinds[tables[0].file]:
        case "long format":
            columns = []
            for table in tables:
                columns += _long(table)
                table.columns.clear()
        case "a column per language":
            columns = [c for table in tables for c in _wide(table, notes, alone=len(tables) == 1)]
        case _:
            # Not strict: the languages of a published data set cannot be renamed.
            return assemble(kind, layouts.columns(kind, tables, skips), skips=skips, strict=False)
    suffixes = {m[1].upper().replace("JSONL", "JSON Lines") for f in files if (m := SUFFIX.search(f.base))}
    return assemble(f"{'/'.join(sorted(suffixes)).replace('PARQUET', 'Parquet')}, {kind}", columns, skips=skips, warnings=notes)


def _kind(table: Table) -> Any:
    if layout := layouts.recognise(table):
        return layout
    return "long format" if table.find(LANGUAGES) and table.find(TEXTS) else "a column per language"


def _long(table: Table) -> list[Column]:
    id_column, document_column = table.find(IDS), table.find(DOCUMENTS)
    if not id_column:
        raise CorpusError(
            "The long format has no id column, so nothing says which rows are translations of each other.",
            remedy="Add a column 'id' with the same value for a sentence in every language.",
            file=table.file,
            line=1,
        )
    languages, text_column = table.find(LANGUAGES) or "", table.find(TEXTS) or ""
    _check_languages(table, languages)

    def apart(values: Iterable[Any]) -> dict[str, Cells]:
        """Return the values of each language by themselves."""
        found: dict[str, Builder] = {}
        for name, value in zip(table.columns[languages], values, strict=True):
            found.setdefault(name.strip(), Builder()).append(value)
        return {name: builder.done() for name, builder in found.items()}

    lines: dict[str, array[int]] = defaultdict(lambda: array("q"))
    for name, line in zip(table.columns[languages], table.lines, strict=True):
        lines[name.strip()].append(line)
    ids = apart(_identifiers(table, id_column))
    documents = {} if document_column is None else apart(_documents(table, document_column))
    texts = apart(drained(table.columns[text_column]))
    return [Column(name, table.file, ids[name], texts[name], own, documents.get(name)) for name, own in lines.items()]


def _check_languages(table: Table, column: str) -> None:
    """Raise `CorpusError` for a row that does not say its language, and for too many of them."""
    names = set[str]()
    for name, line in zip(table.columns[column], table.lines, strict=True):
        if not isinstance(name, str) or not name.strip():
            raise CorpusError("The row does not say its language.", remedy="Fill in the column.", file=table.file, line=line)
        names.add(name)
        if len(names) > MAX_COLUMNS:
            raise CorpusError(
                f"There are more than {MAX_COLUMNS:,} languages.",
                remedy="Check the column of languages.",
                file=table.file,
                line=line,
            )


def _wide(table: Table, notes: list[str], *, alone: bool) -> list[Column]:
    id_column, document_column = _id_column(table), table.find(DOCUMENTS)
    if not id_column and not alone:
        raise CorpusError(
            "Several tables were dropped and this one has no id column.",
            remedy="Drop one table at a time, or add a column 'id' with a value of its own for every sentence.",
            file=table.file,
        )
    names = [n for n in table.columns if n not in (id_column, document_column) and _is_language(table, n, notes)]
    if not names:
        headings = ", ".join(f"'{n}'" for n in list(table.columns)[:8])
        if wordless := [name for name in table.columns if name not in (id_column, document_column) and _names_language(name)]:
            value = next((v for v in table.columns[wordless[0]][:500] if v not in (None, "")), None)
            raise CorpusError(
                f"The column '{wordless[0]}' is named after a language, but holds no words (such as {value!r:.40}).",
                remedy="Put the sentences there, or name the column that has them after their language.",
                file=table.file,
                line=table.lines[0],
            )
        raise CorpusError(f"No column is named after a language (found: {headings}).", remedy=REMEDY, file=table.file, line=1)
    count = len(table.lines)
    ids = held(_identifiers(table, id_column)) if id_column else numbered(count, "")
    documents = held(_documents(table, document_column)) if document_column else None
    return [Column(name, table.file, ids, table.columns[name], table.lines, documents) for name in names]


def _names_language(name: str) -> bool:
    try:
        language(name)
    except CorpusError:
        return False
    return name.lower() not in OTHER


def _is_language(table: Table, name: str, notes: list[str]) -> bool:
    """Whether a column holds a language; what is left out is noted. Raises `CorpusError` for a code that is no language."""
    values = [v for v in table.columns[name][:500] if v not in (None, "")]
    wordless = bool(values) and not any(isinstance(v, str) and any(c.isalpha() for c in v) for v in values)
    if not wordless and name.lower() not in OTHER:
        try:
            language(name)
        except CorpusError as error:
            if CODE.fullmatch(name):
                raise CorpusError(
                    f"The column '{name}': {error.problem}", remedy=error.remedy, file=table.file, line=1
                ) from None
        else:
            return True
    notes.append(f"{table.file}: the column '{name}' is no language's text and was left out.")
    return False


def _id_column(table: Table) -> str | None:
    """The column of ids. `id` is also Indonesian: it is text where another column has the ids, or where it has spaces."""
    name = table.find(IDS)
    if name and name.lower() == "id":
        values = [v for v in table.columns[name][:200] if isinstance(v, str) and v.strip()]
        spaced = sum(" " in v.strip() for v in values)
        return None if values and spaced * 2 > len(values) else name
    return name


def _identifiers(table: Table, column: str) -> Iterator[str]:
    for value, line in zip(table.columns[column], table.lines, strict=True):
        if value is None or isinstance(value, (dict, list)) or not (found := str(value).strip()):
            raise CorpusError("The row has no id.", remedy=f"Fill in the column '{column}'.", file=table.file, line=line)
        yield found


def _documents(table: Table, column: str) -> Iterator[str | None]:
    return (None if value in (None, "") else str(value) for value in table.columns[column])


FORMAT = Format("CSV, TSV, JSON Lines, Parquet", "a column per language, or id, language, text", recognise, read)
