"""The weights of a folder where they lie: each tensor mapped from its safetensors file when it is needed, and let go after."""

from __future__ import annotations

import math
import mmap
import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import WeightConverter, WeightRenaming, rename_source_key

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.headers import Place, places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from torch import Tensor

    from isogloss.backend.models.files.weights import ModelFiles

KINDS = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
PIECE = 128 * 2**10
"""Bytes that the system is asked for at once."""


@dataclass(frozen=True)
class Lying:
    """Where one tensor lies."""

    file: Path
    place: Place

    def mapped(self) -> Tensor:
        """Return the tensor as it lies in the file, mapped and read by whoever reads it: nothing is copied. Not to be written.

        Two bytes of one page may be of two tensors: whole pages are mapped. They are unmapped with the tensor.
        """
        skipped = self.place.begin % mmap.ALLOCATIONGRANULARITY
        begin = self.place.begin - skipped
        with open(self.file, "rb") as opened:
            held = mmap.mmap(opened.fileno(), self.place.end - begin, access=mmap.ACCESS_READ, offset=begin)
        count = math.prod(self.place.shape)
        with warnings.catch_warnings():  # that it cannot be written is what is wanted
            warnings.simplefilter("ignore", UserWarning)
            flat = torch.frombuffer(held, dtype=KINDS[self.place.kind], count=count, offset=skipped)
        return flat.view(self.place.shape)


def where_they_lie(model: Any, files: ModelFiles) -> dict[str, Lying]:
    """Return where each weight of `model` lies, by its name in the model, as `transformers` matches names.

    Raises `ModelError` where a weight is missing, of another shape, made of several in the files, or of a kind that is not run.
    """
    shown, wanted = files.shown, model.state_dict()
    found = {name: lying for name, lying in _renamed(model, files, wanted).items() if name in wanted}
    for name, of in getattr(model, "all_tied_weights_keys", {}).items():
        if name in wanted and name not in found and of in found:
            found[name] = found[of]
    for name, lying in found.items():
        if list(wanted[name].shape) != lying.place.shape or lying.place.kind not in KINDS:
            raise ModelError(
                f"{shown} cannot be run layer by layer: its weight {name} of shape {lying.place.shape} and kind "
                f"{lying.place.kind} is run in another form. Choose a device into which the whole model fits."
            )
    lacking = {name for name, _ in model.named_parameters()} - found.keys()
    lacking = {name for name in lacking if "pooler" not in name and not (files.shape.encoder_decoder and "decoder." in name)}
    if lacking:
        raise ModelError(
            f"The weights of {shown} do not fit its config.json: {len(lacking)} are missing, {min(lacking)} among them. "
            "Save the model again."
        )
    return found


def _renamed(model: Any, files: ModelFiles, wanted: Mapping[str, Tensor]) -> dict[str, Lying]:
    mapping = get_model_conversion_mapping(model)
    renamings = [each for each in mapping if isinstance(each, WeightRenaming)]
    converters = [each for each in mapping if isinstance(each, WeightConverter)]
    found: dict[str, Lying] = {}
    for file in files.weights:
        for place in places(file):
            name, converted = rename_source_key(place.name, renamings, converters, model.base_model_prefix, dict(wanted))
            if converted is not None:
                raise ModelError(
                    f"{files.shown} cannot be run layer by layer: its weight {place.name[:80]} is changed while it is loaded. "
                    "Choose a device into which the whole model fits."
                )
            found[name] = Lying(file, place)
    return found


def ask_ahead(lying: Iterable[Lying]) -> None:
    """Ask the system to read these into its cache meanwhile, where it can be asked: piece by piece, since it reads no more."""
    if not hasattr(os, "posix_fadvise"):
        return
    for each in lying:
        with open(each.file, "rb") as opened:
            for begin in range(each.place.begin, each.place.end, PIECE):
                os.posix_fadvise(opened.fileno(), begin, min(PIECE, each.place.end - begin), os.POSIX_FADV_WILLNEED)
