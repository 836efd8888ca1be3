"""What is answered from the whole table of scores, cached by the question and the files that answer it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeVar

import streamlit as st

from backend.boards.recipe import Recipe
from backend.experiments.relations import cubes
from backend.experiments.relations.cubes import Files
from backend.files import digest
from pages.widgets.figures import notebook
from pages.widgets.server.keyed import BY_KEY, Keyed
from pages.widgets.workspace import workspaces

T = TypeVar("T")


def asked(function: Callable[..., T], **arguments: Any) -> T:
    """Return what `function` answers of the workspaces, from the cache where neither the question nor a file has changed."""
    said = {name: value.model_dump_json() if hasattr(value, "model_dump_json") else value for name, value in arguments.items()}
    files = _digest(cubes.files_of(workspaces()))
    key = digest([function.__module__, function.__name__, files, repr(sorted(said.items()))])
    answer: T = _answered(Keyed(key, None), partial(function, workspaces=workspaces(), **arguments))
    return answer


@lru_cache(maxsize=16)
def _digest(files: Files) -> str:
    return digest([(str(path), modified) for path, modified in files])


@st.cache_data(show_spinner=False, max_entries=512, hash_funcs=BY_KEY)
def _answered(key: Keyed[None], _call: Callable[[], Any]) -> Any:
    return _call() if key.key else None


def python(function: Callable[..., Any], **arguments: Any) -> Recipe:
    """Python for a notebook that gives the same rows."""
    return notebook.python(partial(function, workspaces=workspaces(), **arguments))
