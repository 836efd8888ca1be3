"""What to say where a device's memory is too small."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from backend.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def fitting(batch: int, device: torch.device) -> Iterator[None]:
    """Turn a device's lack of memory into a `ModelError` that says what to change."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"Training with batches of {batch} windows does not fit into the memory of {device}. "
            "Choose smaller batches, a smaller model or another device."
        ) from error
