"""Give a dead worker's work back to the queue: whoever renames its file does so, and a rename succeeds for one alone.

Nothing here needs to be exact to be right: a shard that two workers compute at once is published by each whole, under one name
and with equal content, and the queue takes the result of the one that has it last. Only what nobody takes up would be lost, so
whatever is pending under the name of no living worker is taken for a dead one's.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dbos import DBOS

from isogloss.backend.jobs import names, queues, slots
from isogloss.backend.jobs.lost_workers import Losses

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dbos import WorkflowStatus

    from isogloss.backend.jobs.slots import Slot

log = logging.getLogger("isogloss.worker")
CLAIMED = ".claimed-"


@dataclass
class Keeper:
    """One worker's watch over itself and the others."""

    slot: Slot
    workspace: Path
    silence: float
    """Seconds that another machine's counter stands still before its worker is taken for dead."""
    clock: Callable[[], float] = time.monotonic
    silent: dict[Path, tuple[str, float]] = field(default_factory=dict)
    """Slot → its counter when it was last looked at, and the seconds for which it has stood still."""
    looked: float | None = None
    dropped: set[str] = field(default_factory=set)
    """What the queue takes for this worker's and it does not have in hand, as it last looked."""

    @property
    def pause(self) -> float:
        """Seconds between two looks."""
        return 2.0 if self.slot.machine is None else max(0.1, self.silence / 12)

    def look(self) -> None:
        """Raise this worker's counter, find the dead among the others and queue their work again.

        Raises what the workspace and the queue's database raise; the next look goes on from there.
        """
        self.slot.beat()
        self._find_strays()
        for path in self._dead():
            self._claim(path, path.stem)
        for path in slots.folder(self.workspace).glob(f"*{CLAIMED}*"):
            lost, _, claimer = path.name.partition(CLAIMED)
            is_left = not path.with_name(claimer + slots.LOCK).exists()  # its claimer is gone as well
            if claimer == self.slot.executor or (is_left and self._claim(path, lost)):
                self._resume(lost)

    def _dead(self) -> list[Path]:
        """Return the slots whose workers are dead."""
        now = self.clock()
        # Time in which this worker did not look counts for little: the machine slept, or nobody reached the workspace.
        passed = 0.0 if self.looked is None else min(now - self.looked, 2 * self.pause)
        self.looked = now
        others = [path for path in slots.locks(self.workspace) if path != self.slot.path]
        self.silent = {path: self.silent[path] for path in others if path in self.silent}
        return [path for path in others if self._is_dead(path, passed)]

    def _is_dead(self, path: Path, passed: float) -> bool:
        try:
            counter, machine = slots.counted(path)
        except OSError:  # claimed by another worker just now, or not to be read: the next look will tell
            return False
        if machine in {None, self.slot.machine}:
            return not slots.is_held(path) and path.exists()
        before, silent = self.silent.get(path, ("", 0.0))
        self.silent[path] = (counter, silent + passed if counter == before else 0.0)
        return self.silent[path][1] >= self.silence

    def _claim(self, path: Path, lost: str) -> bool:
        """Rename the file of worker `lost`, or another's claim to it; returns whether the claim is this worker's now."""
        mine = path.with_name(f"{lost}{CLAIMED}{self.slot.executor}")
        with suppress(FileNotFoundError):  # another was first; or the answer of a network file system was lost
            path.rename(mine)
        return mine.exists()

    def _resume(self, lost: str) -> None:
        """Queue again what worker `lost` had in hand."""
        pending = DBOS.list_workflows(status="PENDING", executor_id=[lost], load_input=False, load_output=False)
        claim = slots.folder(self.workspace).joinpath(f"{lost}{CLAIMED}{self.slot.executor}")
        if not slots.is_released(claim):
            for each in pending:
                if each.name == names.SHARD:
                    Losses.of(self.workspace, each.workflow_id).note(self.workspace, each.workflow_id, lost)
        for name, queue in ((names.RUN, names.RUNS), (names.SHARD, names.SHARDS)):
            if found := [each.workflow_id for each in pending if each.name == name]:
                DBOS.resume_workflows(found, queue_name=queue)
                log.info("%s is gone: %s goes on with %s", lost, self.slot.executor, ", ".join(found))
        claim.unlink(missing_ok=True)
        slots.forget_reports(self.workspace)

    def _take_up_dropped(self, own_workflows: list[WorkflowStatus]) -> None:
        """Queue again what this worker has dropped: on a full disk the queue cannot take a result, and would wait for ever.

        What two looks in a row found so: between its end and the queue's taking its result a workflow is not in hand.
        """
        dropped = {each.workflow_id: each.name for each in own_workflows if each.workflow_id not in queues.in_hand}
        for name, queue in ((names.RUN, names.RUNS), (names.SHARD, names.SHARDS)):
            if found := [each for each in dropped if dropped[each] == name and each in self.dropped]:
                DBOS.resume_workflows(found, queue_name=queue)
                log.info("the queue did not take the result of %s: it goes on", ", ".join(found))
        self.dropped = dropped.keys() - self.dropped

    def _find_strays(self) -> None:
        """Give each worker a slot that has work and none: one that was taken for dead, woke, took a shard and went."""
        folder = slots.folder(self.workspace)
        pending = DBOS.list_workflows(status="PENDING", name=[names.RUN, names.SHARD], load_input=False, load_output=False)
        if not pending:
            queues.adapt(None)
        self._take_up_dropped([each for each in pending if each.executor_id == self.slot.executor])
        for executor in {str(each.executor_id) for each in pending}:
            if not any(folder.glob(f"{executor}{CLAIMED}*")):
                with suppress(FileExistsError):  # as nearly always
                    open(folder / f"{executor}{slots.LOCK}", "x", encoding="utf-8").close()
