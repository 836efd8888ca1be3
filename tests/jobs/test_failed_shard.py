"""Whatever a shard raises ends it, with a reason in words: what is no `Exception` would leave it running for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.errors import ModelError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Cancelled
from isogloss.backend.jobs import workflows

if TYPE_CHECKING:
    from pathlib import Path


class PanicException(BaseException):
    """A panic in a library written in Rust."""


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (PanicException("called `Result::unwrap()` on an `Err` value"), "Unexpected PanicException: called `Result::unwrap()`"),
        (SystemExit(3), "Unexpected SystemExit: 3. The worker's log"),
        (KeyboardInterrupt(), "Unexpected KeyboardInterrupt"),
        (MemoryError(), "Unexpected MemoryError"),
        (ModelError("It has no weights."), "It has no weights."),
        (Cancelled(), "Cancelled."),
    ],
)
def test_any_failure_ends_the_shard_in_words(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, said: str
) -> None:
    def fail(*_: Any) -> None:
        raise raised

    monkeypatch.setattr(registry, "parse", fail)
    outcome = workflows._compute("{}", "some-shard", "run-1.some-shard")
    assert outcome["shard"] == "some-shard"
    assert outcome["failed"].startswith(said)
