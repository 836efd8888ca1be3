"""A cancelled run is no error: what the queue's library says of one, with a traceback, stays out of the worker's log."""

from __future__ import annotations

import logging

from dbos import error as dbos_error

CANCELLED = (dbos_error.DBOSAwaitedWorkflowCancelledError, dbos_error.DBOSWorkflowCancelledError)
NO_LONGER = "is no longer owned by this execution"
"""How the library begins: a cancelled workflow belongs to nobody."""


class Quiet(logging.Filter):
    """Lets every record pass but those of cancellations."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is to be written."""
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, CANCELLED) and NO_LONGER not in record.getMessage()
