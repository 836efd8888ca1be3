"""Windows of training error as they are named and typed, and what they cover."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.transfer.printed.tables import TABLES
from isogloss.backend.experiments.transfer.windows import EVALUATED, covered, typed, windows_of
from isogloss.backend.training.finetune.options import FinetuneOptions


def test_figure_1_leaves_out_no_training_error_below_its_last() -> None:
    """E' from 0.2 to 0 with a step size of 0.025 and epsilon 0.025 (section 4.1)."""
    windows = EVALUATED["figure1"]
    assert windows != "all"
    assert covered(windows, 0.0, 0.225)
    assert not covered(windows, 0.0, 0.226)


def test_the_named_windows_are_those_of_the_printed_tables() -> None:
    for table, setting in TABLES.items():
        assert EVALUATED["table9" if table == "table 9" else "zero"] == ((setting.at, setting.epsilon),)


@pytest.mark.parametrize("windows", [each for each in EVALUATED.values() if each != "all"])
def test_what_is_named_can_be_typed(windows: tuple[tuple[float, float], ...]) -> None:
    assert windows_of(typed(windows)) == windows
    assert FinetuneOptions(windows=windows_of(typed(windows))).windows == windows


def test_typed_windows_are_read_in_any_order() -> None:
    assert windows_of(" 0.03 + 0.025,0+1e-3 ,") == ((0.0, 0.001), (0.03, 0.025))
    assert windows_of("3%+2.5 %, 0%+0.001") == ((0.0, 0.001), (0.03, 0.025))
    assert windows_of("0.1+0.1, 0.2+0.1") == ((0.1, 0.1), (0.2, 0.1))  # they touch, and do not overlap
    assert windows_of("0.975+0.025") == ((0.975, 0.025),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "No window is given"),
        (" , ", "No window is given"),
        ("0.03", "'0.03' is no window"),
        ("3%", "'3%' is no window"),
        ("%+1%", "'%\\+1%' is no window"),
        ("low+0.1", "'low\\+0.1' is no window"),
        ("0.03-0.055", "is no window"),
        ("0.1+0", "0.1\\+0 is empty"),
        ("0.1+-0.1", "empty"),
        ("0.1+nan", "empty"),
        ("0+inf", "empty"),
        ("-0.1+0.2", "leaves the range"),
        ("nan+0.2", "leaves the range"),
        ("0.9+0.11", "leaves the range"),
        ("0+0.025, 0.02+0.025", "0%\\+2.5% and 2%\\+2.5% overlap. Begin the second at 2.5%"),
        ("0.1+0.1, 0.1+0.1", "overlap"),
    ],
)
def test_what_is_wrong_with_windows_is_said(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        windows_of(text)


def test_covered_is_what_every_single_training_error_says() -> None:
    """Random windows on a fine grid, asked number by number in whole thousandths."""
    random = np.random.default_rng(3)
    seen = set()
    for _ in range(400):
        starts, widths = random.integers(0, 60, 4), random.integers(1, 25, 4)
        at, epsilon = int(random.integers(0, 60)), int(random.integers(1, 30))
        inside = all(
            any(start <= error < start + width for start, width in zip(starts.tolist(), widths.tolist(), strict=True))
            for error in (Fraction(k, 4) for k in range(4 * at, 4 * (at + epsilon)))
        )
        windows = [(start / 1000, width / 1000) for start, width in zip(starts.tolist(), widths.tolist(), strict=True)]
        assert covered(windows, at / 1000, epsilon / 1000) is inside
        seen.add(inside)
    assert seen == {True, False}
    assert not covered([], 0.0, 0.001)
