"""A Hub id that is watched: its branches and tags that name a step, each by its commit, against a stand-in for the Hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.jobs.watch import look as looks
from isogloss.backend.jobs.watch import record
from isogloss.backend.jobs.watch.sources import HUB_SECONDS, candidates
from tests.jobs.watch.scorer import Scorer, watch_of
from tests.models.files.test_hub import COMMITS, online, server  # noqa: F401 — fixtures

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from isogloss.backend.jobs.watch.record import Watch
    from isogloss.backend.jobs.watch.sources import Candidate


def hub_watch(folder: Path, location: str, every: int = 0) -> Watch:
    return watch_of(folder, every=every).model_copy(update={"source": "hub", "location": location})


def test_revisions_that_name_a_step_are_candidates_by_their_commits(online: object, tmp_path: Path) -> None:  # noqa: F811
    found = candidates(hub_watch(tmp_path, "owner/tiny"))
    steps = [each.step for each in found]
    assert steps == sorted(steps, key=lambda step: step or 0)
    assert {(each.step, each.mark) for each in found} == {
        (2, COMMITS["step2"]),
        (10, COMMITS["step10"]),
        (300, COMMITS["global_step300"]),
    }
    assert all(each.folder is None for each in found)
    assert {each.step for each in candidates(hub_watch(tmp_path, "owner/tiny", every=10))} == {10, 300}


def test_they_are_queued_without_a_copy_and_the_hub_is_asked_again_only_after_a_while(
    online: object,  # noqa: F811
    scorer: Scorer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def counted(watch: Watch) -> list[Candidate]:
        asked.append(watch.location)
        return candidates(watch)

    monkeypatch.setattr(looks, "candidates", counted)
    watch = hub_watch(tmp_path, "owner/tiny", every=10)
    record.add(watch, scorer.settings.workspace)
    looks.look(watch, scorer.settings, lambda: 1000.0)
    looks.look(watch, scorer.settings, lambda: 1000.0 + HUB_SECONDS / 2)
    assert asked == ["owner/tiny"]
    sent = [checkpoint for checkpoint, _ in scorer.runs.values()]
    assert [(each.source, each.location, each.commit) for each in sent] == [
        ("hub", "owner/tiny", COMMITS["step10"]),
        ("hub", "owner/tiny", COMMITS["global_step300"]),
    ]
    missing = hub_watch(tmp_path, "owner/missing")
    record.add(missing, scorer.settings.workspace)
    found = looks.look(missing, scorer.settings, lambda: 1000.0)
    assert found is not None
    assert found[0].trouble.endswith("It is tried again.")
