"""What a watch measures: the spec of a run without its checkpoints, filled with one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.models.entry import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.experiments.spec import PerCheckpoint, Spec

TO_COME = Checkpoint(source="folder", location="/", label="to come", fingerprint="0" * 24)
"""In place of a checkpoint, while a run's options are chosen and there is none yet."""


def of(spec: Spec) -> dict[str, Any]:
    """Return what a watch keeps of the spec of a run. Raises `SpecError` for a run that is not of a model's checkpoints."""
    if not {"checkpoints", "model"} <= type(spec).model_fields.keys():
        raise SpecError(
            f"{registry.title(spec.model_dump(mode='json'))} is not measured at checkpoints. Watch another measure."
        )
    return {name: value for name, value in spec.model_dump(mode="json").items() if name not in ("checkpoints", "model")}


def filled(kept: Mapping[str, Any], model: str, checkpoint: Checkpoint) -> PerCheckpoint:
    """Return the spec that scores one checkpoint. Raises `SpecError` where the kept options are not understood any more."""
    found: Any = registry.parse({**kept, "model": model, "checkpoints": [checkpoint.model_dump(mode="json")]})
    return found  # type: ignore[no-any-return]
