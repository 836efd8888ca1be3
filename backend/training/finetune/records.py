"""What is kept of a fine-tuned model: how often it was wrong, and its predictions, packed."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.training.resumable.log import read

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from isogloss.backend.corpora.tasks.task import Split


@dataclass(frozen=True)
class Record:
    """The model of one step on one part of one language."""

    step: int
    """Updates made so far."""
    epoch: int
    """The pass over the training examples that the step belongs to, counted from 1."""
    split: Split
    """`train`: the training examples, or their translations. Without the additional ones, which have no translations."""
    language: str
    errors: int
    n: int
    """Examples evaluated."""
    predictions: bytes
    """Packed, see `unpack`."""

    @property
    def error(self) -> float:
        """Between 0 and 1."""
        return self.errors / self.n


def bits(classes: int) -> int:
    """Bits that one prediction takes."""
    return max(1, (classes - 1).bit_length())


def pack(predictions: NDArray[np.uint8], classes: int) -> bytes:
    """Predictions `[n]`, each below `classes`, in `bits(classes)` bits each, the highest first; zeros at the end."""
    digits = np.unpackbits(predictions[:, None], axis=1)[:, 8 - bits(classes) :]
    return np.packbits(digits.reshape(-1)).tobytes()


def unpack(packed: bytes, n: int, classes: int) -> NDArray[np.uint8]:
    """Return the `n` predictions that `pack` made these bytes of."""
    width = bits(classes)
    digits = np.unpackbits(np.frombuffer(packed, np.uint8))[: n * width].reshape(n, width)
    return np.packbits(np.pad(digits, ((0, 0), (8 - width, 0))), axis=1)[:, 0]


def to_line(records: list[Record]) -> dict[str, Any]:
    """Return the records of one step as one line of the log. There must be at least one."""
    rows = [[one.split, one.language, one.errors, one.n, base64.b64encode(one.predictions).decode()] for one in records]
    return {"step": records[0].step, "epoch": records[0].epoch, "records": rows}


def read_records(log: Path) -> list[Record]:
    """Return the records of a run's log, in their order; none where it has no log yet."""
    return [
        Record(line["step"], line["epoch"], split, language, errors, n, base64.b64decode(packed))
        for line in read(log)
        for split, language, errors, n, packed in line["records"]
    ]
