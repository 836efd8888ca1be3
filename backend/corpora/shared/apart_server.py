"""The process that reads files apart: it has imported what readers need, and forks for each reading.

For each reading it forks a minder, which forks the reader and waits for it: for so many seconds, and no longer than whoever
asked is there. The server itself has one thread, never reads a file, and ends with the process that started it, or when nothing
was asked for a while.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

IDLE_SECONDS = 1800
OUT_OF_MEMORY, BROKEN = 70, 71
"""Exit statuses of a reader."""
PRELOADED = [
    "pandas",  # which pyarrow looks for as soon as it is given a list
    "pyarrow.ipc",
    "pyarrow.json",
    "pyarrow.parquet",
    *(f"isogloss.backend.corpora.{kind}.readers" for kind in ("parallel", "dictionaries", "tasks", "tagged", "emergent")),
    "isogloss.backend.corpora.word_alignments.links",
    "isogloss.backend.corpora.covariates.reader",
]
PARENT_DIED = 1  # PR_SET_PDEATHSIG of Linux


def serve(control: socket.socket) -> None:
    """Fork a minder for each channel that comes, until there is no one to ask."""
    from isogloss.backend.corpora.languages.languages import language

    for name in PRELOADED:
        import_module(name)
    language("de")  # reads the table of languages
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for minders
    control.settimeout(IDLE_SECONDS)
    while True:
        try:
            message, channels, *_ = socket.recv_fds(control, 1, 1)
        except TimeoutError:
            return
        if not message:
            return
        if os.fork() == 0:
            control.close()
            _mind(socket.socket(fileno=channels[0]))
            os._exit(0)
        os.close(channels[0])


def _mind(channel: socket.socket) -> None:
    """Fork a reader, wait for it, and say how it ended: `{"status": …, "late": …}`, its status as `os.waitpid` has it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked = json.loads(channel.makefile("r", encoding="utf-8").readline())
    alive, reading = os.pipe()
    reader = os.fork()
    if reader == 0:
        os.close(alive)
        os._exit(_read(asked, channel))
    os.close(reading)
    deadline = time.monotonic() + asked["seconds"]
    ready, _, _ = select.select([alive, channel.fileno()], [], [], asked["seconds"])
    late = not ready and time.monotonic() >= deadline
    if alive not in ready:  # it takes too long, or nobody waits for it any more
        os.kill(reader, signal.SIGKILL)
    _, status = os.waitpid(reader, 0)
    with suppress(OSError):
        channel.sendall(json.dumps({"status": status, "late": late}).encode() + b"\n")


def _read(asked: dict[str, Any], channel: socket.socket) -> int:
    """Answer what is asked in a folder, and return the status to exit with."""
    folder = Path(asked["folder"])
    try:
        _limit(asked["memory"], asked["seconds"])
        for name in [each for each in os.environ if each.startswith("ISOGLOSS_")]:
            del os.environ[name]
        os.environ |= asked["environment"]
        tempfile.tempdir = str(folder)
        answer(folder, channel)
    except MemoryError:
        return OUT_OF_MEMORY
    except BaseException as error:  # noqa: BLE001 - whatever it is, whoever asked is told of it
        if isinstance(error, RuntimeError) and "start new thread" in str(error):
            return OUT_OF_MEMORY
        traceback.print_exc()
        with suppress(OSError, MemoryError):
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__} in {Path(where.filename).name}, line {where.lineno}"
            channel.sendall(json.dumps({"broken": text}).encode() + b"\n")
        return BROKEN
    return 0


def answer(folder: Path, channel: socket.socket) -> None:
    """Call the function that is asked for in `folder`, and write there what it returns or refuses."""
    from isogloss.backend.corpora.shared import plain_data
    from isogloss.backend.errors import CorpusError, IsoglossError

    asked = plain_data.read(folder / "asked")
    module, name = asked["function"]
    options = asked["options"]
    if asked["progress"]:
        options["progress"] = _progress(channel)
    try:
        reply = {"found": getattr(import_module(module), name)(*asked["arguments"], **options)}
    except CorpusError as error:
        reply = {"refused": (type(error).__name__, error.problem, error.remedy, error.file, error.line)}
    except IsoglossError as error:
        reply = {"refused": (type(error).__name__, str(error))}
    plain_data.write(folder / "answer", reply)


def _progress(channel: socket.socket) -> Any:
    told = [0.0]

    def tell(share: float) -> None:
        if share >= 1 or time.monotonic() - told[0] > 0.1:
            told[0] = time.monotonic()
            channel.sendall(json.dumps({"progress": share}).encode() + b"\n")

    return tell


def _limit(memory: int, seconds: float) -> None:
    """Let this process take so many bytes beside what it has, and end with its parent.

    Counted is what is its own (`RLIMIT_DATA`), not libraries that are mapped; macOS knows the limit and does not hold it.
    """
    import resource  # Windows has none

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DIED, signal.SIGKILL)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        memory += pages * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The minder counts the clock; this ends a reader that has lost it. Several threads may compute.
    processors = 4 * int(seconds) + 4
    resource.setrlimit(resource.RLIMIT_CPU, (processors, processors))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
