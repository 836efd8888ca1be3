"""Scripts that a test runs in a process of their own and kills: what is published must not notice."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from tests.warm import WARM

if TYPE_CHECKING:
    from io import TextIOWrapper
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path


@dataclass(frozen=True)
class Started:
    """A process that runs a script."""

    process: BaseProcess
    stdout: TextIOWrapper


def started(script: str, *arguments: str | Path) -> Started:
    """A process that runs the (indented) `script` on as many threads as this one: results are then equal to the last bit."""
    reading, writing = WARM.Pipe(duplex=False)
    process = WARM.Process(target=_run, args=(script, list(map(str, arguments)), torch.get_num_threads(), writing))
    process.start()
    writing.close()
    return Started(process, os.fdopen(os.dup(reading.fileno()), encoding="utf-8"))


def _run(script: str, arguments: list[str], threads: int, writing: Connection) -> None:
    torch.set_num_threads(threads)
    sys.argv, sys.stdout = ["-c", *arguments], os.fdopen(writing.fileno(), "w", encoding="utf-8")
    exec(compile(textwrap.dedent(script), "<script>", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()


def killed_at(started: Started, words: str = "", times: int = 1, delay: float = 0.0) -> list[str]:
    """Its lines up to the `times`-th that has `words`; `delay` seconds later it was killed. It must not have ended before."""
    lines: list[str] = []
    for line in started.stdout:
        lines.append(line.rstrip("\n"))
        if sum(words in each for each in lines) == times:
            time.sleep(delay)  # anywhere within a step, an evaluation or the saving of a state
            assert started.process.pid is not None
            os.kill(started.process.pid, signal.SIGKILL)
            break
    started.process.join(60)
    started.stdout.close()
    assert started.process.exitcode == -signal.SIGKILL, f"it ended by itself: {lines[-1:]}"
    return lines


def ended(started: Started) -> list[str]:
    """Its lines, the last of which is `done`: it was left to end, and did so without an error."""
    lines = started.stdout.read().splitlines()
    started.process.join(60)
    assert (started.process.exitcode, lines[-1:]) == (0, ["done"])
    return lines
