"""A busy machine is said where a price stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments.estimate import Estimate
from isogloss.backend.jobs import busy
from tests.experiments.machines import CPU, gpu

if TYPE_CHECKING:
    from pathlib import Path

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


def test_what_a_process_waited_for_is_what_the_system_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for thread, text in {"1": "4000000000 1000000000 9\n", "2": "2000000000 5000000000 3\n", "3": ""}.items():
        (tmp_path / thread).mkdir()
        (tmp_path / thread / "schedstat").write_text(text, encoding="ascii")
    monkeypatch.setattr(busy, "THREADS", tmp_path)
    assert busy.turns() == busy.Turns(6.0, 6.0)
    assert busy.turns().slowdown_since(busy.Turns(0.0, 0.0)) == 2.0
    assert busy.turns().slowdown_since(busy.Turns(4.0, 0.0)) == 4.0
    assert busy.turns().slowdown_since(busy.turns()) == 1.0  # nothing ran
    assert busy.Turns(8.0, 5.0).slowdown_since(busy.turns()) == 1.0  # a thread that ended took its own with it
    monkeypatch.setattr(busy, "THREADS", tmp_path / "none")
    assert busy.turns() == busy.Turns(0.0, 0.0)
