"""The workspace in hand, as every page reads it: cached for the few seconds in which nothing new can have appeared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import streamlit as st

from isogloss.backend.errors import IsoglossError
from isogloss.backend.settings import settings
from isogloss.pages.widgets.server.streamlit_internals import once_a_run
from isogloss.pages.widgets.words import verbatim

T = TypeVar("T")


def workspaces() -> list[Path]:
    """Return the user's workspace first, then the demo that ships with the repository, then imported atlases.

    Read once in a run of the script: a page asks a hundred times, and each reading looks every folder up.
    """
    return list(once_a_run("workspaces", lambda: settings().workspaces))


def user_workspaces() -> list[Path]:
    """Return the user's workspace alone, as what reads several takes it."""
    return workspaces()[:1]


def demo() -> list[Path]:
    """Return the demo's alone; empty where there is none beside the user's.

    Read once in a run of the script: pages ask it of every file of scores.
    """
    return list(once_a_run("demo", lambda: [each for each in workspaces()[1:] if each == settings().demo]))


def attempt(act: Callable[[], T]) -> T | None:
    """Return what `act` returns; where it raises an expected error, None, and the error is shown as its sentence."""
    try:
        return act()
    except IsoglossError as error:
        st.error(verbatim(str(error)), icon=":material/error:")
        return None


@contextmanager
def guard() -> Iterator[None]:
    """Show an expected error as its sentence and end the page there; nothing below it is drawn half."""
    try:
        yield
    except IsoglossError as error:
        st.error(verbatim(str(error)), icon=":material/error:")
        st.stop()
