"""The mark of what a figure's recipe may name: recipes are read from files, and a file may come from anybody.

A recipe (`backend.boards.recipe`) names functions. Of all that can be imported it gets those alone that carry the mark at
their definition: queries, which read a workspace's scores, figures, which draw rows, and the records among their arguments.
What is marked opens nothing but the workspaces that it is given, writes nothing and imports nothing by a name that it is
given; `tests/boards/test_recipe_reach.py` walks over all that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T", bound=Callable[..., Any])

PACKAGE = "isogloss."
PACKAGES = ("backend.experiments.", "backend.figures.")
"""Within it, where marked functions and records are. Importing any module there has no effect, and none imports torch."""
WORKSPACES = "workspaces"
"""The argument that no recipe keeps: wherever one is cooked, it is the workspaces there."""
MOVED = {
    "backend.experiments.abx.compared:difference": "backend.experiments.compared:difference",
    "backend.experiments.abx.compared:corrected": "backend.experiments.compared:corrected",
    "backend.figures.abx_compare:Layout": "backend.figures.two_sides:Layout",
}
"""Where what kept recipes name by an earlier place is now: its arguments mean what they meant."""
_MARKED: dict[str, Callable[..., Any]] = {}
_STATES: dict[str, Callable[..., Hashable]] = {}
_TEXTS: set[str] = set()


def in_recipes(of: T) -> T:
    """Mark a public function or record as one that recipes may name: `@in_recipes` above its definition."""
    _MARKED[name_of(of)] = of
    return of


def depends_on(state: Callable[..., Hashable]) -> Callable[[T], T]:
    """Say what the answers of a function that reads workspaces depend on, so that pages keep them while it stays the same.

    `state` takes the function's arguments and returns what changes with the answer, such as the files read and their times.
    An answer of a function that reads workspaces without this is never kept.
    """

    def with_state(function: T) -> T:
        _STATES[name_of(function)] = state
        return function

    return with_state


def holds_texts(of: T) -> T:
    """Say that what a function returns holds texts of data, or people's notes on them: nothing made of it is published."""
    _TEXTS.add(name_of(of))
    return of


def gives_texts(of: Any) -> bool:
    """Return whether what a function returns holds texts (`holds_texts`)."""
    return name_of(of) in _TEXTS


def state_of(function: Callable[..., Any]) -> Callable[..., Hashable] | None:
    """Return what gives the state that a function's answers depend on; None where it does not say."""
    return _STATES.get(name_of(function))


def name_of(of: Any) -> str:
    """Return how a recipe names a function or record: `backend.experiments.abx.queries:grid`, without `isogloss.` before it."""
    return f"{of.__module__.removeprefix(PACKAGE)}:{of.__qualname__}"


def public_name(of: Any) -> str:
    """Return how `isogloss.query`, `draw` and `record` name it: `abx.queries.grid`, without the packages before it."""
    module, _, name = name_of(of).partition(":")
    short = next((module.removeprefix(each) for each in PACKAGES if module.startswith(each)), "")
    return f"{short}.{name}" if short else f"{module}:{name}"


def publicly_named(name: str) -> Callable[..., Any] | None:
    """Return what `public_name` names, or None where nothing that is marked is called so."""
    if ":" in name:
        return marked(name)
    module, _, attribute = name.rpartition(".")
    found = (marked(f"{package}{module}:{attribute}") for package in PACKAGES)
    return next((each for each in found if each is not None), None)


def public_names() -> list[str]:
    """Return the public names of all that is marked in the modules loaded so far, in order."""
    return sorted(map(public_name, _MARKED.values()))


def is_marked(of: Any) -> bool:
    """Return whether a recipe may name this function or record."""
    return hasattr(of, "__qualname__") and _MARKED.get(name_of(of)) is of


def marked(name: str) -> Callable[..., Any] | None:
    """Return what a recipe names, or None where nothing of that name is marked; nothing else is looked up by a name.

    Of a family that another package brings, what it marked when it was loaded: nothing there is imported by a name.
    """
    name = MOVED.get(name, name)
    module = name.partition(":")[0]
    if not f"{module}.".startswith(PACKAGES):
        return _MARKED.get(name)
    if not all(part.isidentifier() for part in module.split(".")):
        return None
    try:
        import_module(PACKAGE + module)
    except ImportError:
        return None
    return _MARKED.get(name)
