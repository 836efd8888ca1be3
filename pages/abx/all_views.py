"""The views of ABX, by their titles."""

from __future__ import annotations

from isogloss.pages.abx import languages, on_a_map, overview, pairs, relations, trends
from isogloss.pages.abx.compare import view as compare

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Pairs": pairs.draw,
    "Map": on_a_map.draw,
    "Relations": relations.draw,
    "Compare": compare.draw,
}
