"""What there is to be seen where a watch looks: a training's folders, or branches and tags of a Hub id that name a step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.backend.models.files import complete, hub
from isogloss.backend.models.files.steps import in_order, parse
from isogloss.backend.models.files.weights import CONFIG, has_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.jobs.watch.record import Watch

HUB_SECONDS = 180.0
"""Between two questions to the Hub."""
UNFINISHED = (".", "tmp-", "_")
"""What the names of folders begin with that some trainings write before they rename them."""


@dataclass(frozen=True)
class Candidate:
    """Something that is, or will be, a checkpoint."""

    name: str
    mark: str
    """What its files look like, or its commit."""
    step: int | None
    folder: Path | None = None
    """None of the Hub's."""


def candidates(watch: Watch) -> list[Candidate]:
    """Return what is there now, by step, of those steps that the watch is to take.

    What vanishes meanwhile is not there. Raises `ModelError` where the Hub cannot be asked, `OSError` where the folder cannot
    be read; a folder that a training has not made yet is empty.
    """
    found = list(_folders(Path(watch.location)) if watch.source == "folder" else _revisions(watch.location))
    wanted = [each for each in found if each.step is None or not watch.every or each.step % watch.every == 0]
    return in_order(wanted, lambda each: each.name)


def _folders(folder: Path) -> Iterator[Candidate]:
    try:
        inside = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(UNFINISHED)]
    except FileNotFoundError:
        return
    own = (folder / CONFIG).is_file()
    for path in [*inside, *([folder] if own else [])]:
        place = parse(path.name if path != folder else "")
        # Beside a run's own configuration lie folders of other things; without it, every folder may be a checkpoint.
        if path != folder and own and not place.is_counted:
            continue
        try:
            # The run's own folder may hold a configuration alone until the training ends.
            if place.is_counted or has_weights({each.name for each in path.iterdir()}, allow_pickle=True):
                yield Candidate(path.name, complete.mark(path), place.step, path)
        except OSError:
            continue


def _revisions(hub_id: str) -> Iterator[Candidate]:
    for revision in hub.step_revisions(hub_id):
        yield Candidate(revision.name, revision.commit, parse(revision.name).step)
