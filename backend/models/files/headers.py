"""What the header of a safetensors file says of the tensors in it, checked against the file itself. No torch.

The format: eight bytes of length (little-endian), as many bytes of JSON, then the tensors' bytes one after the other, without
gaps (https://github.com/huggingface/safetensors, "Format").
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from isogloss.backend.errors import ModelError
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST = 32 << 20
_MOST_DIMENSIONS = 8
_BITS = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("BOOL", "I8", "U8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E5M2FNUZ", "F8_E4M3FNUZ"), 8),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    "F4": 4,
}
"""Of one number, by what the format calls its kind."""


class Place(NamedTuple):
    """Where in its file a tensor lies."""

    name: str
    shape: list[int]
    kind: str
    """What the format calls its numbers: `F32`, `BF16` …"""
    begin: int
    end: int
    """Its first byte, and the byte after its last, counted from the file's beginning."""


def header(file: Path) -> list[tuple[str, list[int]]]:
    """Return the names and shapes of a safetensors file's tensors. Raises as `places`."""
    return [(place.name, place.shape) for place in places(file)]


def places(file: Path) -> list[Place]:
    """Return where the tensors of a safetensors file lie, in the order of their bytes.

    Raises `ModelError` where it is no such file, is not whole, or says of a tensor what its bytes do not bear out.
    """
    try:
        size = file.stat().st_size
        with open(file, "rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > _LONGEST:
                raise ValueError("its header is too long")
            said = parse_json(stream.read(length))
        if not isinstance(said, dict):
            raise ValueError("its header is no JSON object")
        said.pop("__metadata__", None)
        parts = sorted((_part(name, entry) for name, entry in said.items()), key=lambda part: part[3:])
        _check_whole(parts, size - 8 - length)
    except (OSError, ValueError, struct.error) as error:
        raise ModelError(f"{file.name} is not a whole safetensors file ({error}). Download or save the model again.") from error
    return [part._replace(begin=part.begin + 8 + length, end=part.end + 8 + length) for part in parts]


def _part(name: str, entry: Any) -> Place:
    """Read one entry; its bytes are counted from the header's end. Raises ValueError where what it says contradicts itself."""
    shown = f"tensor {name[:80]!r}"
    match entry:
        case {"dtype": str(kind), "shape": list(shape), "data_offsets": [begin, end]}:
            pass
        case _:
            raise ValueError(f"{shown} has no dtype, shape and offsets")
    if any(type(number) is not int or number < 0 for number in (*shape, begin, end)):
        raise ValueError(f"the shape and offsets of {shown} are not whole numbers from 0")
    if len(shape) > _MOST_DIMENSIONS or (bits := _BITS.get(kind)) is None:
        raise ValueError(f"{shown} has {len(shape)} dimensions of kind {kind[:20]!r}")
    if math.prod(shape) * bits != (end - begin) * 8:
        raise ValueError(f"{shown} of shape {str(shape)[:80]} and kind {kind} does not take its bytes")
    return Place(name, shape, kind, begin, end)


def _check_whole(parts: list[Place], size: int) -> None:
    """Raise ValueError where the tensors do not fill the file from its header to its end, each after the one before."""
    reached = 0
    for part in parts:
        if part.begin != reached:
            raise ValueError(f"tensor {part.name[:80]!r} does not begin where the one before it ends")
        reached = part.end
    if reached != size:
        raise ValueError("its tensors do not end where it ends")
