"""Axes: labels that do not collide, and training steps whose first is zero."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from isogloss.backend.charts.parts.text import safe, shorten, step_label
from isogloss.backend.charts.parts.theme import AXIS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

StepAxis = Literal["linear", "log"]

PIXELS = 480
"""That an axis of training steps is taken to have: curves stand beside each other."""
CHARACTER = 7.2
"""Width in pixels of a typical character at the size of tick labels (13 px)."""
LONGEST = 32
"""Characters of a tick's label."""
BREAK = "//"
"""Marks a broken axis."""
AS_IT_FITS: dict[str, Any] = {"autotickangles": [0, -90]}
"""Level, and turned in a window too narrow for that."""


def thin(n: int, most: int) -> list[int]:
    """At most about `most` of the places 0 … n − 1, evenly spread, the first and the last among them."""
    if n <= max(most, 1):
        return list(range(n))
    if most < 2:
        return [0]
    stride = math.ceil((n - 1) / (most - 1))
    places = list(range(0, n, stride))
    if places[-1] != n - 1:
        if n - 1 - places[-1] < stride:  # too near the end: the last place takes its turn
            places.pop()
        places.append(n - 1)
    return places


def category_axis(
    labels: Sequence[str], title: str, *, pixels: float, horizontal: bool, at_least: float | None = None
) -> dict[str, Any]:
    """Set up an axis of places 0, 1, 2 … with `labels` as ticks, thinned to what `pixels` can hold.

    Short horizontal labels are thinned; long ones are turned by 90 degrees first. `at_least` are the pixels that the axis has
    in a narrow window, where turned labels must not lie on one another (level ones are turned there): `pixels` where None.
    """
    shown = [safe(shorten(label, LONGEST)) for label in labels]
    longest = max((len(str(label)) for label in labels), default=1) * CHARACTER + 8
    turned = horizontal and longest > 60 and longest * len(labels) > pixels
    room = longest if horizontal and not turned else 13.0
    places = thin(len(shown), int((at_least or pixels if turned else pixels) / room))
    return AXIS | {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [shown[i] for i in places],
        **({"tickangle": -90} if turned else AS_IT_FITS if horizontal else {"tickangle": 0}),
        "title": AXIS["title"] | {"text": safe(title, None), "standoff": 10},
        "showgrid": False,
        "ticks": "",
    }


def turned_room(labels: Sequence[str], pixels: float) -> int:
    """Return the pixels below an axis that its labels take more where they are turned: they do not fit `pixels` level."""
    longest = max((len(safe(shorten(label, LONGEST))) for label in labels), default=0) * CHARACTER + 8
    return int(longest) - 20 if longest > 60 and longest * len(labels) > pixels else 0


def step_positions(steps: Sequence[float], axis: StepAxis) -> list[float]:
    """Place each training step on the axis.

    On a linear axis, at its own value. On a logarithmic one at its decimal logarithm, and step 0, which has none, one slot left
    of the first trained step: the slot is a tenth of the axis, never under 0.15 decades. `step_axis` marks the break.
    """
    if axis == "linear":
        return [float(step) for step in steps]
    logs = [math.log10(step) for step in steps if step > 0]
    first, last = min(logs, default=0.0), max(logs, default=0.0)
    zero = first - max(0.15, (last - first) / 9)
    return [math.log10(step) if step > 0 else zero for step in steps]


def step_axis(steps: Sequence[float], axis: StepAxis, title: str) -> dict[str, Any]:
    """Plotly settings for an axis of training steps laid out by `step_positions`. Ticks are steps that exist where they fit."""
    ordered = sorted(set(steps))
    places = step_positions(ordered, axis)
    span = (places[-1] - places[0]) if len(places) > 1 else 1.0
    widths = [(len(step_label(step)) * CHARACTER + 16) / PIXELS * span for step in ordered]
    kept = clear_of_each_other(places, _by_importance(ordered), lambda i, _: widths[i])
    margin = span * 0.02
    return {
        "type": "linear",
        "tickmode": "array",
        "tickvals": [places[i] for i in kept],
        "ticktext": [step_label(ordered[i]) for i in kept],
        "tickangle": 0,
        "ticks": "outside",
        "range": [places[0] - margin, places[-1] + margin] if places else [0, 1],
        "title": {"text": safe(title, None), "standoff": 10},
    }


def clear_of_each_other(places: Sequence[float], by_importance: Sequence[int], room: Callable[[int, int], float]) -> list[int]:
    """Return, from left to right, which places are labelled: each in its turn, where it is `room` away from all labelled ones.

    `room(i, j)` is how far the label of place i has to be from that of j, which came before it.
    """
    kept: list[int] = []
    for i in by_importance:
        if all(abs(places[i] - places[j]) >= room(i, j) for j in kept):
            kept.append(i)
    return sorted(kept)


def broken_at(steps: Sequence[float], axis: StepAxis) -> float | None:
    """Return where on a logarithmic axis the break between step 0 and the first trained step lies; None without one."""
    ordered = sorted(set(steps))
    if axis == "linear" or len(ordered) < 2 or ordered[0] > 0:
        return None
    places = step_positions(ordered, axis)
    return (places[0] + places[1]) / 2


def _by_importance(steps: Sequence[float]) -> list[int]:
    """Return the places of the ends, then of round steps (1, 5, 2 times a power of ten), then of the others."""

    def weight(i: int) -> tuple[int, int]:
        step = steps[i]
        if i in (0, len(steps) - 1):
            return (0, i)
        digits = f"{step:.0f}".rstrip("0")
        return ({"1": 1, "5": 2, "2": 3}.get(digits, 4 if len(digits) < 2 else 5), i)

    return sorted(range(len(steps)), key=weight)
