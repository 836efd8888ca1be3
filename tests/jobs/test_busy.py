"""A busy machine is said where a price stands."""

from __future__ import annotations

import os

import pytest

from backend.experiments.estimate import Estimate
from backend.jobs import busy
from tests.experiments.machines import CPU, gpu

ESTIMATE = Estimate(60.0, 2)


@pytest.mark.parametrize(("load", "factor"), [(0.1, 1.0), (4.0, 1.0), (5.9, 1.0), (8.0, 2.0), (30.0, 7.5)])
def test_an_estimate_says_how_many_processes_share_a_core(monkeypatch: pytest.MonkeyPatch, load: float, factor: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    found = busy.adapted(ESTIMATE, CPU)
    assert found is not None
    assert found.seconds == 60.0  # earlier shards had their own load
    said = {1.0: "about 60 s", 2.0: "about 2 min, alone 60 s", 7.5: "about 8 min, alone 60 s"}
    assert found.text == said[factor]
    assert busy.adapted(ESTIMATE, gpu()) == ESTIMATE
    assert busy.adapted(None, CPU) is None


def test_a_system_that_does_not_say_its_load_is_not_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> tuple[float, float, float]:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", unknown)
    assert busy.adapted(ESTIMATE, CPU) == ESTIMATE
