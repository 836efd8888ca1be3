"""What the tests of retrieval share: every way in which a result can come about."""

from __future__ import annotations

import pytest
import torch

from isogloss.backend.metrics import blocks
from isogloss.backend.metrics.retrieval import search as retrieval_search


@pytest.fixture(params=["as it is", "small blocks", "all settled", "float64", "one core"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways that a result can come about: it must be the same by each."""
    exact = retrieval_search.tolerance
    match request.param:
        case "small blocks":
            monkeypatch.setattr(blocks, "CPU_ROWS", 2)
        case "all settled":
            everything = lambda pairs, precision, *more: 9 if precision == torch.float32 else exact(pairs, precision, *more)  # noqa: E731
            monkeypatch.setattr(retrieval_search, "tolerance", everything)
        case "float64":
            monkeypatch.setattr(retrieval_search, "_fast_type", lambda device: torch.float64)
        case "one core":
            monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    return request.param
