"""Languages on a map: language or meaning discrimination of each, and where a layer's groups of languages part."""

from __future__ import annotations

from isogloss.backend.charts.parts.theme import CHANCE
from isogloss.backend.experiments.on_a_map import APART
from isogloss.backend.figures import abx as figures
from isogloss.pages.abx.trends import CARDS, MEASURES
from isogloss.pages.shared.abx import on_a_map
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.shared.on_a_map import Measured
from isogloss.pages.widgets.choosing.choices import box


def draw(selection: Selection) -> None:
    """Draw the map."""
    on_a_map.draw(selection, _choose, _measured)


def _choose() -> str:
    return box("Measure", {metric: name for name, metric in MEASURES.items()}, "map_measure", "abx_language", width=130)


def _measured(metric: str) -> Measured:
    return Measured(
        figures.UNITS[metric],
        CARDS[metric],
        apart=metric in APART,
        scale=(0.0 if metric == "retrieval_top1" else CHANCE, 1.0),
        chance=figures.chance(metric),
    )
