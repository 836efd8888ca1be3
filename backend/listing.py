"""Which files there are, looked up once for all that is asked during a draw: a page asks a dozen times for the same folders.

Within `listed_once` a folder is as it was when it was first asked for, so that no two figures of one draw are of different
files; what this process publishes or sets aside meanwhile is seen.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

T = TypeVar("T")

_ANSWERS: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)
"""What was asked and what was found; None where each is to look for itself."""


@contextmanager
def listed_once() -> Iterator[None]:
    """Keep what `once` found for all that is asked inside, in this thread; inside another such block nothing more is done."""
    if _ANSWERS.get() is not None:
        yield
        return
    token = _ANSWERS.set({})
    try:
        yield
    finally:
        _ANSWERS.reset(token)


def once(asked: Hashable, look: Callable[[], T]) -> T:
    """Return what `look` finds, within `listed_once` from memory where `asked` was asked before. Not to be changed."""
    answers = _ANSWERS.get()
    if answers is None:
        return look()
    if asked not in answers:
        answers[asked] = look()
    found: T = answers[asked]
    return found


def look_again() -> None:
    """Forget what was found: this process has changed what there is."""
    answers = _ANSWERS.get()
    if answers:
        answers.clear()
