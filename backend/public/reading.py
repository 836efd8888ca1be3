"""Arrays as people have them (numpy, torch, lists of numbers) for the formulas: checked, and refused in one sentence."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

FLOATS = (np.float16, np.float32, np.float64)


def vectors(given: Any, name: str, shape: tuple[str, ...]) -> Tensor:
    """Return vectors as a tensor of the type and on the device that they have; whole numbers and bfloat16 as float32.

    Raises `SpecError` unless they have the axes that `shape` names, none of them empty, and are numbers.
    """
    import torch

    if isinstance(given, torch.Tensor):
        found = given.detach()
    else:
        array = np.asarray(given)
        if array.dtype.kind not in "fiu":
            raise SpecError(f"{name} must be numbers [{', '.join(shape)}], not {array.dtype} {list(array.shape)}.")
        found = torch.from_numpy(np.ascontiguousarray(array if array.dtype in FLOATS else array.astype(np.float32)))
    if found.dtype not in (torch.float16, torch.float32, torch.float64):
        found = found.float()
    if found.ndim != len(shape) or 0 in found.shape:
        raise SpecError(f"{name} must be [{', '.join(shape)}] with at least one of each, not {list(found.shape)}.")
    return found


def numbers(given: Any, name: str) -> np.ndarray[Any, np.dtype[Any]]:
    """Return numbers as a numpy array, of float64 where they are fractions. Raises `SpecError` for what are none."""
    array = np.asarray(given.detach().cpu().numpy() if hasattr(given, "detach") else given)
    if array.dtype.kind not in "fiub":
        raise SpecError(f"{name} must be numbers, not {array.dtype} {list(array.shape)}.")
    return array.astype(np.float64) if array.dtype.kind == "f" else array


@contextmanager
def in_words() -> Iterator[None]:
    """Say what the formulas refuse (a vector that is not finite, shapes that misfit) as an error of Isogloss."""
    try:
        yield
    except ValueError as error:
        raise SpecError(str(error)) from error
