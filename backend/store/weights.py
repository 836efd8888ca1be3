"""Fine-tuned models kept on request, one folder each: `<workspace>/weights/<spec id>/`.

`transformers` loads the folder; `about.json` in it says what the model is. A folder is there whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.files import named, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FOLDER, ABOUT = "weights", "about.json"


@dataclass(frozen=True)
class KeptModel:
    """A kept model and what it says of itself."""

    folder: Path
    provenance: Mapping[str, Any]


def path(workspace: Path, spec_id: str) -> Path:
    """Return the model's folder, whether it is there or not."""
    return workspace / FOLDER / named(spec_id)


def load(spec_id: str, workspaces: Sequence[Path]) -> KeptModel | None:
    """The saved model of a spec, from the first workspace that has it; None where none has, or what is there is not whole."""
    for workspace in workspaces:
        folder = path(workspace, spec_id)
        try:
            provenance = parse_json((folder / ABOUT).read_bytes())
            if isinstance(provenance, dict) and all((folder / name).is_file() for name in provenance.get("files", [])):
                return KeptModel(folder, provenance)
        except (OSError, ValueError, TypeError):
            continue
    return None
