"""Where activations lie between two layers: in memory as far as there is some, then in a file without a name."""

from __future__ import annotations

import mmap
import os
import tempfile
import warnings
from typing import TYPE_CHECKING

import torch

from isogloss.backend.device_memory import pinned
from isogloss.backend.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Hashable
    from pathlib import Path

    from torch import Tensor


class Shelf:
    """Room on the host for the activations of many batches; used as a context manager, after which all of it is gone."""

    def __init__(self, folder: Path, in_memory: int, *, pin: bool) -> None:
        """Take at most `in_memory` bytes of memory, pinned where a GPU copies to them (`pin`), and then a file in `folder`."""
        self._left, self._pin, self._length = in_memory, pin, 0
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self.in_file = 0
        """Bytes that lie in the file."""

    def __enter__(self) -> Shelf:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def room_for(self, tensor: Tensor) -> Tensor:
        """Return room of a tensor's shape and kind, on the host. Raises `ModelError` where the disk is full."""
        size = max(1, tensor.numel() * tensor.element_size())
        if size <= self._left:
            self._left -= size
            return pinned(tensor.shape, tensor.dtype) if self._pin else torch.empty_like(tensor, device="cpu")
        begin = -(-self._length // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        try:
            self._take(begin, size)
        except OSError as error:
            raise ModelError(
                f"The disk has no room for the activations between two layers ({error.strerror}). Free some, or ask for fewer "
                "languages or sentences."
            ) from error
        self._length, self.in_file = begin + size, self.in_file + size
        held = mmap.mmap(self._file.fileno(), size, offset=begin)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return torch.frombuffer(held, dtype=tensor.dtype, count=tensor.numel()).view(tensor.shape)

    def _take(self, begin: int, size: int) -> None:
        """Make the file longer, with its room on the disk where the system can be asked: a write to a mapping fails badly."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._file.fileno(), begin, size)
        else:
            self._file.truncate(begin + size)


class Berth:
    """What one batch has on the shelf, each in a place of its own that is written again from layer to layer."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._places: dict[Hashable, Tensor] = {}

    def keep(self, place: Hashable, tensor: Tensor) -> Tensor:
        """Copy a tensor to its place and return it there; one that lies here already is returned as it is."""
        if any(tensor.data_ptr() == each.data_ptr() and tensor.shape == each.shape for each in self._places.values()):
            return tensor
        there = self._places.get(place)
        if there is None or there.shape != tensor.shape or there.dtype != tensor.dtype:
            there = self._places[place] = self._shelf.room_for(tensor)
        return there.copy_(tensor)
