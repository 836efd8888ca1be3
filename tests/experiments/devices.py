"""The speeds of devices, as workers would have measured them, and what is encoded on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.experiments.estimate import Encoding
from backend.experiments.speed import Speed
from backend.models.entry import Checkpoint, Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.store.scores import ShardFile


def cpu(encoding: float, scoring: float = 279e9, threads: int = 2) -> Speed:
    return Speed(kind="cpu", name="CPU", threads=threads, encoding_flops=encoding, scoring_flops=scoring)


def gpu(encoding: float, scoring: float = 50e12, name: str = "NVIDIA H100") -> Speed:
    return Speed(kind="cuda", name=name, threads=8, encoding_flops=encoding, scoring_flops=scoring, precision="bfloat16")


IDLE = cpu(229e9)
"""An idle machine, as its worker measured it; the seconds in the tests of prices were measured there."""


def model(layers: int, dims: int, parameters: int) -> Model:
    one = Checkpoint(source="folder", location="/m", label="m", fingerprint="f")
    return Model(name="m", architecture="bert", layers=layers, dims=dims, parameters=parameters, checkpoints=(one,))


def encoding(
    of: Model, languages: int, sentences: int, characters: int, speed: Speed = IDLE, earlier: Sequence[ShardFile] = ()
) -> Encoding:
    return Encoding(of, languages, sentences, characters, speed, earlier)
