"""Errors of the queue's database as sentences."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from dbos import error as dbos_error
from sqlalchemy.exc import SQLAlchemyError

from isogloss.backend.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.settings import Settings


@contextmanager
def as_store_errors(settings: Settings) -> Iterator[None]:
    """Raise `StoreError` where the queue's database cannot be reached, read or written inside the block."""
    try:
        yield
    except (SQLAlchemyError, dbos_error.DBOSException) as error:
        place = "at ISOGLOSS_QUEUE_URL" if settings.queue_url else f"in {settings.sqlite_path.parent}"
        reason = str(getattr(error, "orig", None) or error).splitlines()[0].strip().rstrip(".")
        raise StoreError(
            f"The queue {place} could not be used: {reason}. "
            "Check that it can be reached and written and that its disk has space, then try again."
        ) from error
