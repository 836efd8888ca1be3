"""What a reader is asked and answers, as JSON and Arrow files in a folder: from one process to another, without pickles.

A process that parsed hostile bytes may be made to write anything. Of what it wrote, only values, tables whose every offset is
checked, and dataclasses of the readers' own modules are built here: nothing that runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from isogloss.backend.files import parse_json

MODULES = "isogloss.backend.corpora."
"""Where the dataclasses are that may be built."""


def write(folder: Path, value: Any) -> None:
    """Write a value, and beside it a file for each table and array in it, into a folder that it makes.

    Raises TypeError for what is no plain data, OSError where the disk is full.
    """
    folder.mkdir()
    tables: list[pa.Table] = []
    text = json.dumps(_written(value, tables))
    for number, table in enumerate(tables):
        with pa.OSFile(str(folder / f"{number}.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
            file.write_table(table)
    (folder / "value.json").write_text(text, encoding="utf-8")


def read(folder: Path) -> Any:
    """Return what `write` wrote. Raises ValueError (of which Arrow's errors are some) and OSError for anything else."""
    value = parse_json((folder / "value.json").read_text(encoding="utf-8"))
    try:
        return _read(value, folder)
    except (ValueError, TypeError, KeyError, AttributeError, ImportError, RecursionError) as error:
        raise ValueError(f"what was written is no plain data ({error})") from error


def _written(value: Any, tables: list[pa.Table]) -> Any:
    """Return a value as JSON has it: arrays are tuples, objects with one key are everything else."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case tuple():
            return [_written(each, tables) for each in value]
        case list():
            return {"list": [_written(each, tables) for each in value]}
        case Mapping():
            return {"dict": [[_written(name, tables), _written(each, tables)] for name, each in value.items()]}
        case Path():
            return {"path": str(value.absolute())}
        case pa.Table():
            tables.append(value)
            return {"table": len(tables) - 1}
        case np.ndarray():
            tables.append(pa.table({"array": pa.array(value)}))
            return {"array": len(tables) - 1}
    if is_dataclass(value) and not isinstance(value, type):
        own = {each.name: _written(getattr(value, each.name), tables) for each in fields(value) if each.init}
        return {"is": [type(value).__module__, type(value).__qualname__, own]}
    raise TypeError(f"{type(value)} is no plain data")


def _read(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return tuple(_read(each, folder) for each in value)
    if not isinstance(value, dict):
        return value
    [(what, payload)] = value.items()
    match what:
        case "list":
            return [_read(each, folder) for each in payload]
        case "dict":
            return {_read(name, folder): _read(each, folder) for name, each in payload}
        case "path":
            return Path(payload)
        case "table":
            return _table(folder, payload)
        case "array":
            column = _table(folder, payload)["array"].combine_chunks()
            return column.to_numpy(zero_copy_only=True)
        case "is":
            module, name, values = payload
            return _class(module, name)(**{each: _read(one, folder) for each, one in values.items()})
    raise TypeError(f"{what!r:.40}")


def _table(folder: Path, number: int) -> pa.Table:
    with pa.OSFile(str(folder / f"{number:d}.arrow")) as source:
        table = pa.ipc.open_file(source).read_all()
    table.validate(full=True)  # Arrow takes offsets at their word
    return table


def _class(module: str, name: str) -> Any:
    found = getattr(import_module(module), name, None) if module.startswith(MODULES) and name.isidentifier() else None
    if not isinstance(found, type) or not is_dataclass(found):
        raise TypeError(f"{module!r:.80}, {name!r:.40}")
    return found
