"""The path of a GPU, in a process of its own: torch counts its devices when it first computes a gradient, and never again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_path_of_a_gpu() -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-o",
        "addopts=--strict-markers -q",
        "-p",
        "no:cacheprovider",
        "tests/on_a_gpu.py",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stdout[-8000:]
    assert " passed" in ran.stdout
