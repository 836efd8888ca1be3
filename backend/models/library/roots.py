"""Folders and Hub ids that a line may name. On a page folders have bounds; whoever has a shell on the server needs none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files import hub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.settings import Settings


def of_pages(now: Settings, *, shared: bool) -> tuple[Path, ...] | None:
    """Return the folders that pages may read models from; None for any.

    Those that the operator names (`model_roots`), and the workspaces'. Where none are named, any while the one user is the
    operator, and none but the workspaces' once the dashboard is `shared`.
    """
    if now.model_roots is None and not shared:
        return None
    return (*(now.model_roots or ()), *now.workspaces)


def folder_below_roots(typed: str, roots: Sequence[Path] | None) -> Path | None:
    """Return the file or folder that a path names, resolved; None where there is none, or none that may be named.

    With `roots` the file system is asked about nothing outside them, so that an answer does not tell what lies there: `..` goes
    by the text of the path, `~` names nobody's home, and a link within that leads out of them leads nowhere.
    """
    if roots is None:
        path = Path(typed).expanduser()
        return path.resolve() if path.exists() else None
    path = Path(os.path.normpath(Path.cwd() / typed))
    if not any(path.is_relative_to(each) for root in roots for each in (Path(os.path.normpath(root)), root.resolve())):
        return None
    return path.resolve() if is_within(path, roots) and path.exists() else None


def is_within(path: Path, roots: Sequence[Path] | None) -> bool:
    """Return whether a path lies in one of the roots once its links are followed; so does any where there are none."""
    return roots is None or any(path.resolve().is_relative_to(root.resolve()) for root in roots)


def hub_id_of(line: str, roots: Sequence[Path] | None) -> tuple[str, str]:
    """Return the Hub id and revision ("" for none) that a line means which names no folder here.

    Raises `ModelError` where it looks like a path, or like neither.
    """
    if line.startswith(("/", "~", ".")) or line.endswith(".pt") or "\\" in line:
        raise ModelError(sentence(line, roots))
    hub_id, _, revision = line.removeprefix("https://huggingface.co/").partition("@")
    if not hub.is_hub_id(hub_id):
        raise ModelError(f"'{line}' is neither a folder on the server nor a Hub id (owner/name). Check the spelling.")
    return hub_id, revision


def sentence(typed: str, roots: Sequence[Path] | None) -> str:
    """Say that a path names nothing, in words that are the same whether something lies there outside the roots or not."""
    if roots is None:
        return f"There is no folder or file '{typed}' on the server. Check the path."
    return (
        f"There is no folder or file '{typed}' among those that pages may read models from: {', '.join(map(str, roots))}. "
        "Check the path, or ask who runs this server to add its folder to ISOGLOSS_MODEL_ROOTS."
    )
