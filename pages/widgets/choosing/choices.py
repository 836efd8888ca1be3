"""Controls between their default, the session and the URL: whose options change, whose default is not constant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypeVar

import streamlit as st

from isogloss.pages.widgets.figures import present
from isogloss.pages.widgets.links import values as link_values
from isogloss.pages.widgets.server.streamlit_internals import is_history_navigation

T = TypeVar("T")


def start_index(key: str, options: Sequence[object], index: int = 0) -> int:
    """Call before the select box `key` is drawn; returns its `index`.

    A choice that `options` lack is replaced in the session, which the browser hears of. Were it only deleted, the box would go
    on to show it.
    """
    if key not in st.session_state or st.session_state[key] in options:
        return index
    st.session_state[key] = options[index]
    return 0  # the session's value counts; Streamlit warns of a default beside it


def select(
    label: str,
    options: Sequence[T],
    key: str,
    *,
    width: int,
    index: int = 0,
    named: Callable[[T], str] = str,
    help: str | None = None,
) -> T:
    """Draw a select box, `width` pixels wide, whose choice is in the URL: the option at `index` by default."""
    at = start_index(key, options, index)
    present.offers(key, label, options)
    return st.selectbox(label, options, at, named, key, help, bind="query-params", width=width)


def box(
    label: str,
    options: Mapping[T, str],
    key: str,
    usual: T,
    help_: str | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> T:
    """Draw a select box of these options (value → text), whose value is in the URL: `usual` at first."""
    link_values.announce(key, {value: text for value, text in options.items() if isinstance(value, str)})
    values = list(options)
    index = start_index(key, values, values.index(usual))
    return st.selectbox(label, values, index, options.__getitem__, key, help_, bind="query-params", width=width)


def several(
    label: str,
    options: Mapping[T, str],
    key: str,
    usual: Collection[T],
    help_: str | None = None,
    *,
    placeholder: str = "At least one",
    width: int | Literal["stretch"] = "stretch",
) -> tuple[T, ...]:
    """Draw a choice of several of these options (value → text), whose values are in the URL: `usual` at first.

    `placeholder` is what it says while none is chosen.
    """
    link_values.announce(key, {value: text for value, text in options.items() if isinstance(value, str)})
    return tuple(
        st.multiselect(
            label,
            list(options),
            list(usual),
            options.__getitem__,
            key,
            help_,
            bind="query-params",
            placeholder=placeholder,
            width=width,
        )
    )


def segments(
    label: str,
    options: Mapping[T, str] | Sequence[T],
    key: str,
    usual: T | None = None,
    help_: str | None = None,
    *,
    disabled: bool = False,
    shows_label: bool = True,
) -> T:
    """Draw these options (value → text, or texts) in a row, one always chosen, whose value is in the URL.

    At first it is `usual`, the first one without any.
    """
    texts = options if isinstance(options, Mapping) else {value: str(value) for value in options}
    if isinstance(options, Mapping):
        link_values.announce(key, {value: text for value, text in options.items() if isinstance(value, str)})
    values = list(texts)
    first = values[0] if usual is None else usual
    chosen = st.segmented_control(
        label,
        values,
        default=first,
        format_func=texts.__getitem__,
        key=key,
        bind="query-params",
        required=True,
        help=help_,
        disabled=disabled,
        label_visibility="visible" if shows_label else "collapsed",
    )
    return first if chosen is None else chosen


def whole(label: str, key: str, least: int, most: int, usual: int, help_: str | None = None, **more: Any) -> int:
    """Draw a box of whole numbers, whose value is in the URL: `usual` at first."""
    return int(st.number_input(label, least, most, usual, key=key, help=help_, bind="query-params", **more))


def has_value(key: str) -> bool:
    """Whether the control `key` has a value already, so that it gets no default: Streamlit warns of one beside a new value.

    On the way through the browser's history it has none: the URL says all, and what it lacks is at its default.
    """
    return key in st.session_state and not is_history_navigation()
