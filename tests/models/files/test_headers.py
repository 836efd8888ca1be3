"""Safetensors files whose header contradicts itself or the file, in the ways that the format's own library refuses as well."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

import pytest
from safetensors import SafetensorError, safe_open

from isogloss.backend.errors import ModelError
from isogloss.backend.models.files.headers import header
from isogloss.backend.models.files.weights import ModelFiles
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path


def tensor(shape: Any = (4,), begin: Any = 0, end: Any = 4, kind: Any = "U8", **more: Any) -> dict[str, Any]:
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end], **more}


def written(folder: Path, said: Any, bytes_: int = 4, length: int | None = None) -> Path:
    text = said if isinstance(said, bytes) else json.dumps(said).encode()
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + b"\0" * bytes_)
    return path


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        ({"a": tensor()}, 4),
        ({"__metadata__": {"format": "pt"}, "b": tensor(begin=4, end=8), "a": tensor()}, 8),
        ({"a": tensor([2, 2]), "empty": tensor([0, 7], 4, 4)}, 4),
        ({"scalar": tensor([], 0, 8, "F64")}, 8),
        ({"a": tensor([4, 2], 0, 4, "F4"), "b": tensor([1], 4, 6, "BF16"), "c": tensor([1], 6, 7, "F8_E4M3")}, 7),
        ({}, 0),
    ],
)
def test_what_the_format_allows_is_read(tmp_path: Path, said: dict[str, Any], bytes_: int) -> None:
    path = written(tmp_path, said, bytes_)
    with safe_open(path, "pt") as opened:
        assert {name: opened.get_slice(name).get_shape() for name in opened.keys()} == dict(header(path))  # noqa: SIM118


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        *(
            ({"a": tensor(shape)}, 4)
            for shape in (["4"], [4.0], [True], [-4], [-2, -2], 4, None, {"0": 4}, [[4]], [5], [10**30])
        ),
        *(({"a": tensor(kind=kind)}, 4) for kind in ("F128", "", None, 8, ["U8"], "F64")),
        *(
            ({"a": tensor(begin=begin, end=end)}, 4)
            for begin, end in ((0, "4"), (-4, 0), (4, 0), (0, 4.0), (1, 5), (0, 10**18))
        ),
        ({"a": tensor() | {"data_offsets": [0]}}, 4),
        ({"a": tensor() | {"data_offsets": None}}, 4),
        ({"a": {"dtype": "U8", "shape": [4]}}, 4),
        ({"a": None}, 4),
        ({"a": tensor(), "b": tensor()}, 4),
        ({"a": tensor(), "b": tensor(begin=2, end=6)}, 6),
        ({"a": tensor(), "b": tensor(begin=6, end=10)}, 10),
        ({"a": tensor()}, 5),
        ({"a": tensor()}, 3),
        (b'{"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, "a": 1}', 4),
        ([], 4),
        (b"\xff\xfe", 4),
        (b"[" * 100_000, 0),
    ],
)
def test_what_contradicts_itself_is_refused_in_a_sentence(tmp_path: Path, said: Any, bytes_: int) -> None:
    path = written(tmp_path, said, bytes_)
    with pytest.raises(SafetensorError), safe_open(path, "pt"):
        pass
    with pytest.raises(ModelError, match=r"^model\.safetensors is not a whole safetensors file \(.*\. Download or save"):
        header(path)


@pytest.mark.parametrize("length", [0, 1, 10**6, 2**63])
def test_a_length_that_lies(tmp_path: Path, length: int) -> None:
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        header(written(tmp_path, {"a": tensor()}, length=length))


def test_a_tensor_in_two_files(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "tiny", "bert")
    (folder / "model.safetensors").rename(folder / "one.safetensors")
    (folder / "two.safetensors").write_bytes((folder / "one.safetensors").read_bytes())
    names = {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(names))
    with pytest.raises(ModelError, match="'tiny' has two tensors called '"):
        _ = ModelFiles(folder, "'tiny'", allow_pickle=False).tensors
