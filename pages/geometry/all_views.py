"""The views of Geometry, by their titles."""

from __future__ import annotations

from isogloss.pages.geometry import compare, languages, on_a_map, overview, pairs, trends

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Pairs": pairs.draw,
    "Map": on_a_map.draw,
    "Compare": compare.draw,
}
