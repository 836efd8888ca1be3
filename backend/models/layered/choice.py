"""Whether a model is run layer by layer: where it does not fit into the memory there is, and only vectors are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.backend.errors import ModelError
from isogloss.backend.models import memory
from isogloss.backend.models.files.quantised import is_quantised
from isogloss.backend.models.layered.skeleton import refuse_untried

if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from isogloss.backend.models.files.weights import ModelFiles
    from isogloss.backend.models.layered.skeleton import Skeleton
    from isogloss.backend.settings import Settings

SCRATCH = "scratch"
"""The folder of the workspace where activations go that memory has no room for: in files without a name, which end with us."""


@dataclass(frozen=True)
class Layered:
    """What a model that is run layer by layer has beside its module."""

    skeleton: Skeleton
    scratch: Path
    """The folder for activations."""
    why: str
    """Why it is run so, for people to read."""


def why_in_layers(
    files: ModelFiles, device: torch.device, dtype: torch.dtype, settings: Settings, *, can_be: bool
) -> str | None:
    """Return why a model is run layer by layer; None where it is run whole.

    `can_be`: nothing but its vectors is asked for. Raises `ModelError` where it neither fits nor can be run so.
    """
    if files.parameters is None or is_quantised(files.config):  # what they take in memory is not known before
        return None
    free = memory.allowed(memory.free(device), settings.memory_gib)
    precision = str(dtype).removeprefix("torch.")
    if memory.fits(files.parameters, precision, device.type, free):
        return None
    size = files.parameters * dtype.itemsize
    why = f"{memory.said(size)} of weights ({precision}), {memory.said(free)} of memory free on {device}"
    if size <= free and not (can_be and files.shape.architecture in memory.TRIED):
        return None  # it may just fit
    if not can_be:
        raise ModelError(
            f"{files.shown} does not fit into the memory: {why}. Only vectors of texts are computed layer by layer. "
            "Choose a smaller model or another device."
        )
    refuse_untried(files)
    return f"run layer by layer: {why}"
