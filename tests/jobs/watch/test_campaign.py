"""Checkpoints that are torn, slow, vanish and are replaced while they are watched: no wrong score, no stuck job."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from isogloss.backend.jobs.watch import look as looks
from isogloss.backend.jobs.watch import record
from isogloss.backend.jobs.watch.record import State
from isogloss.backend.models.library.library import load_entry
from tests.jobs.watch.scorer import Scorer, watch_of
from tests.jobs.watch.trainings import Training

SEED, CHECKPOINTS = (int(each) for each in os.environ.get("ISOGLOSS_CAMPAIGN", "1 300").split())
QUIET = 0.3
"""Seconds, in place of those of a training that takes hours."""


def scored(state: State) -> set[tuple[str, str]]:
    return {(each.name, each.fingerprint) for each in state.seen if each.status == "scored"}


def is_settled(state: State, lasting: dict[str, str]) -> bool:
    """Whether nothing is on its way, and all that is whole for good has its scores."""
    return not any(each.status == "queued" for each in state.seen) and scored(state) >= lasting.items()


@pytest.mark.parametrize(("seed", "checkpoints"), [(SEED, CHECKPOINTS)])
def test_no_wrong_score_and_no_stuck_job(scorer: Scorer, tmp_path: Path, seed: int, checkpoints: int) -> None:
    """Three hundred here; ISOGLOSS_CAMPAIGN='7 1000' takes another seed and a thousand."""
    watch = watch_of(tmp_path / "run").model_copy(update={"quiet": QUIET})
    record.add(watch, scorer.settings.workspace)
    training = Training(tmp_path / "run", tmp_path / "aside", seed)
    writer = threading.Thread(target=training.run, args=(checkpoints,))
    writer.start()
    state, until = State(), time.monotonic() + 1200
    try:
        while writer.is_alive() or not is_settled(state, training.lasting):
            assert time.monotonic() < until, [each for each in state.seen if each.status in ("waiting", "queued")][:5]
            found = looks.look(watch, scorer.settings)
            assert found is not None
            state = found[0]
            training.looks += 1
    finally:
        training.over = True
        writer.join()
    # What a score says that it is of, is what was read for it, and what a training once wrote whole: no mixture, nothing torn.
    assert all(named == read for named, read in scorer.scored)
    assert {named for named, _ in scorer.scored} <= training.whole
    assert len(scorer.scored) > checkpoints / 4
    # All that stayed has a score of its last content; of what is torn nothing was stored.
    assert {(name, state.latest[name].fingerprint) for name in training.lasting} == training.lasting.items()
    torn = {name for name, fate in training.fates.items() if fate == "torn"}
    assert torn.isdisjoint(each.name for each in state.seen if each.fingerprint)
    assert not any(each.status == "failed" for each in state.seen)
    # Replaced ones are checkpoints of their own, and what vanished once it had scores is in its model still.
    model = load_entry("training", [scorer.settings.workspace])
    assert {each.fingerprint for each in model.checkpoints} == {named for named, _ in scorer.scored}
    assert len({each.label for each in model.checkpoints}) == len(model.checkpoints)
    assert any("(replaced)" in each.label for each in model.checkpoints)
    assert any(not Path(each.location).exists() for each in model.checkpoints)
    assert not list((record.folder(scorer.settings.workspace, watch.id) / looks.COPIES).glob("*"))
