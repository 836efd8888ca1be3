"""What Isogloss uses of DBOS beyond its documented names: a new version that drops it is noticed here, not by a lost run."""

from __future__ import annotations

import inspect
from importlib.metadata import version
from pathlib import Path

import dbos
import pytest
from dbos import DBOS

from backend.jobs import recovery

ROOT = Path(__file__).resolve().parents[2]


def test_dead_workers_work_is_given_back_by_the_name_that_dbos_has(monkeypatch: pytest.MonkeyPatch) -> None:
    why = (
        f"DBOS {version('dbos')} takes no executors in DBOS._recover_pending_workflows any more: without it a dead worker's "
        "shards wait for ever. Look for its new name (or a public one) and change backend/jobs/recovery.py alone."
    )
    recover = getattr(DBOS, "_recover_pending_workflows", None)
    assert recover is not None, why
    assert list(inspect.signature(recover).parameters) == ["executor_ids"], why
    given: list[object] = []
    monkeypatch.setattr(DBOS, "_recover_pending_workflows", given.append)
    recovery.recover(("host-0", "host-1"))
    assert given == [["host-0", "host-1"]]


def test_no_public_name_has_come_in_its_place() -> None:
    public = [name for name in dir(DBOS) if "recover" in name and not name.startswith("_")]
    assert not public, f"DBOS {version('dbos')} has {public}: use it in backend/jobs/recovery.py if it does the same."


def test_errors_of_dbos_have_one_public_base() -> None:
    assert "error" in dbos.__all__
    assert issubclass(dbos.error.DBOSNonExistentWorkflowError, dbos.error.DBOSException)


def test_private_names_of_dbos_stand_in_one_file() -> None:
    users = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "backend").rglob("*.py")
        if "DBOS._" in (text := path.read_text(encoding="utf-8")) or "dbos._" in text
    ]
    assert users == ["backend/jobs/recovery.py"]
