"""What checkpoints are called on the axis of a heatmap, and what that axis is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.charts.curves import step_names
from isogloss.backend.charts.parts.stages import GROUP
from isogloss.backend.experiments import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.models.entry import Checkpoint


def named_checkpoints(checkpoints: Sequence[Checkpoint], by: progress.By = "step") -> dict[str, str]:
    """Fingerprint → what the checkpoint is called on an axis: its step (or tokens) where all have one, else its label.

    Where there are stages, a line break parts the stage's name, which comes first, from it.
    """
    counts = _counts(checkpoints, by)
    names = [each.label for each in checkpoints] if None in counts else step_names(counts)
    of_stages = progress.stages(checkpoints)
    names = [f"{stage}{GROUP}{name}" if stage else name for stage, name in zip(of_stages, names, strict=True)]
    return dict(zip([checkpoint.fingerprint for checkpoint in checkpoints], names, strict=True))


def checkpoint_axis(checkpoints: Sequence[Checkpoint], by: progress.By = "step") -> str:
    """Return the title of such an axis."""
    return (
        "Checkpoint"
        if None in (counts := _counts(checkpoints, by)) or not counts
        else progress.TITLES[_counted_by(checkpoints, by)]
    )


def _counts(checkpoints: Sequence[Checkpoint], by: progress.By) -> list[int | None]:
    by = _counted_by(checkpoints, by)
    return [each.tokens if by == "tokens" else each.step for each in checkpoints]


def _counted_by(checkpoints: Sequence[Checkpoint], by: progress.By) -> progress.By:
    """Return steps or tokens: in their order, checkpoints are named by what can be laid out first."""
    return progress.offered([checkpoints])[0] if by == "order" else by
