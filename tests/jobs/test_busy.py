"""A busy machine raises prices and says so; what no processor decides stays."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from backend.experiments.estimate import Estimate
from backend.experiments.speed import Speed
from backend.jobs import busy

SPEED = Speed("cpu", "CPU", 1, 1e9, 1e9)
ESTIMATE = Estimate(60.0, 2, SPEED.basis)


@pytest.mark.parametrize(("load", "factor"), [(0.1, 1.0), (4.0, 1.0), (5.9, 1.0), (8.0, 2.0), (30.0, 7.5)])
def test_an_estimate_is_as_much_longer_as_processes_share_a_core(
    monkeypatch: pytest.MonkeyPatch, load: float, factor: float
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    found = busy.adapted(ESTIMATE, SPEED)
    assert found is not None
    assert found.seconds == 60.0 * factor
    assert (found.why == "Estimated from a one-second measurement on CPU, 1 thread") == (factor == 1.0)
    assert found.slowed == ("" if factor == 1.0 else f"the machine is busy: {factor:g} times as long as alone")
    assert busy.adapted(ESTIMATE, replace(SPEED, kind="cuda")) == ESTIMATE
    assert busy.adapted(replace(ESTIMATE, computes=False), SPEED) == replace(ESTIMATE, computes=False)
    assert busy.adapted(None, SPEED) is None
    seen = busy.adapted(replace(ESTIMATE, basis="from this model's last computations"), SPEED)
    assert seen is not None
    assert seen.seconds == 60.0  # those computations had their own load
    assert seen.slowed == ("" if factor == 1.0 else f"the machine is busy: it may take up to {factor:g} times as long")


def test_a_system_that_does_not_say_its_load_is_not_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> tuple[float, float, float]:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", unknown)
    assert busy.adapted(ESTIMATE, SPEED) == ESTIMATE
