"""What a pass gave is kept while the next one runs: by a thread of its own, and only what the budget has room for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from isogloss.backend.store import embeddings as store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from isogloss.backend.experiments.spec import Context


@dataclass(frozen=True)
class Saving:
    """One file of vectors to write."""

    size: int
    """About how many bytes it takes."""
    save: Callable[[], object]


class Keeping:
    """Writes vectors behind the passes that give them; used as a context manager, which ends when all is on the disk.

    Most of the time that a file takes is the disk's: this thread waits for it while the next pass computes.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._writer = ThreadPoolExecutor(1, "keeping")
        self._written: Future[None] | None = None
        self.full = context.settings.embeddings_gib <= 0
        """Whether something was not kept for want of room: from then on only what is asked for is worth a pass's time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for the last file. Raises what writing raised, unless something else already ends the passes."""
        self._writer.shutdown()
        if kind is None:
            self._wait()

    def put(self, savings: Sequence[Saving]) -> None:
        """Keep these, the most important first, as far as there is room; waits for what was put before.

        So the vectors of one pass are held beside those of the next, never more. Raises `StoreError` where those before could
        not be written.
        """
        self._wait()
        self._written = self._writer.submit(self._write, savings)

    def _wait(self) -> None:
        if self._written is not None:
            self._written.result()

    def _write(self, savings: Sequence[Saving]) -> None:
        budget = self._context.settings.embeddings_gib
        fit = store.make_room(self._context.workspace, budget, [each.size for each in savings], self._context.since)
        self.full = self.full or fit < len(savings)
        for each in reversed(savings[:fit]):  # the oldest go first one day: what matters most is the youngest
            each.save()
