"""Give a dead worker's work back to the queue: the one private name of DBOS that Isogloss uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbos import DBOS

if TYPE_CHECKING:
    from collections.abc import Sequence


def recover(executors: Sequence[str]) -> None:
    """Queue the unfinished workflows of dead workers again; called in a worker that runs.

    DBOS does this by itself only for the executor that starts, and `dbos.DBOS` 3.4 has no public name for it. The public
    `resume_workflow` does not serve: it takes a workflow from whichever worker runs it, so that two workers that find the same
    dead one at once would compute a shard twice. This one takes only what still belongs to the dead executor.
    """
    DBOS._recover_pending_workflows(list(executors))
