"""Add one checkpoint to a kept model, however many processes add some to it at once. No torch."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.files import not_written
from isogloss.backend.locks import lock
from isogloss.backend.models.files.steps import in_order
from isogloss.backend.models.library.checkpoint_of import place_name, told
from isogloss.backend.models.library.library import entries, entry_path, keep, load_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from isogloss.backend.models.entry import Checkpoint, Model


def called(name: str, workspace: Path) -> Model | None:
    """Return the workspace's own model of this name, or the one that had it before it was renamed; None where there is none."""
    if entry_path(name, workspace).is_file():
        return load_entry(name, [workspace])
    return next((model for model in entries([workspace]) if name in model.formerly), None)


def add(found: Model, workspace: Path, *, location: str | None = None, by: str = "") -> tuple[Model, Checkpoint]:
    """Put the one checkpoint of `found` into the kept model of that name, in its order, or keep `found` where there is none.

    Returns the model as it is kept, and the checkpoint as it is in it: what is there already (by its content) stays as it is.
    `location`: where its weights lie for good, if not where `found` has them. One of the same label and other content was
    replaced: it is another checkpoint, and its label says so.

    Raises `ModelError` for a checkpoint of another shape, `StoreError` where the workspace cannot be written.
    """
    (new,) = found.checkpoints
    with _alone(found.name, workspace):
        model = called(found.name, workspace)
        if model is None:
            placed = _placed(new, location)
            first = found.model_copy(update={"checkpoints": (placed,), "by": by})
            keep(first, workspace)
            return first, placed
        for each in model.checkpoints:
            if each.fingerprint == new.fingerprint:
                return model, each
        _check_alike(model, found)
        label = _free_label(new.label, {each.label for each in model.checkpoints})
        placed = _placed(new, location).model_copy(update={"label": label})
        ordered = in_order([*model.checkpoints, placed], lambda each: place_name(each.location, each.revision))
        grown = model.model_copy(update={"checkpoints": tuple(ordered)})
        keep(grown, workspace)
        return grown, placed


def _placed(new: Checkpoint, location: str | None) -> Checkpoint:
    """Return a checkpoint as it lies for good: the folder above may name its stage."""
    if location is None:
        return new
    return new.model_copy(update={"location": location, **told(location, new.revision)})


@contextmanager
def _alone(name: str, workspace: Path) -> Iterator[None]:
    path = entry_path(name, workspace).with_suffix(".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = open(path, "a", encoding="utf-8")  # noqa: SIM115 — closed below
    except OSError as error:
        raise not_written(path, error, "workspace", "try again.") from error
    with handle:
        lock(handle)
        yield


def _check_alike(model: Model, found: Model) -> None:
    own, other = ((each.architecture, each.layers, each.dims) for each in (model, found))
    if own != other:
        raise ModelError(
            f"'{found.checkpoints[0].label}' ({other[0]}, {other[1]} layers of {other[2]}) is no checkpoint of '{model.name}' "
            f"({own[0]}, {own[1]} layers of {own[2]}). Watch it under another name."
        )


def _free_label(label: str, taken: set[str]) -> str:
    """Return the label, or what a checkpoint is called that took the place of one of that label."""
    place = 1
    free = label
    while free in taken:
        free = f"{label} (replaced)" if place == 1 else f"{label} (replaced {place})"
        place += 1
    return free
