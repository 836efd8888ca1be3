"""A cache that is bounded by bytes drops what was longest not asked for."""

from __future__ import annotations

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
    assert (cache.bytes, "a" in cache) == (0, False)


def test_what_is_too_large_or_fails_is_not_kept() -> None:
    cache: ByteCache[bytes] = ByteCache(10, len)
    assert cache.get("large", lambda: b"x" * 11) == b"x" * 11
    with pytest.raises(ZeroDivisionError):
        cache.get("fails", lambda: bytes(1 // 0))
    assert "large" not in cache
    assert "fails" not in cache
