"""What the tests of XferBench runs and of translation checks share: both are watched, stopped and taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments.spec import Cancelled
from tests.training.killed_scripts import Started, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from types import ModuleType

    from isogloss.backend.experiments.spec import Context

SCRIPT = """
    import json, sys, time
    from pathlib import Path
    from isogloss.backend.experiments.spec import Context
    from isogloss.backend.experiments import registry
    from isogloss.backend.settings import Settings
    folder, name, pause, shard = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    def told(what, share):
        print(what, flush=True)
        time.sleep(pause if share else 0)
    spec = registry.parse(json.loads(sys.argv[5]))
    registry.compute(spec, shard, Context(Settings(workspace=folder / name, demo=folder / "shared", device="cpu"), told))
    print("done", flush=True)
"""


def begun(folder: Path, name: str, spec: Any, shard: str, pause: float) -> Started:
    """A process that computes `shard` in the workspace `name` of `folder`, and waits `pause` seconds after all it tells."""
    return started(SCRIPT, folder, name, str(pause), shard, spec.model_dump_json())


def watched(experiment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels, from now on, of what `experiment` pre-trains and tunes, or goes on with."""
    seen: list[str] = []
    for name in ("_pretrain", "_tune"):
        real = getattr(experiment, name)

        def noted(piece: Any, context: Any, real: Any = real) -> Any:
            seen.append(piece.label)
            return real(piece, context)

        monkeypatch.setattr(experiment, name, noted)
    return seen


def cancelled_and_taken_up_again(
    compute: Callable[[Context], None], context: Callable[..., Context], stops: Iterable[str]
) -> tuple[list[str], float]:
    """What is told, and the last share of it that is done, by a computation that was cancelled before at each of the `stops`.

    `context` makes the context of one workspace. Cancelled it publishes no scores there; taken up again its share only grows.
    """
    for stop in stops:
        told: list[str] = []

        def should_stop(told: list[str] = told, stop: str = stop) -> bool:
            return any(stop in what for what in told)

        stopping = context(progress=lambda what, _, told=told: told.append(what), should_stop=should_stop)
        with pytest.raises(Cancelled):
            compute(stopping)
        assert not (stopping.workspace / "scores").exists()
    told, shares = [], list[float]()
    compute(context(progress=lambda what, share: (told.append(what), shares.append(share))))
    assert shares == sorted(shares)
    return told, shares[-1]
