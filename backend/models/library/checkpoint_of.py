"""Checkpoints as discovery finds them: where they lie, and what their names tell of the training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.files.fingerprint import hub_fingerprint
from isogloss.backend.models.files.shapes import Shape
from isogloss.backend.models.files.steps import parse

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.files.hub import Revision

Found = tuple[Checkpoint, Shape, int | None]
"""A checkpoint, the shape its configuration gives and its number of parameters (None: not known without loading it)."""


def hub(hub_id: str, revision: Revision) -> Checkpoint:
    """Return the checkpoint of a repository at a revision."""
    return Checkpoint(
        source="hub",
        location=hub_id,
        revision=revision.name,
        commit=revision.commit,
        label=revision.name if revision.name != "main" else hub_id.split("/")[-1],
        **told(hub_id, revision.name),
        fingerprint=hub_fingerprint(hub_id, revision.commit),
    )


def folder(path: Path, fingerprint: str) -> Checkpoint:
    """Return the checkpoint in a folder of `transformers`."""
    return Checkpoint(source="folder", location=str(path), label=path.name, **told(str(path)), fingerprint=fingerprint)


def fairseq(path: Path, fingerprint: str) -> Checkpoint:
    """Return the checkpoint in a file of fairseq."""
    return Checkpoint(source="fairseq", location=str(path), label=path.stem, **told(str(path)), fingerprint=fingerprint)


def told(location: str, revision: str | None = None) -> dict[str, Any]:
    """Return what the name tells of the place in the training, as fields of a `Checkpoint`."""
    place = parse(place_name(location, revision))
    return {"step": place.step, "stage": place.stage, "tokens": place.tokens}


def place_name(location: str, revision: str | None) -> str:
    """Return what tells a checkpoint's place in the training: its revision, else the name of its repository, folder or file.

    A series may be a repository a step (`owner/name-step1000`) or a folder a stage (`pretrain/checkpoint-500`).
    """
    if revision not in (None, "main"):
        return revision
    *above, name = location.split("/")
    if revision is None and above and not parse(name).stage and (stage := parse(above[-1]).stage):
        return f"{stage}/{name}"
    return name
