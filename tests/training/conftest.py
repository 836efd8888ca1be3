"""What the tests of trainings share: one thread, for models so small that several would mostly wait for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from isogloss.backend.training.resumable.reproducible import threads

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    with threads(1):
        yield
