"""Windows of training error in which a run evaluates its target languages: the named ones, those typed, what they cover.

A window is a pair `(at, epsilon)`: models whose training error lies in `[at, at + epsilon)`. Imports no torch.
Source: Chi, Huang & Mao 2023, Eq. 5, figure 1, tables 2 and 9.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from isogloss.backend.errors import SpecError
from isogloss.backend.metrics.transfer.windows import TOLERANCE
from isogloss.backend.training.finetune.options import Windows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Evaluated = Literal["zero", "curve", "figure1", "table9", "all"]
EVALUATED: dict[Evaluated, Windows | Literal["all"]] = {
    "zero": ((0.0, 0.001),),
    "curve": tuple((round(0.05 * i, 2), 0.025) for i in range(14)),
    "figure1": tuple((round(0.025 * i, 3), 0.025) for i in range(9)),
    "table9": ((0.03, 0.025),),
    "all": "all",
}
"""`zero`: where tables 2, 3 and 6 to 8 take IGap. `curve`: every second window of 0.025 up to 0.675, which is quicker than all.
`figure1`: E' from 0 to 0.2 in steps of 0.025, each 0.025 wide (section 4.1), so that none is left out: figure 1b. `table9`: E'
= 0.03, epsilon = 0.025 (appendix B). `all`: always, as the points of figures 1a and 7, which begin before training errors of
0.225."""
EVALUATED_WORDS: dict[str, str] = {
    "zero": "At zero training error",
    "curve": "Along the curve",
    "figure1": "Figure 1: E′ 0 to 20%",
    "table9": "Table 9: E′ 3%",
    "all": "At every record point",
}
DIGITS = 12
"""Decimals of an edge: sums of typed numbers are off by less."""


def named_windows(name: str) -> Windows | Literal["all"]:
    """Return the windows of a name in `EVALUATED`. Raises `SpecError` for another."""
    for known, windows in EVALUATED.items():
        if name == known:
            return windows
    raise SpecError(f"Unknown --evaluate '{name[:40]}'; choose {', '.join(EVALUATED)}, or give --windows.")


def windows_of(text: str) -> Windows:
    """Return the windows typed as `E'+epsilon`, by E': `3%+2.5%, 0+0.001` is [0, 0.001) and [0.03, 0.055).

    Raises `SpecError` for what is no window, an empty one, one outside 0 to 1, and two that overlap.
    """
    windows = sorted(_window(part.strip()) for part in text.split(",") if part.strip())
    if not windows:
        raise SpecError("No window is given. Write E′+ε, such as 0%+0.1% for training errors from 0% to under 0.1%.")
    for (at, width), (following, other) in pairwise(windows):
        if at + width > following + TOLERANCE:
            raise SpecError(
                f"The windows {_typed(at, width)} and {_typed(following, other)} overlap. Begin the second at "
                f"{_percent(at + width)} or later, or make the first narrower."
            )
    return tuple(windows)


def typed(windows: Windows) -> str:
    """Return windows as they are typed on a page, in percent: what `windows_of` reads."""
    return ", ".join(_typed(at, width) for at, width in windows)


def covered(windows: Iterable[Sequence[float]], at: float, epsilon: float) -> bool:
    """Return whether every training error in `[at, at + epsilon)` lies in one of `windows`, two that touch taken together."""
    end = at
    for start, width in sorted((each[0], each[1]) for each in windows):
        if start <= end + TOLERANCE:
            end = max(end, start + width)
    return end + TOLERANCE >= at + epsilon


def _window(text: str) -> tuple[float, float]:
    first, plus, second = text.partition("+")
    try:
        at, width = _share(first), _share(second if plus else "")
    except ValueError:
        raise SpecError(
            f"'{text[:40]}' is no window. Write E′+ε, such as 3%+2.5% for training errors from 3% to under 5.5%."
        ) from None
    if not TOLERANCE < width < float("inf"):
        raise SpecError(f"The window {text[:40]} is empty: its width ε, after the plus, must be above 0.")
    if not (at >= 0 and at + width <= 1 + TOLERANCE):
        raise SpecError(
            f"The window {text[:40]} leaves the range of training errors: E′ is 0% at least and E′ + ε is 100% at most."
        )
    return round(at, DIGITS), round(width, DIGITS)


def _typed(at: float, width: float) -> str:
    return f"{_percent(at)}+{_percent(width)}"


def _percent(share: float) -> str:
    return f"{round(100 * share, DIGITS - 2):.{DIGITS}g}%"


def _share(text: str) -> float:
    """Read `2.5%`, or the share itself."""
    text = text.strip()
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)
