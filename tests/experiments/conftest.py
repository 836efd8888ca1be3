"""What the tests of several experiments watch."""

from __future__ import annotations

from typing import Any

import pytest

from backend.models.encoding import encode as encode_module


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The language of every encoding pass."""
    seen: list[str] = []
    real = encode_module.encode

    def watched(*given: Any, **options: Any) -> Any:
        seen.append(options["language"])
        return real(*given, **options)

    monkeypatch.setattr(encode_module, "encode", watched)
    return seen
