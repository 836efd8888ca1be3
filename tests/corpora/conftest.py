"""What the tests of several readers use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.corpora.emergent.readers import InputFile, Options, read

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from tests.corpora.emergent.emergent_reading import Read


@pytest.fixture
def reading(tmp_path: Path) -> Read:
    """Reads text or bytes as a file of any name."""

    def run(content: str | bytes, name: str = "x", **options: Any) -> EmergentCorpus:
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read([InputFile(name, path)], Options(**options))

    return run
