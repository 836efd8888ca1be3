"""Python that gives a figure's numbers again, to paste into a notebook in the repository's folder."""

from __future__ import annotations

from collections.abc import Sequence

from pages.measurements.abx_views.selection import Selection


def snippet(selection: Selection, call: str, fingerprints: Sequence[str] | None = None, **more: object) -> str:
    """Code that calls `backend.store.abx_views.<call>` on the files of this selection."""
    chosen = list(fingerprints) if fingerprints is not None else sorted(selection.covered)
    arguments = "".join(f", {name}={value!r}" for name, value in more.items())
    names = sorted({f"{path.parent.parent.parent.name}:{path.stem}" for path in selection.files})
    shards = ",\n    ".join(repr(name.split(":")[1]) for name in names)
    return (
        "from backend.settings import settings\n"
        "from backend.store import abx_views, scores\n\n"
        "shards = {\n    " + shards + ",\n}\n"
        "workspaces = [settings().workspace, settings().demo]\n"
        "files = [shard.path for shard in scores.shards(workspaces, 'abx') if shard.path.stem in shards]\n"
        f"languages = {list(selection.languages)!r}\n"
        f"checkpoints = {chosen!r}\n"
        f"frame = abx_views.{call}(files, languages, checkpoints{arguments})\n"
        "print(frame)\n"
    )
