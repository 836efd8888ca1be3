"""Kept models whose weights are not here: tokenisers alone, and entries that came with scores alone, as one of the demo's."""

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
    """Return whether it is a tokeniser alone, or names a published model and no checkpoint of it lies where it says."""
    return model.tokeniser_alone or (
        bool(model.published) and not any(Path(each.location).exists() for each in model.checkpoints)
    )


def sentence(model: Model) -> str:
    """Say that the weights are not here, and how to get the model."""
    if model.tokeniser_alone:
        return f"{model.name} is a tokeniser without weights: to measure more than how it cuts texts, add its model."
    return (
        f"The weights of {model.name} are not here, only what was measured of it: "
        f"to measure more, add the published model, {model.published}, in Library → Models."
    )


def of_request(request: BaseModel, workspaces: Sequence[Path]) -> Model | None:
    """Return the model without weights that a spec asks to compute with; None where all its checkpoints may be there.

    A spec whose `weights` is false needs none, only the tokeniser.
    """
    known = {each.fingerprint: model for model in entries(workspaces) if is_absent(model) for each in model.checkpoints}
    if not known:
        return None
    asked = (each for each in _checkpoints(request) if each.fingerprint in known)
    return next((known[each.fingerprint] for each in asked if _lacks(each, weights=getattr(request, "weights", True))), None)


def _lacks(checkpoint: Checkpoint, *, weights: bool) -> bool:
    """Return whether what is asked of a checkpoint is not here."""
    if checkpoint.part == "tokeniser":
        return weights
    return checkpoint.source != "hub" and not Path(checkpoint.location).exists()


def _checkpoints(value: Any) -> Iterator[Checkpoint]:
    match value:
        case Checkpoint():
            yield value
        case BaseModel():
            yield from _checkpoints(tuple(vars(value).values()))
        case tuple() | list():
            for each in value:
                yield from _checkpoints(each)
