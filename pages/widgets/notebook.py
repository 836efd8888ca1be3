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

    A call's arguments are written out, those that are calls too; `workspaces` is the notebook's own wherever it is one.
    """
    imports: set[str] = set()
    names = ["found"] * (len(calls) - 1) + ["frame"]
    written = [_call(call, imports, names[:1] if place else []) for place, call in enumerate(calls)]
    lines = "".join(f"{name} = {each}\n" for name, each in zip(names, written, strict=True))
    return "\n".join(sorted(imports)) + "\n\n" + (NOTE if HERE in imports else "") + lines + "print(frame)\n"


def apply(frame: pd.DataFrame, *steps: partial[pd.DataFrame]) -> pd.DataFrame:
    """Return what the steps make of `frame`, each of what the one before returned: as `python` writes them."""
    for step in steps:
        frame = step(frame)
    return frame


def argument(call: partial[Any]) -> Any:
    """Mark a call as an argument of another: `python` writes it there, and nothing else may be done with it."""
    return call


def _call(call: partial[Any], imports: set[str], before: list[str]) -> str:
    imports.add(f"from {call.func.__module__} import {call.func.__name__}")
    arguments = before + [_text(value, imports) for value in call.args]
    for name, value in call.keywords.items():
        imports |= {HERE} if name == "workspaces" else set()
        arguments.append(f"{name}=" + ("settings().workspaces" if name == "workspaces" else _text(value, imports)))
    inner = ", ".join(arguments)
    if len(inner) > WIDTH or "\n" in inner:
        inner = "\n" + indent("".join(f"{each},\n" for each in arguments), "    ")
    return f"{call.func.__name__}({inner})"


def _text(value: object, imports: set[str]) -> str:
    """Return an argument as Python: a specification by its JSON, everything else as it is."""
    if isinstance(value, partial):
        return _call(value, imports, [])
    if isinstance(value, BaseModel):
        imports.add(f"from {type(value).__module__} import {type(value).__name__}")
        return f"{type(value).__name__}.model_validate_json({value.model_dump_json()!r})"
    return pformat(value, width=WIDTH, sort_dicts=False)
