"""What looks of a watch are tested with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend import files
from isogloss.backend.jobs import connection
from isogloss.backend.jobs.watch import look as looks
from isogloss.backend.models.files import complete
from isogloss.backend.settings import Settings
from tests.jobs.watch.scorer import Scorer

if TYPE_CHECKING:
    from pathlib import Path

SETTLED = 0.03
"""Seconds in place of those of a training that takes hours; a file system's clock ticks every 0.004."""


@pytest.fixture
def scorer(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Scorer:
    found = Scorer(Settings(workspace=workspace, demo=None))
    monkeypatch.setattr(looks, "client", found)
    monkeypatch.setattr(connection, "ready", lambda _: True)
    monkeypatch.setattr(complete, "SETTLED_SECONDS", SETTLED)
    monkeypatch.setattr(files, "sync", lambda _: None)  # nobody pulls the plug
    return found
