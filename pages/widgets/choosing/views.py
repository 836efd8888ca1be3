"""The views of a page, one at a time: a control chooses, and the URL names the one chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from isogloss.backend.experiments.words import count, several
from isogloss.backend.models.entry import Model
from isogloss.pages.widgets.choosing.cell import apply_click
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.choosing.selecting import ChosenCheckpoints
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.runs import compute, watched
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard

FEW = 4
"""Labels of checkpoints named in a sentence at most; more are counted."""
CHARACTER, AROUND, ONE_ROW = 7, 34, 560
"""Pixels of a letter of a view's name, of what is around the name, and of one row of them in a narrow window."""
OFFERED = 2
"""Models whose missing scores are offered in sight while nothing is drawn; one, once something is."""
C = TypeVar("C", bound=ChosenCheckpoints)
S = TypeVar("S")


def begin(title: str) -> None:
    """Begin a page of measurements: its title, the way to copy its link, and the cell that was clicked taken over."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title(title, anchor=False)
        address.button_here()
    address.room_for_lacking()
    apply_click()


def start_page(title: str, choose: Callable[[], S | None]) -> S | None:
    """Begin a page of measurements and draw its controls; returns what they choose."""
    begin(title)
    return choose()


def choose(names: Iterable[str]) -> str:
    """Draw the control and return the view chosen, by default the first."""
    views = list(names)
    if sum(CHARACTER * len(view) + AROUND for view in views) < ONE_ROW:
        return segments("View", views, "view", shows_label=False)
    with st.container(key="views-in-two-rows"):
        return segments("View", views, "view", shows_label=False)


def draw_computed(
    chosen: C,
    views: Mapping[str, Callable[[C], None]],
    offer: Callable[[C, Model], None],
    tell: Callable[[C], None],
) -> None:
    """Offer what each model lacks; where something is computed, `tell` what it rests on and draw the view chosen."""
    watched.follow(chosen.models)
    with guard():
        _offer(chosen, offer)
        if not any(chosen.computed(model) for model in chosen.models):
            st.info(
                "Nothing is computed for this selection yet: the figures come with its first checkpoint.",
                icon=":material/info:",
            )
            return
        tell(chosen)
        if said := of_several_precisions(file.provenance for file in chosen.served.values()):
            st.markdown(f":material/warning: **Caution.** {said}")
        views[choose(views)](chosen)


def _offer(chosen: C, offer: Callable[[C, Model], None]) -> None:
    """Offer what the first models lack, and folded what the others do: twelve offers would push every figure out of sight.

    Where there is a figure, two do so in a small window. How far a run is stays in sight.
    """
    lacking = [model for model in chosen.models if chosen.missing(model)[0]]
    there = any(chosen.computed(model) for model in chosen.models)
    few, at_work = lacking[: 1 if there else OFFERED], compute.running() if len(lacking) > 1 else set()
    in_sight = [model for model in lacking if model in few or model.name in at_work]
    for model in chosen.models:
        if model in in_sight or model not in lacking:  # what is complete may lack something else, such as a control
            offer(chosen, model)
    if folded := [model for model in lacking if model not in in_sight]:
        with st.expander(f"Not computed yet: {count(len(folded), 'more model')}", icon=":material/hourglass_empty:"):
            for model in folded:
                offer(chosen, model)


def of_several_precisions(provenances: Iterable[Mapping[str, Any]]) -> str | None:
    """Return a sentence where scores rest on vectors of several precisions: such as a GPU's worker and a CPU's computed."""
    labels: dict[str, set[str]] = {}
    for each in provenances:
        if precision := each.get("precision"):
            labels.setdefault(str(precision), set()).add(str(each.get("label") or each.get("checkpoint") or "others"))
    if len(labels) < 2:
        return None
    few = min(labels, key=lambda name: len(labels[name]))
    rest, named = ", ".join(sorted(labels.keys() - {few})), verbatim(several(sorted(labels[few]), FEW))
    return (
        f"Some texts were encoded in {few} ({named}), the others in {rest}: that alone moves a score by up to 0.007. "
        "Compute both on one kind of worker before you compare them."
    )
