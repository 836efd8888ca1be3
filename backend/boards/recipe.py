"""A figure's recipe: the calls that give its rows, and the one that draws them.

A recipe is written out as Python for a notebook, as JSON for a board, and cooked again from either: the same rows and the same
picture, from the scores as they are then. Its functions are those of `backend` that are marked (`backend.recipe_mark`), its
arguments plain values and marked records: a file that names others is refused before anything is called. The Python uses the
public interface alone (`isogloss.query`, `isogloss.record`, `isogloss.draw`), by the names that the marks have there.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from inspect import signature
from keyword import iskeyword
from pathlib import Path
from pprint import pformat
from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pydantic import BaseModel

from isogloss.backend.errors import IsoglossError, StoreError
from isogloss.backend.recipe_mark import WORKSPACES, is_marked, marked, name_of, public_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


WIDTH = 100
IMPORT = "import isogloss"
NOTE = "# Runs wherever isogloss is installed, with ISOGLOSS_WORKSPACE set as it was for the server.\n"
KIND = "!"
"""The key that tells a value which JSON lacks from a dictionary."""


@dataclass(frozen=True)
class Recipe:
    """Calls, each on what the one before returned (the first on nothing); the last returns the figure's rows.

    Raises TypeError for one whose function is not marked (`backend.recipe_mark`): nobody could pin that figure.
    """

    calls: tuple[partial[Any], ...]
    chart: partial[go.Figure] | None = None
    """Draws the rows; None for a table."""

    def __post_init__(self) -> None:
        for call in (*self.calls, *([] if self.chart is None else [self.chart])):
            _name(call.func)

    def rows(self) -> pd.DataFrame:
        """Return the figure's rows from the scores as they are now. Raises TypeError where the last call returns no frame."""
        first, *others = self.calls
        found = made(first)
        for call in others:
            found = made(call, found)
        return as_rows(found)

    def drawn(self, rows: pd.DataFrame) -> go.Figure | None:
        """Draw the rows; None for a table. Raises TypeError where what draws returns something else."""
        found = None if self.chart is None else made(self.chart, rows)
        if not isinstance(found, go.Figure | None):
            raise TypeError(f"A chart is a figure, and this one is {type(found).__name__}.")
        return found

    def with_chart(self, chart: partial[go.Figure] | None) -> Recipe:
        """Return the recipe of the same rows, drawn by `chart`."""
        return replace(self, chart=chart)

    def then(self, *steps: partial[Any]) -> Recipe:
        """Return the recipe of what `steps` make of these rows."""
        return replace(self, calls=(*self.calls, *steps))

    def python(self) -> str:
        """Write Python that makes these calls, prints the last one's `frame` and draws it."""
        names = ["found"] * (len(self.calls) - 1) + ["frame"]
        written = [_call(call, names[:1] if place else []) for place, call in enumerate(self.calls)]
        lines = "".join(f"{name} = {each}\n" for name, each in zip(names, written, strict=True)) + "print(frame)\n"
        if self.chart is not None:
            lines += f"figure = {_call(self.chart, ['frame'], 'draw')}\nfigure.show()\n"
        return f"{IMPORT}\n\n{NOTE}{lines}"

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as JSON can hold it."""
        return {"calls": [_kept(call) for call in self.calls], "chart": None if self.chart is None else _kept(self.chart)}

    @staticmethod
    def from_json(value: Any, workspaces: Sequence[Path]) -> Recipe:
        """Return the recipe that `to_json` wrote, to be cooked in these workspaces.

        Raises `StoreError` where it is none, or calls what recipes may not call.
        """
        if not isinstance(value, dict) or not isinstance(value.get("calls"), list) or not value["calls"]:
            raise _damaged("it holds no calls")
        calls = tuple(_given(each, workspaces) for each in value["calls"])
        chart = None if value.get("chart") is None else _given(value["chart"], workspaces)
        if not all(isinstance(each, partial) for each in (*calls, *([] if chart is None else [chart]))):
            raise _damaged("a call of it is none")
        return Recipe(calls, chart)


def argument(call: partial[Any]) -> Any:
    """Mark a call as an argument of another: a recipe makes it there, and nothing else may be done with it."""
    return call


def as_rows(answer: object) -> pd.DataFrame:
    """Return what the last call of a recipe gave. Raises TypeError where that is no frame."""
    if not isinstance(answer, pd.DataFrame):
        raise TypeError(f"A figure's rows are a frame, and the last of its calls returned {type(answer).__name__}.")
    return answer


def made(call: partial[Any], *before: Any) -> Any:
    """Make a call, and first those among its arguments."""
    return call.func(*before, *_values(call.args), **{name: _values(value) for name, value in call.keywords.items()})


def _values(value: Any) -> Any:
    match value:
        case partial():
            return made(value)
        case list() | tuple():
            return type(value)(_values(each) for each in value)
        case dict():
            return {name: _values(each) for name, each in value.items()}
    return value


def _call(call: partial[Any], before: list[str], how: str = "query") -> str:
    """Write a call after `before`, in the workspaces that are in force where it is run."""
    more = {name: value for name, value in call.keywords.items() if name != WORKSPACES}
    return _written(how, call.func, [*before, *map(_text, call.args)], more)


def _written(how: str, of: Any, first: list[str], more: Mapping[str, object]) -> str:
    """Write `isogloss.query("abx.queries.grid", …)`, or what else is public and takes the name of something marked."""
    arguments = [f'"{public_name(of)}"', *first, *(f"{name}={_text(value)}" for name, value in more.items())]
    inner = ", ".join(arguments)
    if len(inner) > WIDTH or "\n" in inner:
        inner = "\n" + indent("".join(f"{each},\n" for each in arguments), "    ")
    return f"isogloss.{how}({inner})"


def _text(value: object) -> str:
    """Return an argument as Python: a specification or a record by its fields, everything else as it is."""
    match value:
        case partial():
            return _call(value, [])
        case BaseModel():
            return _written("record", type(value), [], value.model_dump(mode="json"))
        case float() if not np.isfinite(value):
            return f'float("{value}")'
        case list() | tuple() if not _is_plain(value):
            inner = ", ".join(map(_text, value)) + ("," if isinstance(value, tuple) else "")
            return f"[{inner}]" if isinstance(value, list) else f"({inner})"
        case dict() if not _is_plain(value):
            return f"{{{', '.join(f'{_text(name)}: {_text(each)}' for name, each in value.items())}}}"
    if is_dataclass(value) and not isinstance(value, type):
        return _written("record", type(value), [], _fields(value))
    return pformat(value, width=WIDTH, sort_dicts=False)


def _is_plain(value: object) -> bool:
    """Whether Python's own words for a value are Python."""
    match value:
        case partial() | BaseModel():
            return False
        case list() | tuple():
            return all(map(_is_plain, value))
        case dict():
            return all(_is_plain(each) for pair in value.items() for each in pair)
        case float():
            return bool(np.isfinite(value))
    return not is_dataclass(value)


def _fields(record: Any) -> dict[str, Any]:
    return {each.name: getattr(record, each.name) for each in fields(record) if each.init}


def _kept(value: Any) -> Any:
    """Return a value as JSON: what JSON lacks as a dictionary of its kind. Raises TypeError where it cannot be kept."""
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return value if np.isfinite(value) else {KIND: "float", "is": repr(value)}
        case np.generic():
            return _kept(value.item())
        case list():
            return [_kept(each) for each in value]
        case tuple():
            return {KIND: "tuple", "is": [_kept(each) for each in value]}
        case dict():
            return {KIND: "dict", "is": [[_kept(name), _kept(each)] for name, each in value.items()]}
        case partial():
            more = {name: None if name == WORKSPACES else _kept(each) for name, each in value.keywords.items()}
            return {KIND: "call", "of": _name(value.func), "is": [_kept(each) for each in value.args], "with": more}
        case BaseModel():
            return {KIND: "model", "of": _name(type(value)), "is": value.model_dump_json()}
    if is_dataclass(value) and not isinstance(value, type):
        own = {name: _kept(each) for name, each in _fields(value).items()}
        return {KIND: "record", "of": _name(type(value)), "is": own}
    raise TypeError(f"A recipe cannot keep {value!r}: give its calls plain values.")


def _given(value: Any, workspaces: Sequence[Path]) -> Any:
    """Return what `_kept` wrote. Raises `StoreError` where it is nothing that it writes."""
    if isinstance(value, list):
        return [_given(each, workspaces) for each in value]
    if not isinstance(value, dict):
        return value
    try:
        match value[KIND]:
            case "float":
                return float(value["is"])
            case "tuple":
                return tuple(_given(each, workspaces) for each in value["is"])
            case "dict":
                return {_given(name, workspaces): _given(each, workspaces) for name, each in value["is"]}
            case "call":
                return _given_call(value, workspaces)
            case "model":
                return _given_model(value)
            case "record":
                own = {name: _given(each, workspaces) for name, each in value["is"].items()}
                return _found(value["of"], is_dataclass)(**own)
    except StoreError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IsoglossError) as error:
        raise _damaged(f"of {str(value)[:80]}") from error
    raise _damaged(f"'{value[KIND]}' is no kind of value")


def _given_call(value: dict[str, Any], workspaces: Sequence[Path]) -> partial[Any]:
    """Return a call that is kept: of a marked function, with arguments that it has, in the workspaces that are here."""
    function, more = _found(value["of"], _is_call), value["with"]
    if not all(name.isidentifier() and not iskeyword(name) for name in more):
        raise ValueError("an argument's name is no name")  # it would stand in the Python that people copy
    others = {name: _given(each, workspaces) for name, each in more.items() if name != WORKSPACES}
    here = {WORKSPACES: list(workspaces)} if WORKSPACES in more else {}
    call = partial(function, *_given(value["is"], workspaces), **others, **here)
    signature(function).bind_partial(*call.args, **call.keywords)  # TypeError where it has no such argument
    return call


def _given_model(value: dict[str, Any]) -> BaseModel:
    """Return a kept specification or question. Raises ValueError (`ValidationError`) or `SpecError` where it is none."""
    kind: type[BaseModel] = _found(value["of"], _is_model)
    return kind.model_validate_json(value["is"])


def _name(of: Any) -> str:
    """Return where a function or class is. Raises TypeError where a recipe may not name it."""
    if not is_marked(of):
        raise TypeError(f"A recipe names what is marked with @in_recipes (backend/recipe_mark.py) alone, not {name_of(of)}.")
    return name_of(of)


def _found(name: str, fits: Callable[[Any], bool]) -> Any:
    found = marked(name)
    if found is None or not fits(found):
        raise _damaged(f"it names '{name[:80]}', which recipes of this version of Isogloss do not have")
    return found


def _is_call(value: Any) -> bool:
    return not isinstance(value, type)  # also one that remembers what it returned


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _damaged(why: str) -> StoreError:
    return StoreError(f"This figure's recipe cannot be read: {why}. Open its link and pin it again.")
