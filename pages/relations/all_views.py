"""The views of Relations, by their titles."""

from __future__ import annotations

from isogloss.pages.relations.views import groups, matrix, on_a_map, regression, scatter, selecting, where

VIEWS = {
    "Scatter": scatter.draw,
    "Where does it predict?": where.draw,
    "Groups": groups.draw,
    "Map": on_a_map.draw,
    "All against all": matrix.draw,
    "Regression": regression.draw,
    "Selection": selecting.draw,
}
