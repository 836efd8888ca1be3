"""The models a workspace keeps: one JSON file each, named by the hash of the model's name. No torch."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from isogloss.backend import people
from isogloss.backend.errors import ModelError, StoreError, did_you_mean
from isogloss.backend.files import digest, formerly, publish_json
from isogloss.backend.models.entry import Checkpoint, Model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FOLDER = "models"
MAX_NAME = 120


def entry_path(name: str, workspace: Path) -> Path:
    """Return the file of the model called `name`: its name is hashed, never used as a path."""
    return workspace / _FOLDER / f"{digest(name)}.json"


def keep(model: Model, workspace: Path) -> Path:
    """Keep `model` in `workspace`, in place of one of the same name. Weights are not copied.

    Checkpoints that lie inside the workspace are written relative to it, so that a workspace can be moved or shipped whole.
    Raises `StoreError` where the workspace cannot be written, `RefusedError` where whoever asks may not.
    """
    people.require("import")
    checkpoints = tuple(_relative(checkpoint, workspace) for checkpoint in model.checkpoints)
    path = entry_path(model.name, workspace)
    publish_json(path, model.model_copy(update={"checkpoints": checkpoints, "by": model.by or people.now().name}).model_dump())
    return path


def entries(workspaces: Sequence[Path]) -> list[Model]:
    """Return the kept models of all workspaces, by name; where two have the same name, the earlier workspace's.

    A file that is not a model is left out here and named by `problems`.
    """
    by_name: dict[str, Model] = {}
    for workspace, path in _files(workspaces):
        model = _read(path, workspace)
        if isinstance(model, Model):
            by_name.setdefault(model.name, model)
    return sorted(by_name.values(), key=lambda model: model.name.casefold())


def with_weights(workspaces: Sequence[Path]) -> list[Model]:
    """Return the kept models but for tokenisers alone: those that all but the family of tokenisers may be asked about."""
    return [model for model in entries(workspaces) if not model.tokeniser_alone]


def newest_first(workspace: Path) -> list[Model]:
    """Return the models that a workspace keeps, the one whose entry was written last first."""
    written = [
        (path.stat().st_mtime_ns, model)
        for _, path in _files([workspace])
        if isinstance(model := _read(path, workspace), Model)
    ]
    return [model for _, model in sorted(written, key=lambda each: each[0], reverse=True)]


def problems(workspaces: Sequence[Path]) -> list[str]:
    """Return a sentence for each file among the kept models that cannot be read."""
    return [read for workspace, path in _files(workspaces) if isinstance(read := _read(path, workspace), str)]


def load_entry(name: str, workspaces: Sequence[Path]) -> Model:
    """Return the kept model called `name`. Raises `ModelError` where there is none, or where its file cannot be read."""
    for workspace in workspaces:
        path = entry_path(name, workspace)
        if path.is_file():
            model = _read(path, workspace)
            if isinstance(model, str):
                raise ModelError(model)
            return model
    names = [model.name for model in entries(workspaces)]
    hint = did_you_mean(name, names) if names else "Add one on the Library page first."
    raise ModelError(f"There is no model '{name}' in the library. {hint}")


def rename(name: str, new: str, workspaces: Sequence[Path]) -> Model:
    """Give the model that the first of the workspaces keeps another name; its checkpoints, and so its scores, stay as they are.

    Raises `ModelError` where that workspace does not keep it, for a name that is empty, too long or not printable, and for one
    that another model of any workspace has; `StoreError` where the workspace cannot be written, `RefusedError` where whoever
    asks may not.
    """
    people.require("rename")
    workspace, new = workspaces[0], " ".join(new.split())
    if not entry_path(name, workspace).is_file():
        raise ModelError(f"This workspace has no model '{name}', so it cannot be renamed.")
    model = load_entry(name, [workspace])
    if not 1 <= len(new) <= MAX_NAME or not new.isprintable():
        raise ModelError(f"A model needs a name of 1 to {MAX_NAME} printable characters. Choose another name.")
    if any(each.name.casefold() == new.casefold() and each.name != name for each in entries(workspaces)):
        raise ModelError(f"Another model is called '{new}'. Choose another name, or rename that one.")
    renamed = model.model_copy(update={"name": new, "formerly": formerly(name, model.formerly, new)})
    keep(renamed, workspace)  # before the other goes: a killed process leaves it under both names, not under none
    if new != name:
        _remove(name, workspace)
    return renamed


def remove(name: str, workspace: Path) -> None:
    """Forget the model called `name`; its weights stay where they are, and so do the scores computed from them.

    Raises `ModelError` where this workspace does not keep it, `StoreError` where the workspace cannot be written,
    `RefusedError` where whoever asks may not.
    """
    people.require("remove")
    _remove(name, workspace)


def _remove(name: str, workspace: Path) -> None:
    try:
        entry_path(name, workspace).unlink()
    except FileNotFoundError as error:
        raise ModelError(f"This workspace has no model '{name}', so there is nothing to remove.") from error
    except OSError as error:
        raise StoreError(
            f"'{name}' could not be removed ({error.strerror}). Check that the workspace can be written."
        ) from error


def _files(workspaces: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    for workspace in workspaces:
        folder = workspace / _FOLDER
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            if not path.name.startswith("."):  # a file being written
                yield workspace, path


def _read(path: Path, workspace: Path) -> Model | str:
    try:
        return _parsed(path.read_bytes(), workspace)
    except (OSError, ValidationError, ModelError):
        return f"The saved model {path.name} in {path.parent} cannot be read. Add the model again, or delete the file."


@lru_cache(maxsize=256)
def _parsed(content: bytes, workspace: Path) -> Model:
    """Return the model, kept by its file's content: a page asks for all models at every turn, each of dozens of checkpoints."""
    model = Model.model_validate_json(content)
    return model.model_copy(update={"checkpoints": tuple(_absolute(each, workspace) for each in model.checkpoints)})


def _relative(checkpoint: Checkpoint, workspace: Path) -> Checkpoint:
    location, root = Path(checkpoint.location), workspace.resolve()
    if checkpoint.source == "hub" or not location.is_absolute() or not location.resolve().is_relative_to(root):
        return checkpoint
    return checkpoint.model_copy(update={"location": location.resolve().relative_to(root).as_posix()})


def _absolute(checkpoint: Checkpoint, workspace: Path) -> Checkpoint:
    if checkpoint.source == "hub" or Path(checkpoint.location).is_absolute():
        return checkpoint
    root = workspace.resolve()
    location = (root / checkpoint.location).resolve()
    if not location.is_relative_to(root):
        raise ModelError("A relative location leads out of its workspace.")
    return checkpoint.model_copy(update={"location": str(location)})
