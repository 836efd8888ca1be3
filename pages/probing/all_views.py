"""The views of Probing, by their titles."""

from __future__ import annotations

from isogloss.pages.probing import best, errors, languages, overview, regression, sources, trends

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Best layers": best.draw,
    "Sources": sources.draw,
    "Errors": errors.draw,
    "Regression": regression.draw,
}
