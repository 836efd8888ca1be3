"""Views in groups: one control chooses the group, a second the view in it, if it has several. The URL names the view alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import nullcontext

import streamlit as st

from isogloss.pages.widgets.choosing.choices import has_value

VIEW, GROUP = "view", "view-group"
"""The controls' keys."""
LAST = "last-views"
"""Session state: by group, the view of it that was looked at last."""
ALONE = "view-alone"
"""Of a group of one view, the second control only keeps the view's place in the URL: what has this key is not seen."""
Groups = Mapping[str, Collection[str]]


def choose(groups: Groups) -> str:
    """Draw both controls and return the chosen view, by default the first. No two groups have a view of the same name."""
    asked = _asked(groups)
    group = next((name for name, views in groups.items() if asked in views), next(iter(groups)))
    if st.session_state.get(GROUP) != group:  # what a link, a click on a cell or the browser's history asks for
        st.session_state[GROUP] = group
    st.segmented_control(
        "Views", list(groups), key=GROUP, required=True, on_change=_turn, args=(groups,), label_visibility="collapsed"
    )
    views = list(groups[group])
    # A default is left out of the URL, and Streamlit warns of one beside a value that the session was just given.
    first = views[0] if asked is None else None
    with st.container(key=ALONE) if len(views) == 1 else nullcontext():
        view = st.segmented_control(
            "View", views, default=first, key=VIEW, bind="query-params", required=True, label_visibility="collapsed"
        )
    st.session_state.setdefault(LAST, {})[group] = view or views[0]
    return view or views[0]


def _asked(groups: Groups) -> str | None:
    """Return the view of the session; before there is one, and on the way through the browser's history, that of the URL."""
    known = {view for views in groups.values() for view in views}
    places = [st.session_state.get(VIEW)] if has_value(VIEW) else []
    return next((view for view in (*places, st.query_params.get(VIEW)) if view in known), None)


def _turn(groups: Groups) -> None:
    """Another group was chosen: its view that was looked at last, or its first."""
    group = st.session_state[GROUP]
    if group not in groups:  # nothing, as no browser sends it
        return
    st.session_state[VIEW] = st.session_state.get(LAST, {}).get(group, next(iter(groups[group])))
