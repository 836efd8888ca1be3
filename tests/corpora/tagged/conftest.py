"""Reading tagged text from files that a test writes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.corpora.tagged.tagged_reading import dropped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpora.tagged.tagged_reading import Drop


@pytest.fixture
def drop(tmp_path: Path) -> Drop:
    """Reads files by their names."""
    return partial(dropped, tmp_path)
