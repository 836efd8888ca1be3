"""The one number that a watch shows of a checkpoint: what its first rule is on, else its family's first measure with scores."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import changes, registry
from isogloss.backend.jobs.watch import rules, template
from isogloss.backend.models.library import growing

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.experiments.changes import Value
    from isogloss.backend.jobs.watch.record import State, Watch
    from isogloss.backend.models.entry import Checkpoint


def of(watch: Watch, model: str, checkpoint: Checkpoint, workspaces: list[Path]) -> tuple[str, Value] | None:
    """Return what the number is of, in words, and the number; None where there is none. Raises as reading scores does."""
    spec = template.filled(watch.spec, model, checkpoint)
    for metric, words, layers in _asked(watch):
        if (found := changes.value(spec, checkpoint, metric, layers, workspaces)) is not None:
            return words, found
    return None


def series(watch: Watch, state: State, workspace: Path, workspaces: list[Path]) -> tuple[str, list[tuple[str, float]]]:
    """Return what the number is of, and label → number of each checkpoint that has scores, in the model's order."""
    model = growing.called(state.model, workspace) if state.model else None
    scored = {each.fingerprint for each in state.scored}
    words, found = "", []
    for checkpoint in model.checkpoints if model else ():
        if checkpoint.fingerprint in scored and (number := of(watch, state.model, checkpoint, workspaces)) is not None:
            words = number[0]
            found.append((checkpoint.label, number[1].value))
    return words, found


def _asked(watch: Watch) -> list[tuple[str, str, tuple[int, ...] | None]]:
    """Return what may be shown, the first first: measure, words and layers."""
    experiment = str(watch.spec.get("experiment"))
    asked: list[tuple[str, str, tuple[int, ...] | None]] = []
    with suppress(SpecError):
        asked = [(rule.metric, rule.what, rule.layers) for rule in (rules.parse(each, experiment) for each in watch.rules)]
    for family in registry.FAMILIES:
        if experiment in {each.name for each in family.experiments}:
            asked += [(metric, each.title, None) for metric, each in family.measures.items() if each.better == "higher"]
    return asked
