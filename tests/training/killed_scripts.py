"""Scripts that a test runs in a process of their own and that are killed: what is published must not notice."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from dataclasses import dataclass
from io import TextIOWrapper
from typing import TYPE_CHECKING, BinaryIO

import torch

from tests.warm import WARM

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path


@dataclass(frozen=True)
class Death:
    """When a process is killed: `delay` seconds after its `times`-th line that has `words`, wherever it then is."""

    words: str = ""
    times: int = 1
    delay: float = 0.0


@dataclass(frozen=True)
class Started:
    """A process that runs a script."""

    process: BaseProcess
    stdout: TextIOWrapper


def started(script: str, *arguments: str | Path, death: Death | None = None) -> Started:
    """A process that runs the (indented) `script` on as many threads as this one: results are then equal to the last bit."""
    reading, writing = WARM.Pipe(duplex=False)
    given = (script, list(map(str, arguments)), torch.get_num_threads(), writing, death)
    process = WARM.Process(target=_run, args=given)
    process.start()
    writing.close()
    return Started(process, os.fdopen(os.dup(reading.fileno()), encoding="utf-8"))


class _Telling(TextIOWrapper):
    """Standard output of a process that is to die of what it says."""

    def __init__(self, file: BinaryIO, death: Death | None) -> None:
        super().__init__(file, encoding="utf-8")
        self.death, self.said = death, ""

    def write(self, text: str) -> int:
        self.said += text
        return super().write(text)

    def flush(self) -> None:
        """Where the line is out that it dies of: the kernel kills it, so it does no step more, however busy the machine is.

        An alarm that nobody handles ends a process as SIGKILL does: at once, wherever it is.
        """
        super().flush()
        if self.death and sum(self.death.words in line for line in self.said.splitlines()) == self.death.times:
            delay, self.death = self.death.delay, None
            if not delay:
                os.kill(os.getpid(), signal.SIGKILL)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, delay)


def _run(script: str, arguments: list[str], threads: int, writing: Connection, death: Death | None) -> None:
    torch.set_num_threads(threads)
    sys.argv, sys.stdout = ["-c", *arguments], _Telling(os.fdopen(writing.fileno(), "wb"), death)
    exec(compile(textwrap.dedent(script), "<script>", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()


def died(started: Started) -> list[str]:
    """Its lines, up to its death, which it was given. It must not have ended before."""
    lines = started.stdout.read().splitlines()
    started.process.join()
    started.stdout.close()
    assert started.process.exitcode in (-signal.SIGKILL, -signal.SIGALRM), f"it ended by itself: {lines[-1:]}"
    return lines


def ended(started: Started) -> list[str]:
    """Its lines, the last of which is `done`: it was left to end, and did so without an error."""
    lines = started.stdout.read().splitlines()
    started.process.join()
    assert (started.process.exitcode, lines[-1:]) == (0, ["done"])
    return lines
