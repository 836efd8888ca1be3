"""What all tests share: a workspace of their own, and where the real data is (if it is there)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test touches the network
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# A busy machine takes longer over an example than hypothesis waits for: tests never assert a time.
settings.register_profile("isogloss", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("isogloss")

ROOT = Path(__file__).resolve().parent.parent
LONGEST = ["browser", "jobs", "training", "experiments"]
"""The folders whose files take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with them: a process that got one last would work on it when the others have nothing left."""
    folders = {item: item.path.relative_to(ROOT / "tests").parts[0] for item in items}
    items.sort(key=lambda item: [*LONGEST, folders[item]].index(folders[item]))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace in force for this test, with no demo beside it."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(folder))
    monkeypatch.setenv("ISOGLOSS_DEMO", "")
    return folder


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real corpora beside the repository (or ISOGLOSS_TEST_DATA); the test is skipped where it is absent."""
    folder = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data here: set ISOGLOSS_TEST_DATA to a folder with ntrex-128/, xnli/ …")
    return folder
