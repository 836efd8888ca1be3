"""What is answered from the whole table of scores, as recipes: kept while neither the question nor a file changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from isogloss.backend.boards.recipe import Recipe
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.workspace import workspaces

T = TypeVar("T")


def recipe(function: Callable[..., Any], *steps: partial[Any], **arguments: Any) -> Recipe:
    """Return the recipe of what `function` answers of the workspaces, and of what `steps` make of that."""
    return Recipe((partial(function, workspaces=workspaces(), **arguments), *steps))


def asked(function: Callable[..., T], **arguments: Any) -> T:
    """Return what `function` answers of the workspaces, for what is no figure: numbers of a sentence, boxes to choose from."""
    answer: T = cooked.value(partial(function, workspaces=workspaces(), **arguments))
    return answer
