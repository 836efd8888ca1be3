"""Many models' curves apart, a small panel each, where they would hide each other in one figure."""

from __future__ import annotations

from collections.abc import Sized

import streamlit as st

FEW = 4
"""So many curves are read in one figure."""
HELP = "A small figure each, on the same axes, the others in grey behind."


def choose(models: Sized) -> bool:
    """Draw the toggle where there are more than a few models; returns whether each has its panel."""
    return len(models) > FEW and st.toggle("A panel each", key="panels", bind="query-params", help=HELP)
