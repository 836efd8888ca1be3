"""`python -m backend worker`."""

from __future__ import annotations

import logging

from backend.settings import settings


def work() -> None:
    """Take computations from the queue until stopped (Ctrl-C).

    The dashboard starts a worker by itself where none is alive. Start more by hand for more at once: each takes whole
    shards, and any of them may be killed at any moment without losing finished work.
    """
    from backend.jobs import worker

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("isogloss").setLevel(logging.INFO)
    worker.work(settings())
