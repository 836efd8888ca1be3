"""Values that Streamlit's caches know by a key: hashing them would take longer than making what is cached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd
import streamlit as st

from isogloss.backend.files import digest

T = TypeVar("T")


@dataclass(frozen=True)
class Keyed(Generic[T]):
    """A value and what stands for it: equal keys mean equal values."""

    key: str
    value: T


BY_KEY: dict[str | type[Any], Callable[[Any], Any]] = {Keyed: attrgetter("key")}
"""`hash_funcs` of a cache that takes such values."""


def rows(query: Callable[..., pd.DataFrame], files: Sequence[tuple[Path, float]], **arguments: Any) -> pd.DataFrame:
    """What `query` makes of the files (each with when it was published) and the arguments, from the cache where it is there."""
    paths = list(dict.fromkeys(path for path, _ in files))
    key = digest([query.__module__, query.__name__, sorted((str(path), modified) for path, modified in files)])
    return _rows(Keyed(key, paths), query, arguments)


@st.cache_data(show_spinner=False, max_entries=1024, hash_funcs=BY_KEY)
def _rows(paths: Keyed[list[Path]], _query: Callable[..., pd.DataFrame], arguments: dict[str, Any]) -> pd.DataFrame:
    return _query(paths.value, **arguments)
