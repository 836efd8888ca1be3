"""Workers that were lost with one shard in hand: a shard that kills whoever takes it up ends, and says so.

Being lost is no fault of the shard: a machine may go at any time and as often as it likes. So a life counts only where it came
no further than those before it, and one that said that it ends (SIGTERM) counts never. Where the system says that it killed a
process for memory meanwhile, a few lives are enough. Nothing is written for a shard that no worker was lost with.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.errors import StoreError
from isogloss.backend.files import digest, publish_json
from isogloss.backend.jobs import progress, slots

if TYPE_CHECKING:
    from typing import Self

ENOUGH = 25
"""Lives in a row that came no further, with which a shard ends."""
FOR_MEMORY = 5
"""So many of them is one life worth that ended when the system killed for memory: five end a shard."""


@dataclass
class Losses:
    """The lives that a shard has cost since one last came further than all before."""

    path: Path
    furthest: float = -1.0
    """The largest share that was told of it, 0 to 1."""
    fruitless: dict[str, int] = field(default_factory=dict)
    """Worker → what its life counts."""
    kills: str = ""
    """`_memory_kills` when the present life began."""

    @classmethod
    def of(cls, workspace: Path, workflow_id: str) -> Self:
        """Read those of a shard; none where no worker was lost with it."""
        path = workspace / "jobs" / "losses" / f"{digest(workflow_id)}.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls(path, float(found["furthest"]), dict(found["fruitless"]), str(found["kills"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls(path)

    def begin(self) -> str | None:
        """Begin another life, where one was lost before; returns why not, where too many were."""
        if sum(self.fruitless.values()) >= ENOUGH:
            memory = any(each > 1 for each in self.fruitless.values())
            why = "The system ran out of memory meanwhile" if memory else "It may need more memory than there is"
            return (
                f"{len(self.fruitless) + 1} workers in a row were lost while they computed this, and none came further than "
                f"{max(self.furthest, 0.0):.0%}. {why}: choose smaller batches, fewer texts or a machine with more memory, "
                "then press Resume."
            )
        if self.furthest >= 0:
            self.kills = _memory_kills()
            self._write()
        return None

    def note(self, workspace: Path, workflow_id: str, worker: str) -> None:
        """Note that a worker was lost with the shard; twice for the same worker is once."""
        told = progress.read(workspace, workflow_id)
        share = told[1] if told else 0.0
        if share > self.furthest:
            self.furthest, self.fruitless = share, {}
        else:
            self.fruitless[worker] = FOR_MEMORY if _was_for_memory(self.kills, _memory_kills()) else 1
        self._write()

    def forget(self) -> None:
        """Forget them: the shard is over."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        with suppress(StoreError):  # on a full disk the next loss counts
            publish_json(self.path, {name: value for name, value in asdict(self).items() if name != "path"})


def _memory_kills() -> str:
    """What this start of the machine's system is called, and how many processes it has killed for memory since then."""
    try:
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:  # another system
        return ""
    return next((f"{slots.boot()} {line.split()[1]}" for line in lines if line.startswith("oom_kill ")), "")


def _was_for_memory(before: str, now: str) -> bool:
    """Whether there were more such kills in between; between two machines nobody knows."""
    (boot, _, kills), (boot_now, _, kills_now) = before.rpartition(" "), now.rpartition(" ")
    return bool(boot) and boot == boot_now and int(kills_now) > int(kills)
