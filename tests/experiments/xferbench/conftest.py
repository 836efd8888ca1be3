"""What the tests of XferBench runs share."""

from __future__ import annotations

import pytest

from tests.experiments.xferbench.small_xferbench import SmallXferBench, small_xferbench


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallXferBench:
    return small_xferbench(tmp_path_factory.mktemp("xferbench"))
