"""Relations: does what lies inside a model tell what it can do? Any measure against any other."""

from __future__ import annotations

from backend.experiments.relations import cubes
from pages.relations import selection
from pages.relations.views import matrix, regression, scatter, selecting, where
from pages.widgets import navigation
from pages.widgets.choosing.views import begin, choose
from pages.widgets.workspace import guard, workspaces

VIEWS = {
    "Scatter": scatter.draw,
    "Where does it predict?": where.draw,
    "All against all": matrix.draw,
    "Regression": regression.draw,
    "Selection": selecting.draw,
}


def main() -> None:
    """Draw the controls and the view that the URL names."""
    begin("Relations")
    with cubes.listed(workspaces()):
        _draw()


def _draw() -> None:
    if chosen := selection.choose():
        with guard():
            VIEWS[choose(VIEWS)](chosen)
        navigation.to_library("Bring numbers of languages as measures", "Covariates", icon=":material/table_chart:")


main()
