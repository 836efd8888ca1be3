"""What Isogloss uses of DBOS has a public name: a new version that drops it is noticed here, not by a lost run."""

from __future__ import annotations

import inspect
from pathlib import Path

import dbos
from dbos import DBOS

ROOT = Path(__file__).resolve().parents[2]


def test_dead_workers_work_is_given_back_by_public_names() -> None:
    assert {"status", "executor_id", "load_input", "load_output"} <= set(inspect.signature(DBOS.list_workflows).parameters)
    assert {"workflow_ids", "queue_name"} <= set(inspect.signature(DBOS.resume_workflows).parameters)


def test_errors_of_dbos_have_one_public_base() -> None:
    assert "error" in dbos.__all__
    assert issubclass(dbos.error.DBOSNonExistentWorkflowError, dbos.error.DBOSException)


def test_no_private_name_of_dbos_is_used() -> None:
    users = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "backend").rglob("*.py")
        if "DBOS._" in (text := path.read_text(encoding="utf-8")) or "dbos._" in text
    ]
    assert users == []
