"""What the figures of ABX and Geometry rest on, above them: sentences that were cut, and vectors that something rules."""

from __future__ import annotations

from isogloss.pages.shared import sound_vectors
from isogloss.pages.shared.abx import truncated
from isogloss.pages.shared.abx.selection import Selection

CENTRE = ("removed", "mean", "Centre each language")


def tell(selection: Selection) -> None:
    """Say both, a line a model where there is something to say."""
    truncated.tell(selection)
    centred = selection.options["removed"] != "nothing"
    sound_vectors.tell(selection, lambda model: selection.pooling(model.checkpoints), centred=centred, centre=CENTRE)
