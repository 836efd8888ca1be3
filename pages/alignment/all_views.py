"""The views of Alignment, by unit and title."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.pages.alignment import (
    compare,
    distributions,
    errors,
    matrix,
    on_a_map,
    overview,
    repetition,
    similarity,
    sources,
    table,
    trends,
)
from isogloss.pages.alignment.selection import Selection


def existing(draw: Callable[[Selection], None]) -> Callable[[Selection], None]:
    """Return a view that draws means over pairs: of those that exist, until all do."""
    return lambda chosen: draw(chosen.existing())


VIEWS = {
    "word": {
        "Curves": existing(trends.draw),
        "Layers × checkpoints": existing(overview.draw),
        "Table": existing(table.draw),
        "Map": existing(on_a_map.draw),
        "Compare": existing(compare.draw),
        "Distributions": distributions.draw,
        "Errors": errors.draw,
        "Sources": sources.draw,
        "Repetition": repetition.draw,
    },
    "sentence": {
        "Curves": existing(trends.draw),
        "Layers × checkpoints": existing(overview.draw),
        "Table": existing(table.draw),
        "Matrix": matrix.draw,
        "Map": existing(on_a_map.draw),
        "Compare": existing(compare.draw),
        "Similarity": similarity.draw,
    },
}
