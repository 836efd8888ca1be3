"""Several seeds of a model as one line of a figure, or each by itself: the control and what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from isogloss.backend.experiments.seeds_together import name_of_seeds
from isogloss.backend.models.seeds import seeds_of
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.words import verbatim

TOGETHER, APART = "Together", "Apart"


def choose(models: Sequence[str]) -> dict[str, str]:
    """Draw the control where some of these models are seeds of one; returns by name what each is a seed of, none for apart."""
    found = seeds_of(models)
    return found if found and segments("Seeds of a model", (TOGETHER, APART), "seed_lines") == TOGETHER else {}


def tell(seeds: Mapping[str, str]) -> None:
    """Say what the lines of several seeds are."""
    if seeds:
        names = ", ".join(name_of_seeds(model, amount) for model, amount in Counter(seeds.values()).items())
        st.caption(f"{verbatim(names)}: mean of the seeds, with Student's 95% interval over them.")
