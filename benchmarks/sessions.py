"""How long people wait for a page while twenty use the dashboard at once, and while a worker computes on the same machine.

    python -m benchmarks.sessions [--people 20] [--seconds 60] [--pause 3] [--turns 1] [--slowest 5]
    python -m benchmarks.sessions --interactions 5000    memory alone: as fast as the server answers

A server of its own shows the demo and a workspace with a board of two figures. Each person has a websocket, as a browser's tab
has, and every three seconds changes a control at random or goes to another page; what draws itself anew does so. Timed is from
the click to the end of the script. By turns: nothing else; a sweep in a worker that gives way; a sweep in one that does not.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.by_websocket import Visitor, visit
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.jobs import client, slots
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import DEMO, ROOT, Settings, settings
from tests.browser.dashboard_server import Server, serving
from tests.models.tiny import tiny_model

CHECKPOINTS, LAYERS, DIMS = 16, 12, 192
ELSEWHERE = 0.2
"""The share of clicks that go to another page."""
PINNED = ("abx", "alignment")
TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """What people met in one stretch of time."""

    waited: list[tuple[float, str]] = field(default_factory=list)
    """Seconds, and where and what was changed."""
    wrong: list[str] = field(default_factory=list)


def sweep(workspace: Path, folder: Path) -> AbxSpec:
    """A run that lasts: checkpoints of an encoder, on the demo's sentences in all its languages."""
    from transformers.utils import logging as talk

    talk.disable_progress_bar()
    for step in range(CHECKPOINTS):
        tiny_model(folder / f"checkpoint-{step}", "xlm-roberta", LAYERS, DIMS, seed=step, positions=512)
    model = discover(str(folder), name="Sweep")
    models.keep(model, workspace)
    corpus = corpora.entries([DEMO])[0]
    return AbxSpec(model=model.name, checkpoints=model.checkpoints, corpus=corpus.id, languages=tuple(corpus.tags))


@contextmanager
def working(nice: str, now: Settings) -> Iterator[int]:
    """A worker, as the dashboard starts it, that is at the sweep; gives its process."""
    log = open(now.workspace / "worker.log", "ab")  # noqa: SIM115 — the worker's
    environment = os.environ | {"ISOGLOSS_WORKER_NICE": nice}
    command = [sys.executable, "-m", "isogloss", "worker"]
    worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        while not any(report.machine for report in slots.alive(now.workspace)):
            assert worker.poll() is None, (now.workspace / "worker.log").read_text(encoding="utf-8")
            time.sleep(0.2)
        time.sleep(3)
        yield worker.pid
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        log.close()


def processor(process: int) -> float:
    """Seconds of the processor that a process has taken; 0 where it has ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK
    return 0.0


def machine() -> float:
    """Seconds of the processor that all of the machine has taken."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    return sum(int(fields[place]) for place in (0, 1, 2, 5, 6)) / TICK


def memory(process: int) -> float:
    """Resident MB of a process."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


async def pin(server: Server, pages: tuple[str, ...]) -> None:
    """Pin the first figure of each page, as a person does, so that there is a board."""
    for page in pages:
        visitor = await visit(server.url, page)
        popover = visitor.labelled("Pin", "popover")
        visitor.states[popover] = WidgetState(id=popover, bool_value=True)
        await visitor.ask(fragment=visitor.widgets[popover].fragment)
        button = visitor.labelled("Pin", "button")
        await visitor.ask(fragment=visitor.widgets[button].fragment, **{button: True})
        assert not visitor.wrong, visitor.wrong
        await visitor.socket.close()


async def act(visitor: Visitor, seen: Seen) -> None:
    """Click once."""
    random = visitor.random
    before = len(visitor.wrong)
    if random.random() < ELSEWHERE:
        page = random.choice([each for each in visitor.pages if each != visitor.page])
        what, seconds = f"/{page}: opened", await visitor.open(page)
    else:
        page = visitor.page
        label, seconds = await visitor.change()
        what = f"/{page}: {label}"
    seen.waited.append((seconds, what))
    seen.wrong += visitor.wrong[before:]


async def everybody(server: Server, people: int, do: Callable[[Visitor], Awaitable[None]], seed: int) -> None:
    """So many people on pages of all kinds, each of whom does the same."""
    visitors = [await visit(server.url, seed=seed + person) for person in range(people)]
    for person, visitor in enumerate(visitors):
        await visitor.open(list(visitor.pages)[person % len(visitor.pages)])
    try:
        await asyncio.gather(*(do(visitor) for visitor in visitors))
    finally:
        for visitor in visitors:
            await visitor.socket.close()


async def stretch(server: Server, people: int, seconds: float, pause: float, seed: int) -> Seen:
    """Everybody at work for so long."""
    seen = Seen()

    async def one(visitor: Visitor) -> None:
        until = time.monotonic() + seconds
        await visitor.wait(visitor.random.uniform(0, pause))
        while time.monotonic() < until:
            started = time.monotonic()
            await act(visitor, seen)
            await visitor.wait(max(0.0, pause - (time.monotonic() - started)))

    await everybody(server, people, one, seed)
    return seen


def timed(name: str, server: Server, worker: int | None, asked: argparse.Namespace, seed: int) -> None:
    """Run one stretch, and print what people met and who took the processor."""
    before = [machine(), processor(server.process), processor(worker) if worker else 0.0, time.process_time()]
    started = time.monotonic()
    seen = asyncio.run(stretch(server, asked.people, asked.seconds, asked.pause, seed))
    took = time.monotonic() - started
    after = [machine(), processor(server.process), processor(worker) if worker else 0.0, time.process_time()]
    all_, served, worked, driven = ((b - a) / took for a, b in zip(before, after, strict=True))
    waits = sorted(seconds for seconds, _ in seen.waited)
    p50, p95 = statistics.median(waits), statistics.quantiles(waits, n=20)[-1]
    exceptions = sum(": exception: " in each for each in seen.wrong)
    others = all_ - served - worked - driven
    print(
        f"| {name} | {len(waits)} | {p50:.2f} | {p95:.2f} | {waits[-1]:.2f} | {exceptions} | {served:.2f} | {worked:.2f} "
        f"| {driven:.2f} | {others:.2f} | {memory(server.process):.0f} |",
        flush=True,
    )
    for wait, what in sorted(seen.waited, reverse=True)[: asked.slowest]:
        print(f"    {wait:.2f} s {what}")
    told(seen, server)


def told(seen: Seen, server: Server) -> None:
    """Print what went wrong, with the server's first traceback, and which choices were refused in a sentence."""
    said = Counter(f"{each.partition('?')[0]}: {each.partition(': ')[2]}" for each in seen.wrong)
    for each, times in said.most_common():
        print(f"    {times} times {each[:200]}")
    if any(": exception: " in each for each in seen.wrong):
        log = (server.workspace / "server.log").read_text(encoding="utf-8", errors="replace")
        print("    " + "\n    ".join(log[log.find("Traceback") :].splitlines()[:80]))


async def fast(server: Server, people: int, interactions: int) -> None:
    """So many clicks as fast as the server answers, with its memory after each tenth."""
    seen, step = Seen(), max(1, interactions // 10)

    async def one(visitor: Visitor) -> None:
        while len(seen.waited) < interactions:
            await act(visitor, seen)
            if len(seen.waited) % step == 0:
                print(f"| {len(seen.waited)} | {memory(server.process):.0f} | {time.monotonic() - started:.0f} |", flush=True)

    print(f"| clicks | MB | s |\n|---|---|---|\n| 0 | {memory(server.process):.0f} | 0 |", flush=True)
    started = time.monotonic()
    await everybody(server, people, one, seed=0)
    await asyncio.sleep(5)
    print(f"| afterwards, everybody gone | {memory(server.process):.0f} | |")
    told(seen, server)


def main() -> None:
    """Run the benchmark in a temporary workspace."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=3)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--slowest", type=int, default=0, help="print so many of the longest waits")
    parser.add_argument("--interactions", type=int, default=0)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        own = {"ISOGLOSS_WORKSPACE": str(workspace), "ISOGLOSS_DEMO": str(DEMO), "ISOGLOSS_DEVICE": "cpu"}
        with patch.dict(os.environ, own), serving(workspace, fork=False, ISOGLOSS_DEMO=str(DEMO)) as server:
            asyncio.run(pin(server, PINNED))
            if asked.interactions:
                asyncio.run(fast(server, asked.people, asked.interactions))
                return
            spec = sweep(workspace, Path(folder) / "model")
            asyncio.run(stretch(server, asked.people, 20, 0.5, Random(1).randrange(1000)))  # all pages once, unmeasured
            with working("10", settings()):
                client.submit(spec, settings())
            print(f"{os.cpu_count()} cores, {asked.people} people, a click each {asked.pause:g} s. Seconds; cores taken; MB.")
            print("| beside the dashboard | clicks | p50 | p95 | max | exceptions | server | worker | people | others | MB |")
            print("|---|---|---|---|---|---|---|---|---|---|---|")
            for turn in range(asked.turns):
                seed = 1000 * (turn + 1)
                timed("nothing", server, None, asked, seed)
                for name, nice in (("a sweep that gives way", "10"), ("a sweep that does not", "0")):
                    with working(nice, settings()) as worker:
                        timed(name, server, worker, asked, seed)
                        job = client.jobs(settings())[0]
                        print(f"    the sweep: {job.done} of {job.total} checkpoints")


if __name__ == "__main__":
    main()
