"""Where the files of an atlas are written: what must not leave is refused before it is there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.atlas import private
from isogloss.backend.files import TEMPORARY

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Folder:
    """Where an atlas is written. A text that says what must not leave is refused before it is there."""

    path: Path
    pattern: Any
    """`private.refused`."""

    def text(self, name: str, text: str) -> None:
        """Write a text in UTF-8. Raises `StoreError` where it says what must not leave."""
        private.check(text, self.pattern, name)
        self.binary(name, text.encode("utf-8", "replace"))

    def script(self, name: str, value: Any) -> None:
        """Write data as a script of letters of ASCII alone, none of which ends a script's element."""
        said = json.dumps(value, ensure_ascii=False)
        private.check(said, self.pattern, f"data/{name}.js")
        text = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
        self.binary(f"data/{name}.js", f'atlas.bring("{name}",{text});\n'.encode("ascii"))

    def checked(self, name: str, content: bytes) -> None:
        """Write a file whose bytes are text. Raises `StoreError` where it says what must not leave."""
        private.check(content.decode("utf-8", "replace"), self.pattern, name)
        self.binary(name, content)

    def binary(self, name: str, content: bytes) -> None:
        """Write a file, and the folders that it lies in: it is there whole, or not at all."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{TEMPORARY}{path.name}")
        beside.write_bytes(content)
        beside.replace(path)

    def has(self, name: str) -> bool:
        """Return whether a script of this name is there, of a build that was killed."""
        return (self.path / "data" / f"{name}.js").exists()
