"""Files from strangers are read in a process of their own, which may take so much memory and so much time.

A file of some kilobytes may unpack to gigabytes, run for hours or break the library that parses it. `read` calls any reader as
it would be called here, and gives what it gives: what goes wrong with the process is one sentence, like all that is wrong with
a file. In notebooks and tests readers are called as they are.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

from isogloss.backend import errors
from isogloss.backend.corpora.shared import plain_data
from isogloss.backend.corpora.shared.apart_server import BROKEN, OUT_OF_MEMORY
from isogloss.backend.corpora.shared.inputs import InputFile, printable
from isogloss.backend.corpora.shared.limits import TooLargeError, most_held, too_large
from isogloss.backend.errors import CorpusError, IsoglossError, StoreError
from isogloss.backend.people import RefusedError
from isogloss.backend.settings import ROOT, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
T = TypeVar("T")
REFUSALS: dict[str, type[IsoglossError]] = {
    each.__name__: each for each in (errors.ModelError, errors.SpecError, StoreError, RefusedError)
}
BESIDE, TIMES = 300, 2.2
"""MB that a reading may take, and `ISOGLOSS_IMPORT_MB` so many times: what is held, copies in other types, what is unpacked."""
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # which the limit of memory holds at once, and which gives back what is free
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def memory_mb() -> int:
    """Return how much memory one reading may take, in MB."""
    return int(BESIDE + TIMES * settings().import_mb)


def read(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Return what a function of `backend.corpora` returns for these arguments, called in a process of its own.

    Arguments and what it returns are plain data (`plain_data`), but for an option `progress`, which is called here. Raises what
    the function raises that is an `IsoglossError`, and `CorpusError` where it takes more memory or time than one import may,
    returns more than one may hold, or breaks down; `StoreError` where there is no room for what is read.
    """
    progress: Any = options.pop("progress", None)
    with tempfile.TemporaryDirectory(prefix="isogloss-") as name:
        folder = Path(name)
        asked = {
            "function": (function.__module__, function.__qualname__),
            "arguments": arguments,
            "options": dict(options),
            "progress": progress is not None,
        }
        try:
            plain_data.write(folder / "asked", asked)
            status, late, broken = _wait(folder, progress)
            if late or status or broken:
                _fail(_named(arguments), status, late=late, broken=broken)
            if sum(path.stat().st_size for path in (folder / "answer").iterdir()) > most_held():
                raise too_large(_named(arguments))
            answer = plain_data.read(folder / "answer")
        except OSError as error:
            raise StoreError(
                f"The files could not be read in {folder.parent} ({error.strerror or error}). "
                "Make room in the server's temporary folder and try again."
            ) from error
        except ValueError:
            _fail(_named(arguments), BROKEN << 8, late=False, broken="an answer that is none")
    if "refused" in answer:
        _refuse(*answer["refused"])
    found: T = answer["found"]
    return found


def _wait(folder: Path, progress: Callable[[float], None] | None) -> tuple[int, bool, str]:
    """Have what is asked in `folder` answered; return the reader's exit status, whether it was too slow, and how it broke."""
    asked = {
        "folder": str(folder),
        "memory": memory_mb() * 1_000_000,
        "seconds": settings().import_seconds,
        "environment": {name: value for name, value in os.environ.items() if name.startswith("ISOGLOSS_")},
    }
    broken = ""
    for channel in _channels():
        begun = False
        with channel, channel.makefile("r", encoding="utf-8") as lines:
            with suppress(BrokenPipeError, ConnectionResetError):
                channel.sendall(json.dumps(asked).encode() + b"\n")
                for line in lines:
                    begun, answer = True, json.loads(line)
                    if "status" in answer:
                        return answer["status"], answer["late"], broken
                    broken = answer.get("broken", broken)
                    if progress is not None and "progress" in answer:
                        progress(min(1.0, float(answer["progress"])))
            if begun:
                break
    return signal.SIGKILL, False, broken


class _Server:
    """The process that forks readers, of this process alone."""

    def __init__(self) -> None:
        self.lock, self.owner = threading.Lock(), 0
        self.control: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def channel(self) -> socket.socket:
        """Return the end of a channel whose other end a minder has, or will have. Starts the server where there is none."""
        if not hasattr(os, "fork"):
            raise StoreError(
                "Files are read in a process that is forked, which Windows cannot do: run Isogloss in WSL for that."
            )
        here, there = socket.socketpair()
        with there, self.lock:
            if self.process is None or self.owner != os.getpid() or self.process.poll() is not None:
                self.start()
            assert self.control is not None
            try:
                socket.send_fds(self.control, [b"r"], [there.fileno()])
            except OSError:  # it had nothing to do for long, and went
                self.start()
                socket.send_fds(self.control, [b"r"], [there.fileno()])
        return here

    def start(self) -> None:
        """Start the server; what there was before ends."""
        self.stop()
        self.control, control = socket.socketpair()
        paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        with control:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "isogloss.backend.corpora.shared.apart_server", str(control.fileno())],
                pass_fds=[control.fileno()],
                env={**os.environ, **ENVIRONMENT, "PYTHONPATH": paths},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for whoever asked
            )
        self.owner = os.getpid()

    def stop(self) -> None:
        """End the server, which waits for nothing but this."""
        if self.control is not None:
            self.control.close()
        if self.process is not None and self.owner == os.getpid():
            self.process.wait()
        self.control = self.process = None


_server = _Server()
atexit.register(_server.stop)


def _channels() -> Iterator[socket.socket]:
    """Yield a channel, and another where the server ended between the two."""
    yield _server.channel()
    yield _server.channel()


def _named(arguments: tuple[Any, ...]) -> str | None:
    """Return the files that are read, as people know them."""
    every = [one for each in arguments for one in (each if isinstance(each, list | tuple) else [each])]
    names = [printable(one.name) for one in every if isinstance(one, InputFile)]
    return names[0] + (f" and {len(names) - 1:,} more" if len(names) > 1 else "") if names else None


def _fail(file: str | None, status: int, *, late: bool, broken: str) -> NoReturn:
    """Raise what is wrong where a reader gave no answer: a `CorpusError`, whatever ended it."""
    ended = -os.waitstatus_to_exitcode(status)
    if late or ended == signal.SIGXCPU:
        raise CorpusError(
            f"Reading it takes more than {settings().import_seconds:g} seconds.",
            remedy="Take a smaller part, or have the operator raise ISOGLOSS_IMPORT_SECONDS.",
            file=file,
        )
    if ended in (-OUT_OF_MEMORY, signal.SIGKILL, signal.SIGABRT):
        raise TooLargeError(
            f"Reading it takes more than {memory_mb():,} MB of memory.",
            remedy="Take a smaller part, or have the operator raise ISOGLOSS_IMPORT_MB.",
            file=file,
        )
    how = broken or (signal.Signals(ended).name if ended > 0 else f"status {-ended}")
    raise CorpusError(
        f"It made its reader break down ({how}).",
        remedy="It may be damaged: write it again. If it is sound, report this with the file.",
        file=file,
    )


def _refuse(name: str, problem: str, remedy: str = "", file: str | None = None, line: int | None = None) -> NoReturn:
    """Raise what a reader raised."""
    if name in REFUSALS:
        raise REFUSALS[name](problem)
    raise (TooLargeError if name == TooLargeError.__name__ else CorpusError)(problem, remedy=remedy, file=file, line=line)
