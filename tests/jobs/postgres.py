"""A Postgres server of one's own, in a folder of its own. Needs no package beyond requirements.txt."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def programs() -> Path | None:
    """Where `initdb` and `pg_ctl` are."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return next((path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)), None)


def account() -> str | None:
    """Postgres refuses to run as root: the account it is then run as."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def running() -> Iterator[str | None]:
    """The URL of a server, without a database; None where Postgres is not installed."""
    place = programs()
    if place is None:
        yield None
        return
    user = account()
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if user:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        quiet = subprocess.DEVNULL  # the server inherits its output: a pipe would never end
        subprocess.run(
            [place / command[0], *command[1:]], user=user, cwd=folder, check=True, timeout=600, stdout=quiet, stderr=quiet
        )

    port = free_port()
    run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "isogloss", "--no-sync")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-D", f"{folder}/data", "-o", options, "-l", f"{folder}/log", "-w", "start")
    try:
        yield f"postgresql://isogloss@127.0.0.1:{port}"
    finally:
        run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(folder)
