"""What all tests share: a workspace of their own, and where the real data is (if it is there)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from isogloss.backend.store import later

if TYPE_CHECKING:
    from collections.abc import Iterator

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test touches the network
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Threads that wait let others compute: where more run than there are cores, torch's would else spin for most of their time.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

later.PAUSE = 24 * 3600.0  # what waits is done when a test asks for it, not behind the back of another

# Nothing here is looked at meanwhile: a worker that gave way to all the other tests would take minutes for its seconds.
os.environ.setdefault("ISOGLOSS_WORKER_NICE", "0")

# A busy machine takes longer over an example than hypothesis waits for: tests never assert a time. Nor does luck decide: the
# examples are the same until a test changes. Others come with --hypothesis-seed=random.
# Forty of each, the simplest of which come first: a test that needs rarer ones asks for more.
settings.register_profile(
    "isogloss", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], max_examples=40
)
settings.load_profile("isogloss")

ROOT = Path(__file__).resolve().parent.parent
LONGEST = ["browser", "jobs", "training", "experiments", "test_adding_a_family.py", "test_make_run.py", "pages", "cli"]
"""The folders, and files beside them, that take longest."""
COMPUTING = {
    "test_alignment_browser.py",
    "test_emergent_browser.py",
    "test_failed_states.py",
    "test_jobs_browser.py",
    "test_new_user.py",
    "test_transfer_browser.py",
}
"""The browser's tests in which a worker computes: they take as long as all its others."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with them: a process that got one last would work on it when the others have nothing left."""
    folders = {item: item.path.relative_to(ROOT / "tests").parts[0] for item in items}
    items.sort(key=lambda item: [*LONGEST, folders[item]].index(folders[item]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give files to processes as `--dist loadfile` does, but the browser's to two, one after the other.

    More browsers than processor cores wait for one another, and each has to compile the page's scripts anew.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Browsers(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = Path(str(super()._split_scope(nodeid)))
            if "browser" not in file.parts:
                return str(file)
            return "browser, computing" if file.name in COMPUTING else "browser, looking"

    return Browsers(config, log)


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Give `__main__` back: a page's script that a test ran stands there, and processes begun later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


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
