"""The worker's log: a cancelled run leaves no traceback, an error does."""

from __future__ import annotations

import logging

from dbos import error as dbos_error

from isogloss.backend.jobs.quiet import Quiet


def record(error: BaseException | None, text: str = "Exception encountered in background workflow:") -> logging.LogRecord:
    found = None if error is None else (type(error), error, None)
    return logging.LogRecord("dbos", logging.ERROR, "", 1, text, (), found)


def test_only_cancellations_are_left_out() -> None:
    keeps = Quiet().filter
    assert not keeps(record(dbos_error.DBOSAwaitedWorkflowCancelledError("run-1")))
    assert not keeps(record(dbos_error.DBOSWorkflowCancelledError("run-1 is cancelled")))
    assert not keeps(record(None, "Workflow run-1 is no longer owned by this execution. Waiting for the owner's outcome"))
    assert keeps(record(RuntimeError("the disk is full")))
    assert keeps(record(None, "the queue is slow"))
