"""Scripts that a test runs in a process of their own and kills: what is published must not notice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import torch

from backend.settings import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def started(script: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """A process that runs the (indented) `script` on as many threads as this one: results are then equal to the last bit."""
    threads = torch.get_num_threads()
    whole = f"import torch\ntorch.set_num_threads({threads})\n{textwrap.dedent(script)}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-c", whole, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def killed_at(process: subprocess.Popen[str], words: str = "", times: int = 1, delay: float = 0.0) -> list[str]:
    """Its lines up to the `times`-th that has `words`; `delay` seconds later it was killed. It must not have ended before."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if sum(words in each for each in lines) == times:
            time.sleep(delay)  # anywhere within a step, an evaluation or the saving of a state
            process.send_signal(signal.SIGKILL)
            break
    process.wait(60)
    process.stdout.close()
    assert process.returncode == -signal.SIGKILL, f"it ended by itself: {lines[-1:]}"
    return lines


def ended(process: subprocess.Popen[str]) -> list[str]:
    """Its lines, the last of which is `done`: it was left to end, and did so without an error."""
    lines = process.communicate(timeout=300)[0].splitlines()
    assert (process.returncode, lines[-1:]) == (0, ["done"])
    return lines
