"""What is looked at on the ABX page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from isogloss.pages.shared.abx import selection
from isogloss.pages.shared.abx.selection import Selection


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    return selection.choose("ABX", Selection)
