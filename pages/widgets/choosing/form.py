"""The controls of a spec's declared options (`backend.option`), one a field in the fields' order, all of them in the URL."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

import streamlit as st
from pydantic import BaseModel

from isogloss.backend.option import Declared, declared
from isogloss.pages.widgets.choosing.choices import box, several

LARGEST = 2**31 - 1
"""What a box of whole numbers holds at most, where its field says no bound."""


def form(
    model: type[BaseModel],
    first: Mapping[str, Any],
    known: Mapping[str, Any] | None = None,
    leave: Collection[str] = (),
    *,
    only: Collection[str] | None = None,
    keys: Mapping[str, str] | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> dict[str, Any]:
    """Draw the control of each declared option that has a label and counts beside the others; returns fields of the spec.

    `first` are fields that stand otherwise than at their default at first, `known` those that are answered elsewhere, `leave`
    those that this page does not ask for; `only` asks for no others. What does not count has its default. `keys` call
    controls otherwise: what a preset fills in has a key for each preset, else the control would keep the other's. Numbers
    are `width` pixels wide.
    """
    values = dict(known or {})
    for name, option in declared(model).items():
        if name in values or name in leave or not option.option.label or (only is not None and name not in only):
            continue
        usual = first.get(name, option.default(values))
        key = (keys or {}).get(name, option.key)
        values[name] = _control(option, usual, key, width) if option.applies(values) else option.default(values)
    return {name: value for name, value in values.items() if name not in (known or {})}


def untouched(
    model: type[BaseModel], first: Mapping[str, Any], keys: Mapping[str, str], only: Collection[str]
) -> dict[str, object]:
    """Return what the controls of `form` stand at before they are touched, by their keys."""
    options = declared(model)
    return {keys.get(name, options[name].key): first.get(name, options[name].default(first)) for name in only}


def _control(option: Declared, usual: Any, key: str, width: int | Literal["stretch"]) -> Any:
    """Draw one control, which stands at `usual` at first, and return its value."""
    text = option.option
    match option.kind:
        case "choice":
            return box(text.label, text.words, key, usual, text.help)
        case "several" if text.words:
            return several(text.label, text.words, key, usual, text.help)
        case "switch":
            return st.toggle(text.label, bool(usual), key=key, help=text.help, bind="query-params")
        case "whole" if option.may_be_none:
            filled, least = (usual, _least(option)) if text.empty else (usual or 0, 0)
            taken = st.number_input(
                text.label,
                least,
                _most(option),
                filled,
                key=key,
                help=text.help if text.empty else f"0: all. {text.help}.",
                bind="query-params",
                placeholder=text.empty or None,
                width=width,
            )
            return None if taken is None or taken < (option.least or 1) else int(taken)
        case "whole":
            return int(
                st.number_input(
                    text.label, _least(option), _most(option), usual, key=key, help=text.help, bind="query-params", width=width
                )
            )
        case "fraction":
            least_, most = (None if bound is None else float(bound) for bound in (option.least, option.most))
            if least_ is not None and option.above:
                least_ += 1e-6
            return st.number_input(
                text.label,
                least_,
                most,
                float(usual),
                text.step,
                "%.4g",
                key,
                text.help,
                bind="query-params",
                width=width,
            )
    raise TypeError(f"{option.name} is {option.annotation}: no generic control asks for it. Draw one by hand.")


def _least(option: Declared) -> int:
    return int(option.least if option.least is not None else 0)


def _most(option: Declared) -> int:
    return LARGEST if option.most is None else int(option.most)
