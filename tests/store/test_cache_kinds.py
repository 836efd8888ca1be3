"""What takes space: every folder that a workspace keeps is counted and can be cleared, on the page and on the command line."""

from __future__ import annotations

import ast
import importlib
import operator
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from isogloss.backend.errors import StoreError
from isogloss.backend.files import RUNNING, TEMPORARY
from isogloss.backend.locks import try_lock
from isogloss.backend.settings import ROOT
from isogloss.backend.store import cache
from isogloss.backend.training.resumable.lock import lock
from isogloss.pages.jobs.storage import MEANING, REMOVABLE
from tests.cli.typed import output

KINDS = set(get_args(cache.Kind)) - {"other"}


def written_folders() -> dict[str, str]:
    """Each folder of a workspace that the code names, and the file that does: `workspace / FOLDER`, and the shelves."""
    found = {}
    for path in sorted([*(ROOT / "backend").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"workspace\s*/|folder\s*/\s*FOLDER", text):
            continue  # parsing all others takes seconds
        names = [
            ast.unparse(node.right)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_folder_of_a_workspace(node)
        ]
        if names and path != Path(cache.__file__).resolve():
            module = importlib.import_module(".".join(("isogloss", *path.relative_to(ROOT).with_suffix("").parts)))
            found |= {_value(name, module): str(path) for name in names}
    for path in sorted((ROOT / "backend" / "corpora").rglob("library.py")):
        module = importlib.import_module(".".join(("isogloss", *path.relative_to(ROOT).with_suffix("").parts)))
        found[module.KIND.folder] = str(path)
    return found


def _value(name: str, module: ModuleType) -> str:
    """What a name of the module says, or a text in quotation marks."""
    return str(ast.literal_eval(name)) if name[0] in "'\"" else str(operator.attrgetter(name)(module))


def _is_folder_of_a_workspace(node: ast.BinOp) -> bool:
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    return right != "self.folder" and (left.endswith("workspace") or (left == "folder" and right == "FOLDER"))


def fill(workspace: Path) -> dict[str, int]:
    """A file in every folder, each of another size."""
    for size, folder in enumerate(sorted(KINDS), start=1):
        (workspace / folder / "a").mkdir(parents=True)
        (workspace / folder / "a" / "file").write_bytes(b"x" * size)
    return {folder: size for size, folder in enumerate(sorted(KINDS), start=1)}


def used(workspace: Path) -> dict[str, int]:
    return {use.kind: use.size for use in cache.usage(workspace) if use.files}


def test_no_folder_that_the_code_writes_is_forgotten() -> None:
    found = written_folders()
    assert len(found) > 20
    assert {folder: where for folder, where in found.items() if folder.split("/")[0] not in KINDS} == {}
    assert set(found) == KINDS  # nor is one listed that nothing writes


def test_every_folder_of_a_workspace_is_counted(workspace: Path) -> None:
    expected = fill(workspace)
    assert used(workspace) == expected
    assert set(MEANING) == set(get_args(cache.Kind))
    printed = {line.split()[0]: line.split()[1] for line in output("cache").splitlines()[2:]}
    assert {kind for kind, files in printed.items() if files == "1"} == KINDS


def test_what_is_in_no_folder_of_ours_is_counted_too(workspace: Path) -> None:
    (workspace / "forgotten" / "deep").mkdir(parents=True)
    (workspace / "forgotten" / "deep" / "file").write_bytes(b"xx")
    (workspace / "note.txt").write_bytes(b"x")
    assert used(workspace) == {"other": 3}


def test_everything_can_be_cleared_what_people_brought_only_by_who_is_sure(workspace: Path) -> None:
    expected = fill(workspace)
    for path in [*(workspace / "uploads" / "a").rglob("*"), workspace / "uploads" / "a"]:
        os.utime(path, (0, 0))
    for kind in sorted(KINDS - {"jobs"}):
        if kind not in {*cache.COMPUTED, *cache.IN_PROGRESS}:
            with pytest.raises(StoreError, match=f"what people brought or wrote.*cache remove {kind} --sure"):
                output("cache", "remove", kind)
        assert used(workspace)[kind] == expected[kind]
        assert output("cache", "remove", kind, "--sure").startswith(f"{expected[kind]} B")
        assert kind not in used(workspace)
    assert used(workspace) == {"jobs": expected["jobs"]}
    with pytest.raises(StoreError, match="Forget runs instead: isogloss jobs forget"):
        output("cache", "remove", "jobs", "--sure")
    assert set(REMOVABLE) <= {*cache.COMPUTED, *cache.IN_PROGRESS}


def test_a_training_that_a_worker_is_at_stays(workspace: Path) -> None:
    for name in ("left", "mine"):
        (workspace / "training" / name).mkdir(parents=True)
        (workspace / "training" / name / "state.safetensors").write_bytes(b"x" * 10)
    with lock(workspace / "training" / "mine"):
        assert cache.remove(workspace, "training") == 10
        assert sorted(path.name for path in (workspace / "training").iterdir()) == ["mine"]
        assert (workspace / "training" / "mine" / "state.safetensors").exists()
    assert cache.remove(workspace, "training") == 10
    assert list((workspace / "training").iterdir()) == []
    with lock(workspace / "training" / "mine"):
        pass  # it can be begun anew


def test_a_dropped_file_that_a_session_reads_stays(workspace: Path) -> None:
    for name in ("left", "mine"):
        (workspace / "uploads" / name).mkdir(parents=True)
        (workspace / "uploads" / name / "0").write_bytes(b"x")
    for path in ("left/0", "left"):
        os.utime(workspace / "uploads" / path, (time.time() - 7200,) * 2)
    assert cache.remove(workspace, "uploads") == 1
    assert [path.name for path in (workspace / "uploads").iterdir()] == ["mine"]


def test_what_a_killed_dashboard_was_reading_goes_after_a_day_but_never_what_is_read(workspace: Path) -> None:
    day = time.time() - cache.STALE_SECONDS
    ages = {"yesterday": day - 60, "today": day + 600, "read": day - 60, "written": day - 60}
    for name, age in ages.items():
        folder = workspace / "uploads" / name
        folder.mkdir(parents=True)
        for path in (folder / RUNNING, folder / "0", folder):
            path.touch()
            os.utime(path, (age, age))
    os.utime(workspace / "uploads" / "written" / "0")  # a large file that is still coming in
    code = (
        "import fcntl, sys; held = open(sys.argv[1], 'a'); fcntl.flock(held, fcntl.LOCK_EX); print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(workspace / "uploads" / "read" / RUNNING)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        cache.remove_idle_uploads(workspace, cache.STALE_SECONDS)
        assert {path.name for path in (workspace / "uploads").iterdir()} == {"today", "read", "written"}
        other.kill()
    cache.remove_idle_uploads(workspace, cache.STALE_SECONDS)
    assert {path.name for path in (workspace / "uploads").iterdir()} == {"today", "written"}


def test_what_a_kill_left_half_written_goes_folders_too(workspace: Path) -> None:
    folder, file = workspace / "weights" / f"{TEMPORARY}a", workspace / "scores" / f"{TEMPORARY}b"
    for path in (folder / "inner" / "model.safetensors", file):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    assert cache.remove_unfinished(workspace, older_than_seconds=3600) == 0
    for path in (folder, file):
        os.utime(path, (time.time() - 7200,) * 2)
    assert cache.remove_unfinished(workspace, older_than_seconds=3600) == 2
    assert used(workspace) == {}


def test_the_lock_of_a_training_is_the_one_that_is_asked(tmp_path: Path) -> None:
    with lock(tmp_path / "training"), open(tmp_path / "training" / cache.RUNNING, "a", encoding="utf-8") as handle:
        assert not try_lock(handle)
