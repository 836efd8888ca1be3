"""Where a model's checkpoints stand on an axis of its training, whose stages may each begin to count again."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Literal

from isogloss.backend.models.files.steps import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.models.entry import Checkpoint

By = Literal["step", "tokens", "order"]
WORDS: dict[By, str] = {"step": "Steps", "tokens": "Tokens", "order": "Order"}
TITLES: dict[By, str] = {"step": "Training step", "tokens": "Training tokens", "order": "Checkpoint (in the training's order)"}
ADDED_UP = " (stages added up)"
UNNAMED = "pre-training"
"""What the stage of names without one is called beside others."""


def offered(models: Sequence[Sequence[Checkpoint]]) -> list[By]:
    """Return what these models' checkpoints can be laid out by, the usual one first."""
    every = [each for checkpoints in models for each in checkpoints]
    steps = any(each.step is not None for each in every)
    tokens = any(each.tokens is not None for each in every)
    staged = any(any(stages(checkpoints)) for checkpoints in models)
    found: list[By] = ["step"] if steps or not tokens else []
    return [*found, *(["tokens"] if tokens else []), *(["order"] if staged else [])]  # type: ignore[list-item]


def stages(checkpoints: Sequence[Checkpoint]) -> list[str]:
    """Name each checkpoint's stage, one stage by one name; all empty where there are not two stages.

    A checkpoint whose name tells nothing (`main`) is of none.
    """
    keys = [parse(each.stage).stage_key if _is_told(each) else None for each in checkpoints]
    if len({key for key in keys if key is not None}) < 2:
        return [""] * len(checkpoints)
    names = {key: each.stage for key, each in zip(reversed(keys), reversed(checkpoints), strict=True) if each.stage}
    return ["" if key is None else names.get(key, UNNAMED) for key in keys]


def places(checkpoints: Sequence[Checkpoint], by: By) -> list[float | None]:
    """Place a model's checkpoints, in their order, on an axis that never goes back.

    Where a count begins again (a new stage), it goes on from the last place before. A checkpoint that tells no step stands as
    far after the one before as checkpoints usually do, or at its position where none tells any; one that tells no tokens has
    no place among tokens.
    """
    counts: list[int | None] = [each.tokens if by == "tokens" else each.step for each in checkpoints]
    if by == "order":
        return [float(place) for place in range(1, len(checkpoints) + 1)]
    if all(count is None for count in counts):
        return [None if by == "tokens" else float(place) for place in range(len(checkpoints))]
    typical = _typical(counts)
    found: list[float | None] = []
    last, begun, before = -1.0, 0.0, ""
    for count, stage in zip(counts, stages(checkpoints), strict=True):
        if count is None and by == "tokens":
            found.append(None)
            continue
        if count is None:
            place = max(last, 0.0) + typical if found else 0.0
        else:
            # Equal ones within a stage are rounded tokens.
            if count + begun < last or (count + begun == last and stage != before):
                begun = last
            place, before = max(count + begun, last + 1), stage
        found.append(place)
        last = place
    return found


def is_plain(checkpoints: Sequence[Checkpoint]) -> bool:
    """Whether every checkpoint stands at its own step, or, where none tells any, at its position."""
    steps = [each.step for each in checkpoints]
    if any(stages(checkpoints)):
        return False
    return all(step is None for step in steps) or [float("nan") if step is None else step for step in steps] == places(
        checkpoints, "step"
    )


def title(models: Sequence[Sequence[Checkpoint]], by: By) -> str:
    """Return the title of such an axis."""
    if by == "order":
        return TITLES[by]
    for checkpoints in models:
        own = [each.tokens if by == "tokens" else each.step for each in checkpoints]
        if any(
            None not in (place, count) and place != count for place, count in zip(places(checkpoints, by), own, strict=True)
        ):
            return TITLES[by] + ADDED_UP
    return TITLES[by]


def _is_told(checkpoint: Checkpoint) -> bool:
    return bool(checkpoint.stage) or checkpoint.step is not None or checkpoint.tokens is not None


def _typical(counts: Sequence[int | None]) -> float:
    """Return the usual distance of neighbours."""
    known = [(one, other) for one, other in pairwise(counts) if one is not None and other is not None and other > one]
    return float(median(other - one for one, other in known)) if known else 1.0
