"""Training steps read from the names that people give checkpoints, ordered as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_NUMBER = r"(\d+(?:\.\d+)?)([km]?)(?![a-z0-9.])"
_NAMED = re.compile(r"(?:^|[^a-z])(?:global[-_]?)?(?:steps?|iter(?:ation)?s?|updates?|checkpoint|ckpt)[-_=]?" + _NUMBER)
_FAIRSEQ = re.compile(r"^checkpoint_\d+_(\d+)$")
_FAIRSEQ_EPOCH = re.compile(r"^checkpoint\d+$")
_BARE = re.compile(r"^" + _NUMBER + r"$")

_T = TypeVar("_T")


def parse_step(name: str) -> int | None:
    """Return the training step that a checkpoint's name tells, or None.

    Reads `step1000`, `global_step1000`, `step-10k`, `checkpoint-500`, `iter_0005000`, `stage1-step-40000`,
    `step1.5M`, `1000`, and fairseq's `checkpoint_<epoch>_<updates>.pt`. An epoch (`checkpoint12.pt`), `main`, a version
    number and `checkpoint_best.pt` tell no step.
    """
    text = name.strip().casefold()
    is_pt = text.endswith(".pt")
    text = text.removesuffix(".pt")
    if match := _FAIRSEQ.match(text):
        return int(match[1])
    if is_pt and _FAIRSEQ_EPOCH.match(text):
        return None
    # The last mention counts: in `checkpoint-3/step-2000` and `stage1-step-40000` the step is named last.
    found = _BARE.findall(text) or _NAMED.findall(text)
    if not found:
        return None
    number, unit = found[-1]
    if "." in number and not unit:
        return None  # 1.0 is a version
    step = float(number) * _UNITS[unit]
    return int(step) if step == int(step) else None


def natural_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sorting key that orders the numbers inside names as numbers: `epoch2` before `epoch10`."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", name) if part)


def by_step(items: Iterable[_T], step: Callable[[_T], int | None]) -> list[_T]:
    """Items ordered by step; those without one after the others, in the order given."""
    numbered = [(step(item), item) for item in items]
    stepped = sorted(((number, item) for number, item in numbered if number is not None), key=lambda pair: pair[0])
    return [item for _, item in stepped] + [item for number, item in numbered if number is None]
