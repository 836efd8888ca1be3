"""A process that has imported what a dashboard does, and becomes one whenever it is asked: a server starts in no time."""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import pkgutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
_ready: list[subprocess.Popen[str]] = []


@dataclass(frozen=True)
class Forked:
    """A process that is no child of this one."""

    pid: int

    def poll(self) -> int | None:
        with suppress(ProcessLookupError):
            return os.kill(self.pid, 0)
        return 1


def start(command: list[str], environment: dict[str, str], log: Path) -> Forked:
    """Run `streamlit` with these arguments in the repository's root; its output goes to `log`."""
    if not _ready:
        asking = [sys.executable, "-m", "tests.browser.forking"]
        _ready.append(subprocess.Popen(asking, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    (process,) = _ready
    assert process.stdin
    assert process.stdout
    print(json.dumps([command, environment, str(log)]), file=process.stdin, flush=True)
    return Forked(int(process.stdout.readline()))


def _become(command: list[str], environment: dict[str, str], log: str) -> NoReturn:
    from streamlit.web.cli import main

    output, nothing = os.open(log, os.O_WRONLY | os.O_CREAT), os.open(os.devnull, os.O_RDONLY)
    for place, file in enumerate((nothing, output, output)):
        os.dup2(file, place)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["streamlit", *command]
    sys.exit(main())


def _serve() -> None:
    import streamlit.web.server.starlette  # noqa: F401

    from isogloss import pages

    logging.disable(logging.WARNING)  # Streamlit misses a server
    for module in pkgutil.walk_packages(pages.__path__, "isogloss.pages."):
        if not module.name.endswith(".page"):  # those are run, not imported
            importlib.import_module(module.name)
    logging.disable(logging.NOTSET)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for a server's end: none stays a zombie
    for line in sys.stdin:
        if not (number := os.fork()):
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _become(*json.loads(line))
        print(number, flush=True)
    os._exit(0)  # what is frozen would be called leaked


if __name__ == "__main__":
    _serve()
