"""Choices of one among several, whose value is part of the URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

Name = TypeVar("Name", bound=str)


def segments(label: str, options: Sequence[Name], default: Name, key: str, *, help: str | None = None) -> Name:
    """Draw all options in a row, one of them always chosen; returns it."""
    chosen = st.segmented_control(label, options, default=default, key=key, bind="query-params", required=True, help=help)
    return chosen or default
