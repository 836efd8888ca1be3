"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder.

The tests of the pages run it: it must give the very rows that its figure was drawn from.
"""

from __future__ import annotations

from functools import partial
from pprint import pformat
from textwrap import indent
from typing import Any

import pandas as pd
from pydantic import BaseModel

WIDTH = 100
HERE = "from backend.settings import settings"
NOTE = "# With ISOGLOSS_WORKSPACE set as it was for the server that showed this.\n"


def python(*calls: partial[Any]) -> str:
    """Write code that makes these calls, each on what the one before returned, and prints the last one's `frame`.

    A call's arguments are written out; `workspaces`, wherever it is an argument, is the notebook's own.
    """
    imports, lines = set(), []
    for place, call in enumerate(calls):
        imports.add(f"from {call.func.__module__} import {call.func.__name__}")
        arguments = ["found"] if place else []
        for name, value in [*(("", each) for each in call.args), *call.keywords.items()]:
            imports |= {HERE} if name == "workspaces" else _imports(value)
            text = "settings().workspaces" if name == "workspaces" else _text(value)
            arguments.append(f"{name}={text}" if name else text)
        written = ", ".join(arguments)
        if len(written) > WIDTH or "\n" in written:
            written = "\n" + indent("".join(f"{each},\n" for each in arguments), "    ")
        lines.append(f"{'frame' if place == len(calls) - 1 else 'found'} = {call.func.__name__}({written})\n")
    return "\n".join(sorted(imports)) + "\n\n" + (NOTE if HERE in imports else "") + "".join(lines) + "print(frame)\n"


def apply(frame: pd.DataFrame, *steps: partial[pd.DataFrame]) -> pd.DataFrame:
    """What the steps make of `frame`, each of what the one before returned: as `python` writes them."""
    for step in steps:
        frame = step(frame)
    return frame


def _imports(value: object) -> set[str]:
    return {f"from {type(value).__module__} import {type(value).__name__}"} if isinstance(value, BaseModel) else set()


def _text(value: object) -> str:
    """An argument as Python: a specification by its JSON, everything else as it is."""
    if isinstance(value, BaseModel):
        return f"{type(value).__name__}.model_validate_json({value.model_dump_json()!r})"
    return pformat(value, width=WIDTH, sort_dicts=False)
