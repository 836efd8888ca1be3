"""The views of Relations, by group and title."""

from __future__ import annotations

from isogloss.pages.relations.views import groups, matrix, models, on_a_map, regression, scatter, selecting, where

GROUPS = {
    "Two measures": {"Scatter": scatter.draw, "Where does it predict?": where.draw, "Selection": selecting.draw},
    "Many measures": {"All against all": matrix.draw, "Regression": regression.draw},
    "Languages": {"Groups": groups.draw, "Map": on_a_map.draw},
    "Models": {"Models": models.draw},
}
"""The views, by what they set side by side."""
VIEWS = {view: draw for views in GROUPS.values() for view, draw in views.items()}
