"""A busy machine is said where a price stands."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments.pricing.estimate import Estimate
from isogloss.backend.jobs import busy, slots
from isogloss.backend.jobs.busy import TOGETHER, Turns
from isogloss.backend.jobs.slots import WorkerReport
from isogloss.backend.settings import Settings
from tests.experiments.machines import CPU, gpu

if TYPE_CHECKING:
    from pathlib import Path

ESTIMATE = Estimate(60.0, 2)


class Busy:
    """A machine of two cores, whose counters a test sets: seconds of a core since it started."""

    def __init__(self, processes: Path) -> None:
        self.moment, self.everyone, self.ours, self.worker = 1000.0, 50.0, 1.0, 2.0
        self.processes, self.load, self.load_of_quarter = processes, 0.0, 0.0
        (processes / "7").mkdir()

    def spend(self, seconds: float, *, others: float = 0.0, ours: float = 0.0, worker: float = 0.0) -> None:
        """Let some seconds pass, in which others, this process and a worker of the workspace compute for so many."""
        self.moment += seconds
        self.ours, self.worker = self.ours + ours, self.worker + worker
        self.everyone += others + ours + worker
        ticks = [round(100 * self.everyone), 0, 0, 99999, 88888, 0, 0, 0, 0, 0]
        (self.processes / "stat").write_text(f"cpu  {' '.join(map(str, ticks))}\ncpu0 1 2 3\n", encoding="ascii")
        numbers = " ".join(["0"] * 10 + [str(round(100 * self.worker)), "0", "0"])
        (self.processes / "7" / "stat").write_text(f"7 (isogloss) work) S {numbers}\n", encoding="ascii")
        (self.processes / "uptime").write_text(f"{self.moment:.2f} 0.00\n", encoding="ascii")

    def runs(self, pid: int, *, since: float, state: str = "R") -> None:
        """Let a process be there that was started so many seconds ago."""
        (self.processes / str(pid)).mkdir()
        numbers = " ".join([*["0"] * 18, str(round(100 * (self.moment - since))), "0"])
        (self.processes / str(pid) / "stat").write_text(f"{pid} (a (b) c) {state} {numbers}\n", encoding="ascii")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Busy:
    """A quiet machine, with a worker, which has been looked at once."""
    made = Busy(tmp_path)
    made.spend(0)
    monkeypatch.setattr(busy, "PROCESSES", tmp_path)
    monkeypatch.setattr(busy, "WINDOW_SECONDS", 20.0)
    monkeypatch.setattr(busy, "_looks", deque(maxlen=64))
    monkeypatch.setattr(busy.time, "monotonic", lambda: made.moment)
    monkeypatch.setattr(busy.time, "process_time", lambda: made.ours)
    monkeypatch.setattr(busy.time, "sleep", lambda seconds: made.spend(seconds))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_CLK_TCK": 100}[name])
    monkeypatch.setattr(os, "getloadavg", lambda: (made.load + 1, made.load - 1, made.load_of_quarter))
    monkeypatch.setattr(slots, "alive", lambda _: [WorkerReport(7, "w", CPU), WorkerReport()])
    assert busy.others(Settings()) == 0.0
    made.spend(-busy.SAMPLE_SECONDS)
    return made


def test_what_others_want_is_counted_without_our_own(machine: Busy) -> None:
    machine.spend(10, others=5)
    assert busy.others(Settings()) == pytest.approx(0.5)  # of a core
    machine.spend(5, ours=4, worker=6)  # a page that draws, and a run that others wait behind
    assert busy.others(Settings()) == pytest.approx(1 / 3)
    machine.spend(60, others=60)
    assert busy.others(Settings()) == 0.0  # nothing looked meanwhile: what was a minute ago does not count
    machine.load = 6.0
    machine.spend(10, others=19)
    assert busy.others(Settings()) == pytest.approx(5.7, rel=0.01)  # all cores in use: three for each
    machine.spend(9, others=0)
    assert busy.others(Settings()) == pytest.approx(1.0, rel=0.01)  # the mean of the last seconds
    machine.spend(19, others=0)  # another version's load of a minute would still say 6
    machine.spend(10, others=0)
    assert busy.others(Settings()) == 0.0


def test_what_a_worker_did_that_has_ended_is_not_taken_for_others(machine: Busy, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.spend(10, worker=19)
    monkeypatch.setattr(slots, "alive", lambda _: [])
    assert busy.others(Settings()) == 0.0
    assert busy.slowdown(Settings(), 5, 2) == 1.0


@pytest.mark.parametrize(("others", "factor"), [(0.0, 1.0), (0.9, 1.0), (2.0, 2.53), (3.9, 3.99)])
def test_a_price_says_what_is_left_to_a_nice_worker(machine: Busy, others: float, factor: float) -> None:
    """Niceness 5 weighs a third of 0: beside one other on each of two cores a thread has a quarter of a core."""
    machine.spend(2, others=others)
    alone = busy.slowdown(Settings(), 5, 1)
    assert alone == pytest.approx(factor, rel=0.01)
    assert busy.slowdown(Settings(), 5, 2) == pytest.approx(alone**busy.TOGETHER)
    assert busy.slowdown(Settings(), 0, 1) == pytest.approx(1 if factor == 1 else 1 + others / 4, rel=0.01)


def test_an_estimate_says_both_the_time_alone_and_here(machine: Busy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "machine", lambda _: CPU)
    assert busy.adapted(ESTIMATE, Settings()) == ESTIMATE
    machine.spend(2, others=3.9)
    found = busy.adapted(ESTIMATE, Settings(worker_nice=0))
    assert found is not None
    assert found.seconds == 60.0
    assert found.text == "about 2 min, alone 60 s"
    assert replace(found, seconds=0.4).text == "about 1 s"
    monkeypatch.setattr(slots, "machine", lambda _: gpu())
    assert busy.adapted(ESTIMATE, Settings()) == ESTIMATE
    assert busy.adapted(None, Settings()) is None


def test_others_are_taken_to_compute_for_as_long_again_as_they_have(machine: Busy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a minute of work 8 s are done beside others, in 80; the rest is alone."""
    monkeypatch.setattr(slots, "machine", lambda _: CPU)
    monkeypatch.setattr(busy, "slowdown", lambda *_: 10.0)
    for load, of_quarter, lasts in ((4.0, 2.6, 900.0), (4.0, 2.4, 300.0), (0.0, 0.0, 60.0)):
        machine.load, machine.load_of_quarter = load, of_quarter
        assert busy.lasting(Settings()) == lasts
        within = busy.adapted(replace(ESTIMATE, seconds=lasts / 20), Settings())
        beyond = busy.adapted(replace(ESTIMATE, seconds=3600.0), Settings())
        assert within is not None
        assert within.busy == 10.0
        assert beyond is not None
        assert beyond.busy * 3600 == pytest.approx(lasts + 3600 - lasts / 10)
    for pid, age in ((11, 10.0), (12, 80.0), (13, 170.0)):
        machine.runs(pid, since=age)
    machine.runs(14, since=999.0, state="S")  # waits
    (machine.processes / "7" / "stat").write_text((machine.processes / "11" / "stat").read_text())  # our own worker
    assert busy.lasting(Settings()) == pytest.approx(80.0, abs=0.1)
    found = busy.adapted(ESTIMATE, Settings())
    assert found is not None
    assert found.busy * 60 == pytest.approx(80 + 52, abs=0.1)


def test_where_no_worker_is_alive_its_start_is_in_the_price(machine: Busy, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (CPU, gpu()):
        monkeypatch.setattr(slots, "machine", lambda _, each=each: replace(each, starting=5.0))
        assert busy.adapted(ESTIMATE, Settings()) == ESTIMATE
    monkeypatch.setattr(slots, "alive", lambda _: [])
    assert busy.adapted(ESTIMATE, Settings()) == replace(ESTIMATE, seconds=65.0)
    nothing = replace(ESTIMATE, seconds=0.0)
    assert busy.adapted(nothing, Settings()) == nothing


def test_a_system_that_does_not_say_what_it_does_is_not_busy(machine: Busy) -> None:
    (machine.processes / "stat").write_text("cpu  1\n", encoding="ascii")
    assert busy.others(Settings()) == 0.0
    (machine.processes / "stat").unlink()
    assert busy.slowdown(Settings(), 5, 2) == 1.0


def test_this_machine_is_looked_at() -> None:
    assert 0.0 <= busy.others(Settings()) < 1000


def test_what_a_process_waited_for_is_what_the_system_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for thread, text in {"1": "4000000000 1000000000 9\n", "2": "2000000000 5000000000 3\n", "3": ""}.items():
        (tmp_path / thread).mkdir()
        (tmp_path / thread / "schedstat").write_text(text, encoding="ascii")
    monkeypatch.setattr(busy, "THREADS", tmp_path)
    assert busy.turns() == busy.Turns(6.0, 6.0)
    assert busy.turns().slowdown_since(busy.Turns(0.0, 0.0)) == 2.0
    assert busy.turns().slowdown_since(busy.Turns(4.0, 0.0)) == 4.0
    assert busy.turns().slowdown_since(busy.Turns(4.0, 0.0), threads=2) == 4.0**busy.TOGETHER  # one waits for the other
    assert busy.turns().slowdown_since(busy.turns()) == 1.0  # nothing ran
    assert busy.Turns(8.0, 5.0).slowdown_since(busy.turns()) == 1.0  # a thread that ended took its own with it
    monkeypatch.setattr(busy, "THREADS", tmp_path / "none")
    assert busy.turns() == busy.Turns(0.0, 0.0)


def test_what_threads_wait_for_one_another_on_a_quiet_machine_is_no_slowdown() -> None:
    """Shards of a quiet machine were noted as a fifth shorter than they took, and so promised."""
    before = Turns(10.0, 1.0)
    assert Turns(20.0, 3.0).slowdown_since(before, threads=2) == 1.0  # 1.2 to the power of 1.25
    assert Turns(20.0, 4.0).slowdown_since(before, threads=1) == pytest.approx(1.3)
    assert Turns(20.0, 4.0).slowdown_since(before, threads=2) == pytest.approx(1.3**TOGETHER)
