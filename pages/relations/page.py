"""Relations: does what lies inside a model tell what it can do? Any measure against any other."""

from __future__ import annotations

import streamlit as st

from isogloss.pages.relations import selection
from isogloss.pages.relations.all_views import GROUPS, VIEWS
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import view_groups
from isogloss.pages.widgets.choosing.views import begin
from isogloss.pages.widgets.workspace import guard

AGAINST = ("Scatter", "Selection")
"""Views in which a measure says nothing of itself."""
ITSELF = "Predictor and outcome are the same numbers. Choose another measure, or another model, checkpoint or layer of one."


def main() -> None:
    """Draw the controls and the view that the URL names."""
    begin("Relations")
    if chosen := selection.choose():
        with guard():
            view = view_groups.choose(GROUPS)
            if view in AGAINST and chosen.x.is_same(chosen.y):
                st.info(ITSELF, icon=":material/join_inner:")
            else:
                VIEWS[view](chosen)
        navigation.to_library("Add numbers of languages (CSV)", "Covariates", icon=":material/table_chart:")


main()
