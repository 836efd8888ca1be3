"""Pre-trained language models, one folder each: `<workspace>/bases/<key>/`, which `transformers` loads too.

A folder is there whole or not at all; `about.json` in it has the digest of its weights and says what the model is.
"""

from __future__ import annotations

import shutil
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import file_digest, named, parse_json, publish_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FOLDER, ABOUT, WEIGHTS = "bases", "about.json", "model.safetensors"


def path(workspace: Path, key: str) -> Path:
    """Return the model's folder, whether it is there or not."""
    return workspace / FOLDER / named(key)


def load(key: str, workspaces: Sequence[Path]) -> Path | None:
    """The folder of a base model, from the first workspace that has it whole; None where none has. Cheap to ask again."""
    return next((folder for workspace in workspaces if _whole(folder := path(workspace, key))), None)


def provenance(folder: Path) -> dict[str, Any]:
    """Return what the model in a folder that `load` returned says of itself."""
    found: dict[str, Any] = parse_json((folder / ABOUT).read_bytes())
    return found


def fill(folder: Path, model: Path, provenance: Mapping[str, Any]) -> None:
    """Copy the files of `model` into `folder`, and say what they are. The caller publishes the folder."""
    for file in sorted(model.iterdir()):
        shutil.copy2(file, folder / file.name)
    publish_json(folder / ABOUT, dict(provenance) | {"weights": file_digest(folder / WEIGHTS)})


def _whole(folder: Path) -> bool:
    """Return whether all is there, and the weights are those that were written."""
    try:
        digest = provenance(folder)["weights"]
        stat = (folder / WEIGHTS).stat()
        return bool(_digest(folder / WEIGHTS, stat.st_mtime_ns, stat.st_size) == digest)
    except (OSError, ValueError, KeyError, TypeError):
        return False


@lru_cache(maxsize=4096)
def _digest(file: Path, _modified: int, _size: int) -> str:
    """Hash the file's content, read once a process and change."""
    return file_digest(file)
