"""Readers that do to their process what hostile files do."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from isogloss.backend.errors import CorpusError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.corpora.shared.inputs import InputFile


def fill(files: list[InputFile], how: str) -> int:
    """Take a memory that no import has, piece by piece."""
    pieces: list[object] = []
    for _ in range(100_000):
        pieces.append(
            {
                "python": lambda: b"x" * (1 << 20),
                "numpy": lambda: np.ones(1 << 20, np.uint8),
                "arrow": lambda: pa.array(["x" * (1 << 20)]),
                "small": lambda: [[i] for i in range(10_000)],
            }[how]()
        )
    return len(pieces)


def end(files: list[InputFile], how: str) -> None:
    """End this process at once."""
    match how:
        case "abort":
            os.abort()
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "crash":
            ctypes.string_at(8)
        case "exit":
            os._exit(3)
        case "processor":
            os.kill(os.getpid(), signal.SIGXCPU)


def last(files: list[InputFile], seconds: float, note: Path | None = None) -> str:
    """Take some time, holding what no other thread can take."""
    if note is not None:
        note.write_text(str(os.getpid()))
    time.sleep(seconds)
    return "done"


def last_telling(files: list[InputFile], seconds: float, note: Path, progress: Callable[[float], None] | None = None) -> str:
    """As `last`, and tell that it begins."""
    assert progress is not None
    note.write_text(str(os.getpid()))
    progress(0.5)
    return last(files, seconds)


def fail(files: list[InputFile], how: str) -> None:
    """Raise what readers raise, or what they should not."""
    match how:
        case "index":
            _ = [][3]
        case "store":
            raise StoreError("There is no room.")
        case "thread":
            raise RuntimeError("can't start new thread")
    raise CorpusError("It is odd.", remedy="Mend it.", file="x.tsv", line=7)


def tell(files: list[InputFile], progress: Callable[[float], None] | None = None) -> dict[str, object]:
    """Say what a reading process is like."""
    assert progress is not None
    progress(0.25)
    progress(1.0)
    settings = {name: value for name, value in os.environ.items() if name.startswith("ISOGLOSS_IMPORT")}
    return {"pid": os.getpid(), "settings": settings, "threads": threading.active_count(), "here": Path.cwd()}


def strange(files: list[InputFile]) -> object:
    """Return what is no plain data."""
    return object()
