"""A small workspace for the tests of what is kept beside scores."""

from __future__ import annotations

import pytest

from tests.experiments.alignment.small_words import Small, small


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return small(tmp_path_factory.mktemp("small"))
