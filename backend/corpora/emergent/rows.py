"""One row of an emergent-language file as an utterance, or what is wrong with it; and whole blocks of integers at once.

`utterance` defines what every row is. `integers` is a fast path for blocks without anything odd and agrees with it; of all
other blocks it knows nothing.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from isogloss.backend.corpora.emergent.layouts import INTEGER, Layout, words_of_integers
from isogloss.backend.corpora.shared.blocks import BrokenRowError
from isogloss.backend.files import NestedError, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

NEGATIVE = "a negative id"
LARGEST = int(np.iinfo(np.int32).max)
STRING = re.compile(r"""'([^'\\]*)'|"([^"\\]*)\"""")
LIST = re.compile(r"""\[(?:[\s,]*(?:'[^'\\]*'|"[^"\\]*"))*[\s,]*\]""")
"""A list of strings as pandas writes it into CSV: `['wa', 'tok']`."""
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL and half characters, which JSON can escape and text cannot hold."""


def utterance(row: str, layout: Layout, *, cut: bool = False) -> list[int] | list[str]:
    """Return the symbols of one row, at least one. `cut` says that the file ends with this row, without a line end.

    Raises `BrokenRowError` with what is wrong.
    """
    if not row.strip():
        raise BrokenRowError("an empty utterance")
    match layout.kind:
        case "table" if layout.symbols == "words" and LIST.fullmatch(row.strip()):
            return _from_array([one or other for one, other in STRING.findall(row)], layout)
        case "lines" if "\r" in row.strip():
            raise BrokenRowError("a CR within the row: two utterances, or one")
        case "lines" | "table":
            return _from_text(row, layout)
        case "objects":
            value = _of_field(row, layout.field, cut=cut)
            return _from_text(value, layout) if isinstance(value, str) else _from_array(value, layout)
        case "strings":
            value = _parsed(row, cut=cut)
            if not isinstance(value, str):
                raise BrokenRowError(f"{_kind(value)}, not a string")
            return _from_text(value, layout)
        case "arrays":
            return _from_array(_parsed(row, cut=cut), layout)


def _of_field(row: str, field: str | None, *, cut: bool) -> Any:
    """Return what an object has as `field`, which it must have once: `json` alone would let the last one win unseen."""
    pairs: list[tuple[str, Any]] = []

    def outermost(found: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs[:] = found  # an object is complete after those within it
        return dict(found)

    value = _parsed(row, cut=cut, pairs=outermost)
    if not isinstance(value, dict):
        raise BrokenRowError(f"{_kind(value)}, not an object")
    values = [each for name, each in pairs if name == field]
    if len(values) != 1:
        raise BrokenRowError(f"no field '{field}'" if not values else f"the field '{field}' {len(values)} times")
    return values[0]


def _parsed(row: str, *, cut: bool, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the JSON value of a row, its objects made by `pairs` where it is given. Raises `BrokenRowError`."""
    try:
        return parse_json(row, pairs)
    except json.JSONDecodeError as error:
        if cut:
            raise BrokenRowError("cut off, since the file ends within this row") from None
        raise BrokenRowError("not JSON", f"{error.msg.lower()} at character {error.colno}") from None
    except NestedError:
        raise BrokenRowError("nested too deeply") from None
    except ValueError:
        raise BrokenRowError(f"an id above {LARGEST:,}") from None


def _from_array(value: object, layout: Layout) -> list[int] | list[str]:
    symbols, least = layout.symbols, _least(layout)
    if not isinstance(value, list):
        raise BrokenRowError(f"{_kind(value)}, not an array")
    if not value:
        raise BrokenRowError("an empty utterance")
    if symbols == "integers" and set(map(type, value)) == {int} and min(value) >= least and max(value) <= LARGEST:
        return value  # as the loop would find, but faster
    for symbol in value:
        if isinstance(symbol, list | dict):
            raise BrokenRowError("a nested array" if isinstance(symbol, list) else "an object within an array")
        if symbols == "integers":
            if type(symbol) is not int:
                raise BrokenRowError("not an integer", json.dumps(symbol))
            _check_range(symbol, least)
        elif not isinstance(symbol, str):
            raise BrokenRowError("not a string", json.dumps(symbol))
        elif not symbol:
            raise BrokenRowError("an empty string among the symbols")
        else:
            _check_text(symbol)
    return value


def _from_text(text: str, layout: Layout) -> list[int] | list[str]:
    match layout.symbols:
        case "integers":
            words = words_of_integers(text)
            for word in words:
                if not INTEGER.fullmatch(word):
                    raise BrokenRowError("not an integer", repr(word))
            if any(len(word) > 19 for word in words if word[0] != "-"):
                raise BrokenRowError(f"an id above {LARGEST:,}")
            symbols: list[int] | list[str] = [int(word[:20]) for word in words]
            for each in symbols:
                _check_range(int(each), _least(layout))
        case "words":
            symbols = text.split()
        case "characters":
            symbols = list(text.strip())
    if not symbols:
        raise BrokenRowError("an empty utterance")
    _check_text(text)
    return symbols


def _least(layout: Layout) -> int:
    """The smallest id: those below 0 only where they will be renumbered."""
    return -LARGEST if layout.renumber else 0


def _check_range(identifier: int, least: int) -> None:
    if identifier < least:
        raise BrokenRowError(NEGATIVE if not least else f"an id below {least:,}", str(identifier))
    if identifier > LARGEST:
        raise BrokenRowError(f"an id above {LARGEST:,}", str(identifier))


def _check_text(text: str) -> None:
    if found := UNSTORABLE.search(text):
        raise BrokenRowError("a NUL character" if found[0] == "\0" else "half a character", f"\\u{ord(found[0]):04x}")


def _kind(value: object) -> str:
    match value:
        case bool() | None:
            return json.dumps(value)
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def integers(rows: Sequence[str | BrokenRowError], layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """All ids of a block one after the other and the length of each row, or None where any row is odd (see `utterance`)."""
    try:
        text = "\n".join(rows)  # type: ignore[arg-type]  # a broken row is a TypeError
    except TypeError:
        return None
    match layout.kind:
        case "arrays":
            field, behaviour = "ids", "error"
        case "lines" | "table":
            if not re.fullmatch(r"[-0-9 \n]+" if layout.renumber else r"[0-9 \n]+", text):
                return None
            text = text.replace(" \n", "\n").removesuffix(" ").replace(" ", ",")
            field, behaviour = "ids", "error"
        case "objects" if layout.field is not None and all(row[:1] == "{" and row[-1:] == "}" for row in rows):  # type: ignore[index]
            # A row that begins and ends so cannot be half of an object that goes on in the next one.
            field, behaviour = layout.field, "ignore"
        case _:
            return None
    match layout.kind:
        case "arrays":
            text = '{"ids":' + text.replace("\n", '}\n{"ids":') + "}"
        case "lines" | "table":
            text = '{"ids":[' + text.replace("\n", ']}\n{"ids":[') + "]}"
        case _:
            pass
    return _arrow(text, len(rows), field, behaviour, _least(layout))


def _arrow(text: str, count: int, field: str, behaviour: str, least: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    data = text.encode("utf-8")
    try:
        table = pa.json.read_json(
            pa.BufferReader(data),
            read_options=pa.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=pa.json.ParseOptions(
                explicit_schema=pa.schema([(field, pa.list_(pa.int64()))]), unexpected_field_behavior=behaviour
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    column = table[field].combine_chunks()
    if len(column) != count or (values := column.flatten()).null_count:
        return None
    ids, lengths = values.to_numpy(), np.diff(column.offsets.to_numpy()).astype(np.int64)
    if not len(ids) or lengths.min() == 0 or ids.min() < least or ids.max() > LARGEST:
        return None
    return ids, lengths
