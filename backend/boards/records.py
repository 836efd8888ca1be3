"""What is kept of a board, and a board as it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Mapping


class Board(BaseModel, frozen=True):
    """A board without what is on it."""

    id: str
    title: str
    created_at: datetime
    columns: int = Field(1, ge=1, le=2)
    """Figures beside each other, where the window is wide enough."""


class Explained(BaseModel, frozen=True):
    """What a figure's card says."""

    name: str
    text: str
    source: str
    bibtex: str


class Pin(BaseModel, frozen=True):
    """A figure or table on a board: what gives it again, and where it was seen. A text has neither: its notes are all of it."""

    id: str
    name: str
    """As the page calls the figure."""
    title: str = ""
    """As people named it here; else its title is made of what it shows (`titles`)."""
    recipe: dict[str, Any]
    card: Explained
    link: str = Field(pattern=r"^/([^/\\\\]|$)")
    """Page and parameters of the view that it was pinned from, from the server's root: `/abx?view=Pairs`."""
    alt: str
    by: str
    at: datetime

    @property
    def is_text(self) -> bool:
        """Whether it is a text, and no figure."""
        return not self.recipe


class Note(BaseModel, frozen=True):
    """One text under a pin."""

    id: str
    pin: str
    text: str
    by: str
    at: datetime
    replaces: tuple[str, ...] = ()
    """The notes in whose place this one stands."""


class Removed(BaseModel, frozen=True):
    """That a pin was taken off the board: it can be put back."""

    id: str
    by: str
    at: datetime


class Order(BaseModel, frozen=True):
    """The pins from the top."""

    pins: tuple[str, ...]


@dataclass(frozen=True)
class Opened:
    """A board with all that is on it."""

    board: Board
    pins: tuple[Pin, ...]
    """From the top."""
    removed: tuple[Pin, ...]
    notes: Mapping[str, tuple[Note, ...]]
    """By pin, the oldest first, without those that another stands in the place of."""
    damaged: tuple[str, ...]
    """Files that cannot be read."""
