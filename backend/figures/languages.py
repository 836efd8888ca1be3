"""What figures say of languages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pandas as pd

from backend.corpora.languages.languages import language

if TYPE_CHECKING:
    from collections.abc import Sequence


def language_table(tags: Sequence[str]) -> pd.DataFrame:
    """Return one row per language: tag, name, family, script (the name), right_to_left."""
    return _table(tuple(tags)).copy()


@lru_cache(maxsize=64)
def _table(tags: tuple[str, ...]) -> pd.DataFrame:
    found = [language(tag) for tag in tags]
    return pd.DataFrame(
        {
            "tag": list(tags),
            "name": [each.name for each in found],
            "family": [each.family for each in found],
            "script": [each.script_name for each in found],
            "right_to_left": [each.right_to_left for each in found],
        }
    )
