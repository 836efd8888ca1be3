"""A worker's memory between two shards: what threads freed goes back to the system."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from isogloss.backend.jobs import memory

THREADS, BLOCK, BLOCKS = 6, 100_000, 400


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_what_waiting_threads_have_freed_goes_back() -> None:
    if memory._of_c_library("malloc_trim") is None:
        pytest.skip("no glibc")
    over, freed = threading.Event(), threading.Semaphore(0)
    last: list[bytearray] = []

    def work() -> None:
        blocks = [bytearray(BLOCK) for _ in range(BLOCKS)]
        last.append(bytearray(BLOCK))  # at the end of the arena: without it the system gets all before it by itself
        del blocks
        freed.release()
        over.wait()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
        freed.acquire()
    gc.collect()
    before = resident()
    memory.give_back()
    after = resident()
    over.set()
    for thread in threads:
        thread.join()
    assert len(last) == THREADS
    assert before - after > THREADS * BLOCK * BLOCKS * 0.8


def test_another_c_library_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_of_c_library", lambda _: None)
    memory.give_back()
    memory.share_arenas()


ARRAYS = """
import threading
from pathlib import Path
import numpy as np
from isogloss.backend.jobs import memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

def work():
    for _ in range(3):  # glibc learns from the first that is freed to keep the next ones
        blocks = [np.ones(3 << 20) for _ in range(4)]  # 24 MB each
        last.append(np.ones(1 << 14))
        del blocks
    done.release()
    over.wait()

memory.share_arenas()
last, done, over, before = [], threading.Semaphore(0), threading.Event(), resident()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
    done.acquire()
print(resident() - before)
over.set()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_large_arrays_of_every_thread_go_back_by_themselves() -> None:
    if memory._of_c_library("mallopt") is None:
        pytest.skip("no glibc")
    left = int(subprocess.run([sys.executable, "-c", ARRAYS], capture_output=True, text=True, check=True).stdout)
    assert left < 24 << 20
