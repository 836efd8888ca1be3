"""Kept models whose weights are not here: entries that came with scores alone, as one of the demo's does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.models.library.library import entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import BaseModel

    from backend.models.entry import Model


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
    asked = _checkpoints(request.model_dump(mode="json"))
    return next((known[each["fingerprint"]] for each in asked if _gone(each) and each["fingerprint"] in known), None)


def _gone(checkpoint: dict[str, Any]) -> bool:
    return checkpoint.get("source") != "hub" and not Path(str(checkpoint.get("location"))).exists()


def _checkpoints(value: Any) -> Iterator[dict[str, Any]]:
    match value:
        case {"fingerprint": _, "location": _}:
            yield value
        case dict():
            for each in value.values():
                yield from _checkpoints(each)
        case list():
            for each in value:
                yield from _checkpoints(each)
