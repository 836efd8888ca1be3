"""`isogloss` alone: the dashboard in the browser, with a worker."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

import isogloss
from isogloss.backend import locks
from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.jobs import starter
from isogloss.backend.settings import APP, PREFIX, settings

HOST = "127.0.0.1"
PORTS = range(8501, 8600)
PR_SET_PDEATHSIG = 1
"""Of `linux/prctl.h`."""
STARTING_SECONDS = 120.0
"""A dashboard that does not answer after so long is not opened in the browser; its own words say why."""


def main(
    context: typer.Context,
    workspace: Annotated[Path | None, typer.Option(help="The folder to keep everything in; as ISOGLOSS_WORKSPACE")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The dashboard's port; not given: the first free one from 8501")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the dashboard in the browser")] = True,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end")] = False,
) -> None:
    """Open the dashboard with a worker; with a command, do what it says instead."""
    if workspace is not None:
        os.environ[f"{PREFIX}WORKSPACE"] = str(workspace.absolute())
    if version:
        print(isogloss.__version__)
    elif context.invoked_subcommand is None:
        with ExitStack() as held:
            raise SystemExit(run(free_port(port, held), browser=browser))


def free_port(asked: int | None, held: ExitStack) -> int:
    """Return the port asked for, else the first free one, which no other dashboard of this user takes until `held` is closed.

    A server that is starting does not listen yet: two that started together took one port, and both showed one workspace.
    Raises `SpecError` where it is taken.
    """
    for port in PORTS if asked is None else [asked]:
        with suppress(OSError, OverflowError), socket.create_server((HOST, port)):
            if _claimed(port, held):
                return port
    if asked is None:
        raise SpecError(f"Ports {PORTS[0]} to {PORTS[-1]} of {HOST} are all taken. Choose another: isogloss --port 9000.")
    raise SpecError(f"Port {asked} of {HOST} cannot be had: something else uses it. Leave --port out, or choose another.")


def _claimed(port: int, held: ExitStack) -> bool:
    """Lock the file of a port until `held` is closed; False where another process has it."""
    try:
        folder = platformdirs.user_cache_path("isogloss", appauthor=False, ensure_exists=True)
        handle = held.enter_context(open(folder / f"port-{port}.lock", "ab"))  # noqa: SIM115 — `held` closes it
    except OSError:
        return True  # nowhere to write: the port alone says whether it is free
    return locks.try_lock(handle)


def run(port: int, *, browser: bool) -> int:
    """Serve the dashboard until it ends or is stopped; its worker ends with it. Return the dashboard's exit status."""
    address = f"http://{HOST}:{port}"
    said = [each for each in (starter.lacking(), unwritten(settings().workspace)) if each]
    print(f"Isogloss {isogloss.__version__} on {address} (Ctrl-C ends it). Workspace: {settings().workspace}")
    for why in said:
        print(why)
    for name in ("SIGTERM", "SIGHUP"):
        signal_ = getattr(signal, name, signal.SIGINT)  # Windows knows no hanging up
        if signal.getsignal(signal_) is not signal.SIG_IGN:  # as under nohup
            signal.signal(signal_, signal.default_int_handler)  # as Ctrl-C
    running = [] if said else [_started([sys.executable, "-m", "isogloss", "worker"])]
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.address", HOST, "--server.port", str(port)]
    server = _started(command, stdout=subprocess.DEVNULL)
    try:
        if browser and answers(server, port):
            webbrowser.open(address)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        for each in (server, *running):
            each.terminate()
        for each in (server, *running):
            each.wait()


def _started(command: Sequence[str], stdout: int | None = None) -> subprocess.Popen[bytes]:
    """Start what ends with this process.

    In a session of its own it hears nothing of Ctrl-C, and `run` stops it: one that was starting showed a traceback.
    """
    first = _end_with_parent if sys.platform == "linux" else None
    return subprocess.Popen(command, stdout=stdout, start_new_session=True, preexec_fn=first)


def _end_with_parent() -> None:
    """Have Linux tell this process to end when the one that started it has, even one that was killed outright."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def unwritten(workspace: Path) -> str:
    """Say why nothing is computed in a workspace that cannot be written; empty where it can be. Makes the folder.

    Raises `StoreError` where there is none and none can be made: there is nothing to look at, either.
    """
    try:
        workspace.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is no folder" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
        raise StoreError(f"The workspace {workspace} cannot be used: {why}. Choose another with --workspace.") from None
    if os.access(workspace, os.W_OK | os.X_OK):
        return ""
    return f"The workspace {workspace} cannot be written: it is shown, and nothing is computed."


def answers(server: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the dashboard takes connections; whether it does."""
    until = time.monotonic() + STARTING_SECONDS
    while server.poll() is None and time.monotonic() < until:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return True
        time.sleep(0.1)
    return False
