"""The README's tree and its dependencies agree with the files."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_path_of_the_tree_exists() -> None:
    block = README.split("## Where things are")[1].split("```")[1]
    paths = [line.split()[0] for line in block.strip().splitlines()]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_package_of_the_backend_is_in_the_tree() -> None:
    packages = {path.name for path in (ROOT / "backend").iterdir() if (path / "__init__.py").exists()}
    assert {name for name in packages if f"backend/{name}/" not in README} == set()


def test_every_dependency_has_its_reason_and_an_exact_version() -> None:
    lines = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in lines)
    reasons = README.split("## Why each dependency")[1].split("##")[0]
    assert {name for name in (line.split("==")[0] for line in lines) if not re.search(rf"\b{name}\b", reasons)} == set()
    assert (ROOT / "docs" / "abx.png").exists()


def test_the_demo_stays_small() -> None:
    size = sum(path.stat().st_size for path in (ROOT / "cache" / "demo").rglob("*") if path.is_file())
    assert size <= 32_000_000
