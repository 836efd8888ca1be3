"""How much memory a server takes while many people look at two hundred languages at once, each at other figures.

    python -m benchmarks.scale_people [--people 20] [--changes 5] [--languages 204] [--layers 33] [--checkpoints 40]

The scores are those of `benchmarks.scale`. Three of five people are on ABX, each in another view, one on Alignment and one on
Relations; each changes a control at random every few seconds. Who waits for more than two minutes gives up.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.by_websocket import new_tab
from benchmarks.scale import ABX_VIEWS, fill, forget, peak
from benchmarks.sessions import memory
from tests.browser.dashboard_server import serving

PAGES = ("abx", "abx", "abx", "alignment", "relations")
PAUSE = 6.0
"""Most seconds between two clicks of a person."""


async def person(url: str, number: int, changes: int, waited: list[float]) -> str:
    """Look around; returns why it was given up, if it was."""
    visitor = await new_tab(url, seed=number)
    visitor.page = PAGES[number % len(PAGES)]
    try:
        waited.append(await visitor.ask())
        if visitor.page == "abx":
            waited.append(await visitor.open("abx", f"view={ABX_VIEWS[number % len(ABX_VIEWS)]}"))
        for _ in range(changes):
            await asyncio.sleep(PAUSE * visitor.random.random())
            waited.append((await visitor.change())[1])
    except TimeoutError as error:
        return str(error)
    finally:
        await visitor.socket.close()
    return "\n".join(dict.fromkeys(visitor.wrong))


async def together(url: str, people: int, changes: int) -> tuple[list[float], list[str]]:
    """Return the seconds that each click took, and what went wrong."""
    waited: list[float] = []
    wrong = await asyncio.gather(*(person(url, number, changes, waited) for number in range(people)))
    return waited, [each[:200] for each in wrong if each]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("people", 20), ("changes", 5), ("languages", 204), ("layers", 33), ("checkpoints", 40)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        fill(Path(folder), asked.languages, asked.layers, asked.checkpoints, 1)
        forget(Path(folder))
        with serving(Path(folder), fork=False) as server:
            waited, wrong = asyncio.run(together(server.url, asked.people, asked.changes))
            time.sleep(1)
            print(
                f"{asked.people} people, load {os.getloadavg()[0]:.1f}: {memory(server.process):,.0f} MB at the end, ", end=""
            )
            print(
                f"{peak(server.process):,.0f} at most; {len(waited)} clicks, {statistics.median(waited):.1f} s in the median, ",
                end="",
            )
            print(f"{max(waited):.0f} at most; gave up or saw an error: {len(wrong)}")
            print("\n".join(wrong))


if __name__ == "__main__":
    main()
