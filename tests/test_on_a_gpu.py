"""The path of a GPU, in a process of its own: torch counts its devices when it first computes a gradient, and never again."""

from __future__ import annotations

from tests.training.killed_scripts import started

SCRIPT = """
    import pytest
    print(pytest.main(["-o", "addopts=--strict-markers -q", "-p", "no:cacheprovider", "tests/on_a_gpu.py"]) == 0)
"""


def test_the_path_of_a_gpu() -> None:
    ran = started(SCRIPT)
    *told, passed = ran.stdout.read().splitlines()
    ran.process.join()
    assert passed == "True", "\n".join(told)[-8000:]
    assert any(" passed" in line for line in told)
