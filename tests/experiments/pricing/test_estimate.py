"""Prices: the median of earlier shards on such a machine times what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.pricing.estimate import (
    RECENT,
    SAMPLED,
    Estimate,
    Work,
    duration,
    estimate,
    kept_in_words,
    sampled,
)
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.store import times
from isogloss.backend.store.times import Taken
from tests.experiments.machines import CPU, gpu, taken

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def seconds(works: Sequence[Work], *earlier: Taken) -> float | None:
    found = estimate(works, earlier, CPU)
    return None if found is None else found.seconds


def work(amount: float, *like: str) -> Work:
    return Work(amount, like or ("encoding",))


@given(st.floats(1e-3, 1e12), st.floats(1e-3, 1e12), st.floats(1e-3, 1e5), st.integers(1, 50))
def test_time_is_in_proportion_to_the_work(amount: float, of_earlier: float, took: float, shards: int) -> None:
    one = seconds([work(amount)], taken(took, of_earlier))
    assert one == pytest.approx(took * amount / of_earlier)
    assert seconds([work(2 * amount)], taken(took, of_earlier)) == pytest.approx(2 * one)
    assert seconds([work(amount)] * shards, taken(took, of_earlier)) == pytest.approx(shards * one)


def test_of_thousands_of_shards_some_are_looked_at_and_all_are_priced() -> None:
    shards = [str(number) for number in range(5000)]
    assert sampled(shards[:SAMPLED]) == (shards[:SAMPLED], SAMPLED)
    some, number = sampled(shards)
    assert (len(set(some)), number) == (SAMPLED, 5000)
    assert set(some) < set(shards)
    assert sampled(shards) == (some, number)  # a price is the same when it is drawn again
    works = [Work(1.0, ("encoding",), kept=each % 2, needed=2) for each in range(SAMPLED)]
    found = estimate(works, [taken(3.0, 1.0)], CPU, 5000)
    assert found
    assert (found.seconds, found.shards) == (15000.0, 5000)
    assert found.kept == "about 25% of the vectors are kept: the others are encoded"


def test_nothing_missing_takes_no_time() -> None:
    assert estimate([], [], CPU) == Estimate(0.0, 0)
    assert seconds([work(0.0)]) == 0.0


def test_what_was_never_done_here_has_no_price() -> None:
    assert seconds([work(1.0)]) is None
    assert seconds([work(1.0)], taken(1.0, 1.0, "scoring")) is None
    assert seconds([work(1.0), work(1.0, "scoring")], taken(1.0, 1.0, "scoring")) is None


@pytest.mark.parametrize(
    "other", [gpu(), replace(CPU, threads=4), replace(CPU, processor="EPYC 7763"), replace(CPU, processor="")]
)
def test_shards_of_another_machine_do_not_serve(other: object) -> None:
    assert isinstance(other, type(CPU))
    assert seconds([work(1.0)], taken(1.0, machine=other)) is None
    assert seconds([work(1.0)], taken(1.0, machine=other), taken(7.0)) == 7.0
    beside = estimate([work(1.0)], [taken(3.0, machine=gpu())], replace(gpu(), processor="EPYC 7763", threads=1))
    assert beside is not None  # of a GPU its name decides
    assert beside.seconds == 3.0


def test_one_very_slow_shard_spoils_nothing_and_the_newest_count() -> None:
    assert seconds([work(1.0)], taken(2.0), taken(900.0), taken(2.2)) == 2.2
    old, new = [taken(50.0)] * 20, [taken(1.0 + i / 10) for i in range(RECENT)]
    assert seconds([work(1.0)], *old, *new) == pytest.approx(1.2)


def test_the_most_alike_shards_tell() -> None:
    """Model before data before options; and of equals those of the size, since small ones are mostly starting."""
    earlier = [
        taken(5.0, 1.0, "encoding", "m", "c", "exact"),
        taken(7.0, 1.0, "encoding", "m", "d", "exact"),
        taken(9.0, 1.0, "encoding", "n", "c", "exact"),
    ]
    for like, expected in (
        (("m", "c", "exact"), 5.0),
        (("m", "c", "first"), 5.0),
        (("m", "e", "exact"), 6.0),
        (("n", "d", "first"), 9.0),
        (("o", "c", "exact"), 7.0),
    ):
        assert seconds([work(1.0, "encoding", *like)], *earlier) == expected, like
    small, large = [taken(2.0, 1.0)] * RECENT, [taken(50.0, 100.0)] * RECENT
    assert seconds([work(90.0)], *large, *small) == pytest.approx(45.0)
    assert seconds([work(1.5)], *small, *large) == pytest.approx(3.0)
    assert seconds([work(800.0)], taken(9.0, 1.0), taken(16.0, 8.0)) == pytest.approx(1600.0)  # not the median of both paces


def test_times_are_noted_and_read_again(tmp_path: Path) -> None:
    assert times.load(tmp_path, "abx") == []
    for i in range(1, times.KEPT + 3):
        times.add(tmp_path, "abx", taken(float(i)))
    found = times.load(tmp_path, "abx")
    assert (found[0], found[-1], len(found)) == (taken(3.0), taken(times.KEPT + 2.0), times.KEPT)
    assert times.load(tmp_path, "transfer") == []


@pytest.mark.parametrize("text", ["", "{}", '[{"seconds": 1}]', "[1]", "\xff"])
def test_a_file_of_another_kind_is_no_file(tmp_path: Path, text: str) -> None:
    path = times.path(tmp_path, "abx")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="latin-1")
    assert times.load(tmp_path, "abx") == []
    times.add(tmp_path, "abx", taken(1.0))
    assert times.load(tmp_path, "abx") == [taken(1.0)]


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf")])
def test_no_time_and_no_number_are_never_noted(wrong: float) -> None:
    for numbers in ((wrong, 1.0), (1.0, wrong)):
        with pytest.raises(ValueError, match=r"greater than 0|finite"):
            Taken(*numbers, ("encoding",), "")


def test_a_price_needs_a_machine_that_did_the_like_and_what_is_asked_about(tmp_path: Path) -> None:
    one = Checkpoint(source="folder", location="/m", label="m", fingerprint="f" * 24)
    spec = AbxSpec(model="m", checkpoints=(one,), corpus="c" * 24, languages=("de", "en"))
    assert registry.price(spec, None, [tmp_path]) is None
    assert registry.price(spec, CPU, [tmp_path]) is None
    times.add(tmp_path, "abx", taken(1.0, 1.0, "encoding, exact"))
    assert registry.price(spec, CPU, [tmp_path]) is None  # neither model nor corpus is kept
    assert registry.price(spec, CPU, [tmp_path], []) == Estimate(0.0, 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.2, "1 s"), (8, "8 s"), (180, "3 min"), (4800, "80 min"), (7300, "2 h 2 min"), (2e5, "2 days"), (9e5, "10 days")],
)
def test_seconds_are_said_as_people_say_them(value: float, text: str) -> None:
    assert duration(value) == text


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([], ""),
        ([(0, 2), (0, 2)], ""),
        ([(2, 2), (2, 2)], "all vectors are kept: nothing is encoded"),
        ([(1, 2), (1, 2)], "vectors of 1 of 2 languages are kept: the others are encoded"),
        ([(0, 2), (2, 2), (2, 2)], "vectors of 2 of 3 checkpoints are kept: the others are encoded"),
        ([(0, 2), (1, 2), (2, 2)], "vectors of 3 of 6 languages × checkpoints are kept: the others are encoded"),
    ],
)
def test_what_is_kept_is_said_as_shortly_as_it_can_be(counts: list[tuple[int, int]], words: str) -> None:
    assert kept_in_words(counts) == words


def test_what_takes_as_long_for_little_work_as_for_much_is_not_multiplied() -> None:
    """Loading took 5 of 13 seconds: a tenth of the work is no tenth of the time."""
    earlier = [replace(taken(13.0, 80.0), start=5.0)]
    for amount, seconds in ((8.0, 5.8), (80.0, 13.0), (800.0, 85.0)):
        found = estimate([Work(amount, ("encoding",))] * 2, earlier, CPU)
        assert found is not None
        assert found.seconds == pytest.approx(2 * seconds)


def test_what_is_done_besides_is_added_by_shards_of_its_own_kind() -> None:
    """One of four languages is encoded (a quarter of 20 s, after 5 s of loading), and all four are scored (8 s alone)."""
    earlier = [replace(taken(25.0, 80.0), start=5.0), taken(8.0, 400.0, "scoring")]
    work = Work(20.0, ("encoding",), beside=Work(300.0, ("scoring",)))
    assert seconds([work], *earlier) == pytest.approx(5 + 20 / 4 + 8 * 3 / 4)
    assert seconds([work], earlier[0]) == pytest.approx(10)  # nothing tells how long scoring takes


def test_shards_of_a_quiet_machine_tell_more_than_newer_ones_of_a_busy_one() -> None:
    quiet = [taken(10.0, 1.0), replace(taken(11.0, 1.0), slowdown=1.2)] * 3
    busy = [replace(taken(30.0, 1.0), slowdown=4.0)] * 9
    for earlier, seconds in ((quiet + busy, 10.0), (busy, 30.0)):
        found = estimate([Work(1.0, ("encoding",))], earlier, CPU)
        assert found is not None
        assert found.seconds == pytest.approx(seconds, rel=0.1)


def test_work_that_may_end_early_costs_at_most_what_longer_runs_took() -> None:
    """Runs that are stopped alike tell how early; others, which went on, give a bound."""
    work = Work(100.0, ("fine-tuning", "80 epochs", "large", "news"), may_end=True)
    on = Taken(50.0, 100.0, ("fine-tuning", "5 epochs", "large", "news"), CPU.alike)
    stopped = Taken(6.0, 100.0, ("fine-tuning", "80 epochs", "small", "tales"), CPU.alike)
    bound, told = estimate([work], [on], CPU), estimate([work], [on, stopped], CPU)
    assert bound is not None
    assert told is not None
    assert (bound.text, told.text) == ("at most 50 s", "about 6 s")
    whole = estimate([Work(100.0, work.like)], [on], CPU)
    assert whole is not None
    assert whole.text == "about 50 s"
