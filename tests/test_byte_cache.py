"""A cache that is bounded by bytes drops what was longest not asked for."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from isogloss.backend.byte_cache import ByteCache


def test_the_least_recently_used_goes_first() -> None:
    made: list[str] = []

    def get(key: str) -> str:
        def make() -> str:
            made.append(key)
            return key * 4

        return cache.get(key, make)

    cache: ByteCache[str] = ByteCache(10, len)
    assert [get("a"), get("b"), get("a")] == ["aaaa", "bbbb", "aaaa"]
    get("c")  # b goes
    get("a")
    assert made == ["a", "b", "c"]
    get("b")
    assert made == ["a", "b", "c", "b"]
    assert cache.bytes == 8
    cache.clear()
    assert (cache.bytes, cache.kept("a")) == (0, None)


def test_what_is_too_large_or_fails_is_not_kept() -> None:
    cache: ByteCache[bytes] = ByteCache(10, len)
    assert cache.get("large", lambda: b"x" * 11) == b"x" * 11
    with pytest.raises(ZeroDivisionError):
        cache.get("fails", lambda: bytes(1 // 0))
    assert cache.kept("large") is None
    assert cache.kept("fails") is None


def test_a_value_that_several_ask_for_meanwhile_is_made_once() -> None:
    cache: ByteCache[str] = ByteCache(100, len)
    made: list[str] = []
    all_ask = threading.Barrier(6)

    def make(key: str) -> str:
        made.append(key)
        time.sleep(0.05)
        return cache.get("of " + key, lambda: key * 2) + key

    def ask(place: int) -> str:
        all_ask.wait()
        key = "ab"[place % 2]
        return cache.get(key, lambda: make(key))

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(ask, range(6))) == ["aaa", "bbb"] * 3
    assert sorted(made) == ["a", "b"]
    assert not cache._making


def test_who_waits_for_what_fails_makes_it_anew() -> None:
    cache: ByteCache[str] = ByteCache(100, len)
    asked = threading.Event()
    made: list[int] = []

    def make() -> str:
        made.append(len(made))
        asked.wait(5)
        if made[-1] == 0:
            raise ZeroDivisionError
        return "x"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.get, "a", make)
        while not made:
            time.sleep(0.01)
        second = pool.submit(cache.get, "a", make)
        asked.set()
        assert second.result() == "x"
        assert isinstance(first.exception(), ZeroDivisionError)
    assert not cache._making


def test_a_thread_may_come_back_to_what_it_makes() -> None:
    """The same thread may come back to a key, as a recipe within a recipe does."""
    cache: ByteCache[str] = ByteCache(1, len)
    assert cache.get("a", lambda: cache.get("a", lambda: "xx") + "y") == "xxy"
    assert not cache._making
