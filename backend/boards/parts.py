"""A board as the parts of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.boards.again import again
from backend.boards.origins import provenance
from backend.boards.provenance import Provenance, versions
from backend.boards.recipe import Recipe
from backend.boards.report import Entry
from backend.errors import IsoglossError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from backend.boards.board import Opened, Pin


def parts_of(workspaces: Sequence[Path], on: Opened, server: str = "") -> list[Entry]:
    """Return each pin of a board as a part, drawn from the scores as they are now, its notes and what changed with it.

    `server` is the address that links begin with (`http://127.0.0.1:8501`). Raises `StoreError` where a pin's rows are lost.
    """
    return [_part(workspaces, on, pin, server) for pin in on.pins]


def _part(workspaces: Sequence[Path], on: Opened, pin: Pin, server: str) -> Entry:
    now = again(workspaces, on.board.id, pin)
    recipe = _recipe(pin, workspaces)
    return Entry(
        title=pin.name,
        rows=now.rows,
        figure=now.picture,
        recipe=recipe,
        rests_on=Provenance(versions=versions()) if recipe is None else provenance(recipe, workspaces),
        note="\n\n".join(f"{note.text} — {note.by}" if note.by else note.text for note in on.notes.get(pin.id, ())),
        card=pin.card.text,
        bibtex=pin.card.bibtex,
        link=f"{server.rstrip('/')}{pin.link}",
        said=now.said,
    )


def _recipe(pin: Pin, workspaces: Sequence[Path]) -> Recipe | None:
    """Return what gives a pin again, or None where another version of Isogloss kept it."""
    try:
        return Recipe.from_json(pin.recipe, workspaces)
    except IsoglossError:
        return None
