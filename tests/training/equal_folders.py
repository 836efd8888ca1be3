"""Whether two runs left the same: files byte for byte, tensors to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from safetensors import safe_open

if TYPE_CHECKING:
    from pathlib import Path


def tensors_of(path: Path) -> tuple[dict[str, str] | None, dict[str, torch.Tensor]]:
    """The metadata and the tensors of a `.safetensors` file."""
    with safe_open(path, framework="pt") as file:
        return file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def assert_equal_tensors(one: Path, other: Path) -> None:
    """The same metadata and tensors in two `.safetensors` files, which list their metadata in any order."""
    (provenance, tensors), (provenance_other, others) = tensors_of(one), tensors_of(other)
    assert provenance == provenance_other
    assert tensors.keys() == others.keys()
    assert [key for key, value in tensors.items() if not torch.equal(value, others[key])] == []


def assert_equal_folders(one: Path, other: Path) -> None:
    """The same files, in folders within them too."""
    names = sorted(str(path.relative_to(one)) for path in one.rglob("*") if path.is_file())
    assert names == sorted(str(path.relative_to(other)) for path in other.rglob("*") if path.is_file())
    for name in names:
        if name.endswith(".safetensors"):
            assert_equal_tensors(one / name, other / name)
        else:
            assert (one / name).read_bytes() == (other / name).read_bytes(), name
