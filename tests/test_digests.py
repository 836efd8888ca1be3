"""The hashes of many things at once are those of each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.files import digest, digests

LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner), max_leaves=6
)


@given(st.lists(st.dictionaries(st.text(max_size=2), VALUES, max_size=4), max_size=4), st.data())
def test_each_has_its_own_digest(values: list[dict[str, object]], data: st.DataObject) -> None:
    shared = [value | data.draw(st.sampled_from(values)) for value in values]  # the same objects in several
    for several in (values, shared, [{"a": 1}, {"a": True}, {"a": 1.0}, {"a": [1]}, {"a": [True]}]):
        assert digests(several) == [digest(each) for each in several]
