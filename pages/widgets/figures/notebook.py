"""What a figure is made by, as every page says it: see `backend.boards.recipe`."""

from __future__ import annotations

from functools import partial
from typing import Any

from backend.boards.recipe import Recipe, argument

__all__ = ["Recipe", "argument", "python"]


def python(*calls: partial[Any]) -> Recipe:
    """Return the recipe of these calls, each on what the one before returned: the last returns the figure's rows."""
    return Recipe(calls)
