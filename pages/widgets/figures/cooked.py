"""What recipes give, kept while the files they read stay as they are: the one way in which a page comes by a figure's rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from inspect import signature
from itertools import filterfalse
from typing import Any

import pandas as pd

from isogloss.backend.boards.recipe import Recipe, as_rows, made
from isogloss.backend.byte_cache import ByteCache, bytes_of
from isogloss.backend.files import digest
from isogloss.backend.recipe_mark import WORKSPACES, state_of

LIMIT = 128 << 20
"""Bytes of answers kept in the process for all visitors: some fifty views of 36 languages, half a dozen of 204."""
TEXTS = frozenset([str])
LEAST = 4096
"""Bytes that any answer counts for."""


class _UnknownStateError(Exception):
    """A function that reads workspaces does not say what its answer depends on."""


def _size(value: object) -> int:
    """Return about how many bytes an answer takes: a frame, or lists, dictionaries and records of arrays."""
    return LEAST + bytes_of(value)


_KEPT: ByteCache[Any] = ByteCache(LIMIT, _size)


def rows(recipe: Recipe) -> pd.DataFrame:
    """Return the rows that a recipe gives, from memory where neither the recipe nor a file it reads has changed.

    Raises what its calls raise, and TypeError where the last returns no frame.
    """
    return as_rows(value(*recipe.calls))


def value(*calls: partial[Any]) -> Any:
    """Return what the last of these calls returns, each made on what the one before returned, as in `rows`."""
    try:
        keys = [(digest(repr(call)), _state(call)) for call in calls]  # written out, thousands of pairs take megabytes
    except _UnknownStateError:
        *before, last = calls
        return _apart(made(last, value(*before)) if before else made(last))
    return _kept(calls, tuple(keys))


def _kept(calls: Sequence[partial[Any]], keys: tuple[Hashable, ...]) -> Any:
    """Return what `value` does, with what each call is kept by: of thousands of pairs that takes as long as the rest."""
    *before, last = calls
    return _apart(_KEPT.get(keys, lambda: made(last, _kept(before, keys[:-1])) if before else made(last)))


def _apart(answer: Any) -> Any:
    """Return a frame that shares its columns until somebody writes to one (copy on write): what is kept stays as it is."""
    return answer.copy(deep=False) if isinstance(answer, pd.DataFrame) else answer


def _state(argument: Any) -> Hashable:
    """Return what the calls in an argument depend on besides their arguments. Raises `_UnknownStateError`."""
    match argument:
        case partial():
            inner = [_state(each) for each in (*argument.args, *argument.keywords.values())]
            return *filter(None, inner), *_state_of_call(argument)
        case list() | tuple():
            return tuple(filter(None, map(_state, filterfalse(_is_texts, argument))))
        case dict():
            return tuple(filter(None, map(_state, argument.values())))
    return ()


def _is_texts(argument: Any) -> bool:
    """Return whether an argument is a text or some: of thousands of pairs of languages nothing more is to be looked at."""
    return type(argument) is str or (type(argument) is tuple and {*map(type, argument)} <= TEXTS)


def _state_of_call(call: partial[Any]) -> tuple[Hashable, ...]:
    given = signature(call.func).bind_partial(*call.args, **call.keywords).arguments if call.args else call.keywords
    if WORKSPACES not in given:
        return ()
    state = state_of(call.func)
    if state is None:
        raise _UnknownStateError
    return (state(**given),)
