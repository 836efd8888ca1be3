"""What is missing of a run that trains models on sources, at its price: the benchmark's and the translation check's alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st

from backend.experiments.estimate import Estimate
from backend.experiments.sources.compute import missing
from backend.experiments.translation.spec import TranslationSpec
from backend.experiments.words import count
from backend.experiments.xferbench.spec import XferBenchSpec
from pages.widgets import compute
from pages.widgets.workspace import guard, workspaces

Training = TypeVar("Training", XferBenchSpec, TranslationSpec)


def offer(
    spec: Training,
    under_way: set[str],
    *,
    of: str,
    name: str,
    across: tuple[int, str],
    price: Callable[..., Estimate | None],
    key: str,
) -> None:
    """Draw what is missing of `spec`, and the button that computes it.

    Args:
        spec: What the form asks for.
        under_way: The shards of runs that are not over.
        of: What its cells are, such as "score".
        name: What the run is called, as markup.
        across: How many targets or settings, and which of the two.
        price: Of the `missing` shards of a spec (`compute.Price`).
        key: Of the widgets.
    """
    with guard():
        lacking = missing(spec, workspaces())  # asked once, of files without number
    if not lacking:
        st.caption(f":material/check_circle: All {count(len(spec.cells()), of)} of this are computed.")
        return
    if not under_way.isdisjoint(lacking):
        st.caption(":material/hourglass_top: Trainings of this are under way.")
        return
    asked = f"{count(len(spec.sources), 'source')} × {count(*across)} × {count(len(spec.seeds), 'seed')}"
    sentence = f"{name}: {len(lacking)} of {count(len(spec.shards()), 'training')} not computed ({asked})."
    compute.offer(spec, sentence, key, price=partial(price, missing=lacking))
    if spec.preset != "paper":
        return
    quick = spec.model_copy(update={"preset": "quick"})
    if cost := compute.cost(quick, partial(price, missing=missing(quick, workspaces()))):
        st.caption(f"With “Quick”: {cost.text}.")
