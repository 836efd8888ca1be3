"""The views of Probing, by their titles."""

from __future__ import annotations

from isogloss.pages.probing import best, compare, errors, languages, overview, regression, sources, trends

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Best layers": best.draw,
    "Sources": sources.draw,
    "Compare": compare.draw,
    "Errors": errors.draw,
    "Regression": regression.draw,
}
