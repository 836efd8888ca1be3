"""Choices of one among several, whose value is part of the URL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from pages.widgets.choosing.choices import start_index

Name = TypeVar("Name", bound=str)


def segments(label: str, options: Sequence[Name], default: Name, key: str, *, help: str | None = None) -> Name:
    """Draw all options in a row, one of them always chosen; returns it."""
    chosen = st.segmented_control(label, options, default=default, key=key, bind="query-params", required=True, help=help)
    return chosen or default


def box(
    label: str,
    options: Sequence[str],
    key: str,
    width: int,
    *,
    index: int = 0,
    help: str | None = None,
    names: Callable[[str], str] = str,
) -> str:
    """Draw a select box of `width` pixels whose options may change between runs (`choices.start_index`); returns the option."""
    index = start_index(key, options, index)
    return st.selectbox(label, options, index, format_func=names, key=key, bind="query-params", width=width, help=help)
