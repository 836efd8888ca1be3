"""What the tests of atlases share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.atlas.atlas_workspace import fill


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    workspace = tmp_path / "somewhere" / "workspace"
    workspace.parent.mkdir()
    fill(workspace)
    return workspace
