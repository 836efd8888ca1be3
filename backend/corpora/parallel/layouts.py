"""The column layouts of well-known Hub data sets, whether loaded from the Hub or dropped as Parquet or JSON Lines.

| data set | columns |
|---|---|
| `google/wmt24pp` (Deutsch et al. 2025) | lp, domain, document_id, segment_id, is_bad_source, source, target, original_target |
| `openlanguagedata/flores_plus` | id, iso_639_3, iso_15924, glottocode, text, url, … |
| `facebook/xnli`, all languages (Conneau et al. 2018) | premise {language: text}, hypothesis {language: […], …}, label |
| `Helsinki-NLP/opus-100` (Zhang et al. 2020) and other pairs | translation {language: text} |
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.corpora.parallel.assemble import Column, Skips
from isogloss.backend.corpora.shared.cells import Builder, drained, held
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.tables import Table

Layout = Literal["WMT24++", "FLORES+", "XNLI", "translation pairs"]
Side = Literal["premise", "hypothesis"]
SIDES: tuple[Side, ...] = ("premise", "hypothesis")


def recognise(table: Table) -> Layout | None:
    """Return which layout a table has, or None where it is none of these."""
    names = set(table.columns)
    if {"lp", "source", "target", "is_bad_source"} <= names:
        return "WMT24++"
    if {"iso_639_3", "iso_15924", "text", "id"} <= names:
        return "FLORES+"
    if {"premise", "hypothesis"} <= names and isinstance(_sample(table, "premise"), dict):
        return "XNLI"
    if isinstance(_sample(table, "translation"), dict):
        return "translation pairs"
    return None


def columns(layout: Layout, tables: Sequence[Table], skips: Skips, sides: Sequence[Side] = SIDES) -> list[Column]:
    """Return the columns of tables that all have `layout`; what is left out goes to `skips`. `sides` is for XNLI alone.

    Raises `CorpusError` for rows that do not fit the layout.
    """
    match layout:
        case "WMT24++":
            return _wmt24pp(tables, skips)
        case "FLORES+":
            return _flores_plus(tables)
        case "XNLI":
            return [c for side in sides for table in tables for c in _xnli(table, side, skips)]
        case "translation pairs":
            return _translations(tables)


def _wmt24pp(tables: Sequence[Table], skips: Skips) -> list[Column]:
    """English once, from the first pair that has a segment, and the post-edited `target` of every pair.

    Rows whose source the authors marked as bad are skipped and counted, once for each pair they are in.
    """
    english: dict[str, tuple[Any, str, int]] = {}  # id → text, file, line
    rows_of_column: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
    for table in tables:
        of = table.columns
        documents, segments = of.get("document_id") or [None] * len(table.lines), of.get("segment_id") or table.lines
        for pair, bad, source, target, document, segment, line in zip(
            of["lp"], of["is_bad_source"], of["source"], of["target"], documents, segments, table.lines, strict=True
        ):
            if bad in (True, "True", "true"):
                skips.add(table.file, [line], "marked as a bad source by its authors (is_bad_source)", lost=False)
                continue
            key, name = f"{document}/{segment}", str(pair).removeprefix("en-")
            text, file, first = english.setdefault(key, (source, table.file, line))
            if text != source:
                raise CorpusError(
                    f"Segment {key} has another English text than in {file}, line {first}.",
                    remedy="Take all pairs from the same revision of the data set.",
                    file=table.file,
                    line=line,
                )
            if (file, first) == (table.file, line):
                rows_of_column["en", file].append((key, source, line, document))
            rows_of_column[name, table.file].append((key, target, line, document))
    return [Column(name, file, *(list(v) for v in zip(*rows, strict=True))) for (name, file), rows in rows_of_column.items()]


def _flores_plus(tables: Sequence[Table]) -> list[Column]:
    """Return one column for each variety of each table; two glottocodes of one language and script are two varieties."""
    rows_of_variety: dict[tuple[str, str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, table in enumerate(tables):
        glottocodes = table.columns.get("glottocode") or [""] * len(table.lines)
        coded = zip(table.columns["iso_639_3"], table.columns["iso_15924"], glottocodes, strict=True)
        for row, (iso, script, code) in enumerate(coded):
            rows_of_variety[str(iso), str(script), str(code or "")][place].append(row)
    varieties: dict[tuple[str, str], list[str]] = defaultdict(list)
    for iso, script, code in rows_of_variety:
        varieties[iso, script].append(code)
    columns = []
    for (iso, script, code), places in rows_of_variety.items():
        main = min(varieties[iso, script], key=lambda c: (not c.startswith("stan"), c))
        name = f"{iso}_{script}" if code == main else f"{iso}_{script}_{code}"
        columns += [_flores_column(tables[place], name, rows) for place, rows in places.items()]
    return columns


def _flores_column(table: Table, name: str, rows: Sequence[int]) -> Column:
    def of(column: str) -> list[Any]:
        values = table.columns.get(column)
        return [values[i] if values else None for i in rows]

    prefixes = [f"{split}." if split else "" for split in of("split")]
    ids = [f"{prefix}{i}" for prefix, i in zip(prefixes, of("id"), strict=True)]
    return Column(name, table.file, ids, of("text"), [table.lines[i] for i in rows], of("url"))


def _xnli(table: Table, side: Side, skips: Skips) -> list[Column]:
    """One column a language. Every premise stands in three rows: its first is kept, the others are skipped and counted."""
    seen: dict[tuple[tuple[str, str | None], ...], int] = {}
    kept: list[tuple[int, dict[str, str | None]]] = []
    for line, value in zip(table.lines, table.columns[side], strict=True):
        texts = by_language(value, table.file, line)
        first = seen.setdefault(tuple(sorted(texts.items())), line) if side == "premise" else line
        if first == line:
            kept.append((line, texts))
        else:
            skips.add(table.file, [line], "the same premise as an earlier row", lost=False)
    lines = [line for line, _ in kept]
    ids = [f"{side}.{line}" for line in lines]
    names = dict.fromkeys(name for _, texts in kept for name in texts)
    return [Column(name, table.file, ids, [texts.get(name) for _, texts in kept], lines) for name in names]


def _translations(tables: Sequence[Table]) -> list[Column]:
    """Return one column per language; ids are row numbers, with the pair before them where there are several tables."""
    columns = []
    for table in tables:
        builders: dict[str, Builder] = {}
        for place, (value, line) in enumerate(zip(drained(table.columns["translation"]), table.lines, strict=True)):
            for name, text in by_language(value, table.file, line).items():
                builder = builders.setdefault(name, Builder())
                builder.pad(place)
                builder.append(text)
        prefix = f"{'-'.join(sorted(builders))}." if len(tables) > 1 else ""
        ids = held(f"{prefix}{line}" for line in table.lines)
        for name, builder in sorted(builders.items()):
            builder.pad(len(table.lines))
            columns.append(Column(name, table.file, ids, builder.done(), table.lines))
        table.columns.clear()
    return columns


def by_language(value: Any, file: str, line: int) -> dict[str, str | None]:
    """Return a row's texts by language, from any of the forms that `datasets` gives translations."""
    match value:
        case {"language": [*names], "translation": [*texts]} if len(names) == len(texts):
            return dict(zip(names, texts, strict=True))
        case [*items] if items and all(isinstance(i, dict) and {"language", "translation"} <= set(i) for i in items):
            return {i["language"]: i["translation"] for i in items}
        case dict():
            return value
    raise CorpusError("The row has no translations by language.", remedy="Load the data set again.", file=file, line=line)


def _sample(table: Table, column: str) -> Any:
    return next((v for v in table.columns.get(column, []) if v is not None), None)
