"""`isogloss worker`."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

GPUS = "A worker for each of these GPUs: `all`, or numbers such as 0,2"
SEEN = "CUDA_VISIBLE_DEVICES"


def work(
    gpus: Annotated[str, typer.Option("--gpus", help=GPUS, show_default=False)] = "",
    until_empty: Annotated[bool, typer.Option("--until-empty", help="End when nothing is left to compute")] = False,
) -> None:
    """Take computations from the queue until stopped (Ctrl-C).

    The dashboard starts a worker by itself where none is alive. Start more by hand for more at once: each takes whole
    shards, and any of them may be killed at any moment without losing finished work.
    """
    if gpus:
        command = [sys.executable, "-m", "isogloss", "worker", *(["--until-empty"] if until_empty else [])]
        raise SystemExit(run_beside(command, chosen(gpus, visible())))
    from isogloss.backend.jobs import starter, worker

    if why := starter.lacking():
        raise StoreError(why)

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("isogloss").setLevel(logging.INFO)
    worker.work(settings(), until_empty=until_empty)


def visible() -> list[str]:
    """Return the GPUs of this machine by the names that CUDA_VISIBLE_DEVICES takes; those that it allows where it is set."""
    if SEEN in os.environ:
        return [each.strip() for each in os.environ[SEEN].split(",") if each.strip()]
    import torch  # asks the driver alone: no memory of a GPU is taken

    return [str(number) for number in range(torch.cuda.device_count())]


def chosen(asked: str, there: Sequence[str]) -> list[str]:
    """Return the GPUs that `asked` means among those `there`. Raises `SpecError` where there is none, or not that one."""
    if not there:
        raise SpecError("No GPU is seen here. Start `isogloss worker` without --gpus: it computes on the CPU.")
    if asked == "all":
        return list(there)
    wanted = list(dict.fromkeys(each.strip() for each in asked.split(",")))
    if lacking := [each for each in wanted if each not in there]:
        raise SpecError(f"--gpus asks for {', '.join(lacking)}; seen here: {', '.join(there)}. Give some of these, or all.")
    return wanted


def run_beside(command: Sequence[str], gpus: Sequence[str]) -> int:
    """Run `command` once a GPU, which is all that it sees, until all have ended; a signal to stop goes to each.

    Return the highest exit status: 1 where one was killed.
    """
    running = [subprocess.Popen(command, env={**os.environ, SEEN: gpu}) for gpu in gpus]
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda number, _frame: _pass_on(number, running))
    return max(status if status >= 0 else 1 for status in [each.wait() for each in running])


def _pass_on(number: int, running: Sequence[subprocess.Popen[bytes]]) -> None:
    for each in running:
        if each.poll() is None:
            each.send_signal(number)
