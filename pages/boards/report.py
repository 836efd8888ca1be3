"""A board as files to take away."""

from __future__ import annotations

from backend.boards.board import Opened


def offer(on: Opened) -> None:
    """Draw the buttons of the report."""
    del on
