"""Record points in arrays, kept beside the errors they come from, and the directions that several views choose among."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer.curves import Direction, Points
from isogloss.backend.figures.transfer.naming import ARROW
from isogloss.pages.transfer.shared import frames
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.figures import cooked

FEW, MOST = 6, 12
"""Directions that are drawn each on their own where none is chosen, and at most."""


def points_of_runs(selection: Selection, *, corrupted: bool = False) -> list[Points]:
    """The record points of the runs looked at, or with `corrupted` of every corruption. Not to be changed: they are shared."""
    points: list[Points] = cooked.value(*recipe(selection, corrupted=corrupted).calls)
    return points


def directions(selection: Selection, help: str) -> list[Direction]:
    """Return the directions that the user chose, in the URL; none for all."""
    options = [source + ARROW + target for source in selection.sources for target in selection.targets if source != target]
    kept = st.session_state.get("directions")
    if isinstance(kept, list) and not set(kept) <= set(options):  # other languages are chosen now
        st.session_state["directions"] = [each for each in kept if each in options]
    chosen = st.multiselect(
        "Directions", options, key="directions", bind="query-params", placeholder=f"All {len(options)}", help=help
    )
    return [(source, target) for source, _, target in (each.partition(ARROW) for each in chosen)]


def few(known: Sequence[Direction], chosen: Sequence[Direction]) -> list[Direction]:
    """Return the directions that are drawn each on their own: those chosen, else the first; a sentence where some are left."""
    found = [each for each in known if each in set(chosen)] if chosen else list(known[:FEW])
    if len(found) > MOST:
        st.caption(f"The first {MOST} of {len(found)} directions.")
    return found[:MOST]


def recipe(
    selection: Selection, *steps: partial[Any], wanted: Sequence[Direction] | None = None, corrupted: bool = False
) -> Recipe:
    """Return the recipe of the record points of the directions `wanted`, or of all, and of what `steps` make of them."""
    only = [] if wanted is None else [partial(transfer_curves.only, wanted=list(wanted))]
    return frames.recipe(selection, partial(transfer_curves.points_of, by=BY), *only, *steps, corrupted=corrupted)
