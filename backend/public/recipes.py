"""`isogloss.query`, `record` and `draw`: what the Python under a figure calls.

They reach what is marked for recipes (`backend.recipe_mark`), and nothing else.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import to_json

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.recipe_mark import WORKSPACES, public_names, publicly_named
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    import plotly.graph_objects as go


def query(name: str, /, *arguments: Any, **options: Any) -> Any:
    """Call a query, or a step that changes what one returned, as the Python under every figure does.

    Args:
        name: The query's, such as `abx.queries.grid`; `isogloss.queries()` lists them.
        arguments: What it takes; a step takes first what the call before returned.
        options: Further arguments by name. `workspaces`, where it takes them, are those in force unless they are given.

    Returns:
        What the query returns: a frame of rows, or files for the next query.

    Raises:
        SpecError: There is no query of that name, or it has no such argument.
        StoreError: Scores cannot be read.
    """
    function = _marked(name, "query", lambda of: not isinstance(of, type))
    parameters = signature(function).parameters
    if WORKSPACES in parameters and list(parameters).index(WORKSPACES) >= len(arguments):
        options = {WORKSPACES: settings().workspaces} | options
    _check(name, function, *arguments, **options)
    return function(*arguments, **options)


def draw(name: str, rows: pd.DataFrame, /, **options: Any) -> go.Figure:
    """Draw rows, as the Python under every figure does.

    Args:
        name: The figure's, such as `abx.layers_by_checkpoints`.
        rows: What the queries before it returned.
        options: The figure's own: languages in their order, titles, units.

    Returns:
        A plotly figure: `.show()` it, or `.write_html`, `.write_image` it.

    Raises:
        SpecError: There is no figure of that name, or it has no such option.
    """
    function = _marked(name, "figure", lambda of: not isinstance(of, type))
    _check(name, function, rows, **options)
    figure: go.Figure = function(rows, **options)
    return figure


def record(name: str, /, **fields: Any) -> Any:
    """Make a record that a query or a figure takes: a specification of a run, a question of Relations.

    Args:
        name: The record's, such as `abx.confusions.ConfusionsSpec`.
        fields: Its fields, as plain values or other records.

    Raises:
        SpecError: There is no record of that name, or a field is missing, unknown or out of its bounds.
    """
    from isogloss.backend.experiments.spec import first_problem

    kind = _marked(name, "record", lambda of: isinstance(of, type))
    if issubclass(kind, BaseModel):  # type: ignore[arg-type]
        from pydantic import ValidationError

        try:
            return kind.model_validate_json(to_json(fields))  # type: ignore[attr-defined]
        except ValidationError as error:
            raise first_problem(error) from error
    assert is_dataclass(kind)
    _check(name, kind, **fields)
    return kind(**fields)


def queries() -> list[str]:
    """List the names of everything that `query`, `record` and `draw` take, in alphabetical order."""
    _load()
    return public_names()


def _marked(name: str, what: str, fits: Callable[[Any], bool]) -> Callable[..., Any]:
    """Return what is marked under a name. Raises `SpecError` where nothing is, with the name that is nearest."""
    found = publicly_named(name)
    if found is None or not fits(found):
        _load()
        raise SpecError(f"There is no {what} '{name[:80]}'. {did_you_mean(name, public_names())}")
    return found


def _load() -> None:
    """Import all modules that have something marked: a name that is known is imported by itself."""
    from importlib import import_module
    from pkgutil import walk_packages

    for package in ("experiments", "figures"):
        of = import_module(f"isogloss.backend.{package}")
        for module in walk_packages(of.__path__, f"{of.__name__}."):
            import_module(module.name)


def _check(name: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """Raise `SpecError` where a function does not take these arguments."""
    try:
        signature(function).bind(*arguments, **options)
    except TypeError as error:
        raise SpecError(f"'{name}': {error}. It takes {', '.join(signature(function).parameters)}.") from None
