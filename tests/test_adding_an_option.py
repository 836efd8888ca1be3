"""docs/adding-an-option.md is true: its patches apply to the product as it is, and what it says of them holds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "adding-an-option.md").read_text(encoding="utf-8")
CHANGES = [
    (section.split("\n", 1)[0], patch, trial)
    for section in DOCUMENT.split("\n## ")
    for patch, trial in re.findall(r"```diff\n(.*?)```.*?```python\n# try: (.*?)```", section, flags=re.S)
]
MOST = {"An option": 5, "A view, or another figure in one": 3, "A format": 2}
"""Files of the product that a change may touch."""


def test_the_document_has_the_three_changes_in_few_files() -> None:
    assert [title for title, _, _ in CHANGES] == list(MOST)
    for title, patch, _ in CHANGES:
        assert len(re.findall(r"(?m)^\+\+\+ b/", patch)) <= MOST[title]


@pytest.mark.parametrize(("title", "patch", "trial"), CHANGES, ids=[title for title, _, _ in CHANGES])
def test_a_change_applies_and_does_what_it_says(title: str, patch: str, trial: str, tmp_path: Path, workspace: Path) -> None:
    copy = tmp_path / "copy"
    for name in ("backend", "pages", ".streamlit", "isogloss"):
        shutil.copytree(ROOT / name, copy / name, symlinks=True)  # those in isogloss lead to this copy
    shutil.copy(ROOT / "app.py", copy)
    applied = subprocess.run(["git", "apply", "-"], input=patch, cwd=copy, capture_output=True, text=True)
    assert applied.returncode == 0, f"{title}: {applied.stderr}"
    environment = os.environ | {
        "PYTHONPATH": str(copy),
        "ISOGLOSS_WORKSPACE": str(workspace),
        "ISOGLOSS_DEMO": str(ROOT / "cache" / "demo"),
    }
    tried = subprocess.run([sys.executable, "-c", f"# {trial}"], cwd=copy, env=environment, capture_output=True, text=True)
    assert tried.returncode == 0, tried.stderr[-2000:]
