"""Where the weights of a run lie now: the copy that a watch scored is gone afterwards, and its model says where they stay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from isogloss.backend.models.library.library import entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.experiments.spec import Spec

    AnySpec = TypeVar("AnySpec", bound=Spec)


def found_again(spec: AnySpec, workspaces: Sequence[Path]) -> AnySpec:
    """Return the spec with each checkpoint whose folder is gone where a kept model has the same content; it is the same run.

    One that no model has elsewhere stays as it is: its run says that it is gone.
    """
    checkpoints = getattr(spec, "checkpoints", ())
    gone = {each.fingerprint for each in checkpoints if each.source != "hub" and not Path(each.location).exists()}
    if not gone:
        return spec
    there = {
        each.fingerprint: each.location
        for model in entries(workspaces)
        for each in model.checkpoints
        if each.fingerprint in gone and Path(each.location).exists()
    }
    placed = [each.model_copy(update={"location": there.get(each.fingerprint, each.location)}) for each in checkpoints]
    return spec.model_copy(update={"checkpoints": tuple(placed)})
