"""What the tests of several experiments share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.models.encoding import encode as encode_module
from isogloss.backend.training.resumable.reproducible import threads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.experiments.alignment.lab import Lab


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Torch computes on one thread, as in the processes that these tests start: what they publish is then equal."""
    with threads(1):
        yield


@pytest.fixture
def lab(made: Lab, tmp_path: Path) -> Lab:
    """The module's lab, in which nothing is computed, in a workspace of this test's own."""
    return made.copied(tmp_path)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The language of every encoding pass."""
    seen: list[str] = []
    real = encode_module.encode

    def watched(*given: Any, **options: Any) -> Any:
        seen.extend([options["language"]] if "language" in options else [])  # a model that is tried out has none
        return real(*given, **options)

    monkeypatch.setattr(encode_module, "encode", watched)
    return seen
