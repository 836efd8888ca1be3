"""Kept models whose weights are not here: entries that came with scores alone, as one of the demo's does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.library.library import entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.models.entry import Model


def is_absent(model: Model) -> bool:
    """Return whether the entry names a published model in place of weights, and no checkpoint of it lies where it says."""
    return bool(model.published) and not any(Path(each.location).exists() for each in model.checkpoints)


def sentence(model: Model) -> str:
    """Say that the weights are not here, and how to get the model."""
    return (
        f"The weights of {model.name} are not here, only what was measured of it: "
        f"to measure more, add the published model, {model.published}, in Library → Models."
    )


def of_request(request: BaseModel, workspaces: Sequence[Path]) -> Model | None:
    """Return the model without weights that a spec asks to compute with; None where all its checkpoints may be there."""
    known = {each.fingerprint: model for model in entries(workspaces) if is_absent(model) for each in model.checkpoints}
    if not known:
        return None
    asked = (each for each in _checkpoints(request) if each.fingerprint in known)
    return next((known[each.fingerprint] for each in asked if each.source != "hub" and not Path(each.location).exists()), None)


def _checkpoints(value: Any) -> Iterator[Checkpoint]:
    match value:
        case Checkpoint():
            yield value
        case BaseModel():
            yield from _checkpoints(tuple(vars(value).values()))
        case tuple() | list():
            for each in value:
                yield from _checkpoints(each)
