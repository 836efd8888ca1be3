"""Alignment: is a word, or a sentence, nearest to its translation?"""

from __future__ import annotations

from pages.alignment import (
    counts,
    distributions,
    errors,
    matrix,
    missing,
    overview,
    repetition,
    selection,
    similarity,
    sources,
    table,
    trends,
)
from pages.widgets.views import draw_computed, opened

VIEWS = {
    "word": {
        "Curves": trends.draw,
        "Layers × checkpoints": overview.draw,
        "Table": table.draw,
        "Distributions": distributions.draw,
        "Errors": errors.draw,
        "Sources": sources.draw,
        "Repetition": repetition.draw,
    },
    "sentence": {
        "Curves": trends.draw,
        "Layers × checkpoints": overview.draw,
        "Table": table.draw,
        "Matrix": matrix.draw,
        "Similarity": similarity.draw,
    },
}

if chosen := opened("Alignment", selection.choose):
    draw_computed(chosen, VIEWS[chosen.unit], missing.offer, counts.tell)
