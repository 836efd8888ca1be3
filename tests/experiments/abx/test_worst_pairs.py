"""The list of pairs, worst first: as a plain loop makes it, and no change's interval narrower than it may be."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.experiments.abx.worst import COLUMNS, By, worst_first

LANGUAGES = ["ar", "de", "en", "zh", "zu"]


def rows(checkpoint: str, random: np.random.Generator, lacking: float = 0.15) -> list[dict[str, Any]]:
    """Scores as `queries.pairs` lays them out: some missing, some without an interval, many equal, some cut off at 0 and 1."""
    found = []
    for source, target in combinations(LANGUAGES, 2):
        if random.random() < lacking:
            continue
        row: dict[str, Any] = {"checkpoint": checkpoint, "source": source, "target": target, "n": 40, "retrieval": 0.5}
        for score in ("language", "meaning"):
            value = float(random.choice([0.0, 1.0, 0.5, random.random()]))
            half = float(random.choice([np.nan, 0.01, 0.3, 1.5]))
            low, high = max(value - half, 0.0) if half == half else half, min(value + half, 1.0) if half == half else half
            row |= {score: value, f"{score}_low": low, f"{score}_high": high}
        if random.random() < lacking:
            row["meaning"] = row["meaning_low"] = row["meaning_high"] = np.nan
        found.append(row)
    return found


def plain(every: list[dict[str, Any]], checkpoint: str, before: str | None, by: By) -> list[list[Any]]:
    """The same, a pair at a time."""
    found = []
    for row in (each for each in every if each["checkpoint"] == checkpoint):
        same = (row["source"], row["target"])
        old = next((o for o in every if o["checkpoint"] == before and (o["source"], o["target"]) == same), None)
        out = dict(row)
        for score in ("meaning", "language"):
            out[f"{score}_change"] = out[f"{score}_change_low"] = out[f"{score}_change_high"] = np.nan
            if old is None:
                continue
            change = out[f"{score}_change"] = row[score] - old[score]
            low = change - (row[score] - row[f"{score}_low"]) - (old[f"{score}_high"] - old[score])
            high = change + (row[f"{score}_high"] - row[score]) + (old[score] - old[f"{score}_low"])
            if low == low:
                out[f"{score}_change_low"], out[f"{score}_change_high"] = max(low, -1), min(high, 1)
        found.append(out)
    column = {"meaning": "meaning", "language": "language", "change": "meaning_change"}[by]
    sign = -1 if by == "language" else 1

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        value = row[column]
        return (value != value, 0 if value != value else sign * value, row["source"], row["target"])

    return [[row[name] for name in COLUMNS] for row in sorted(found, key=place)]


@pytest.mark.parametrize("by", ["meaning", "language", "change"])
@pytest.mark.parametrize("before", ["old", "never computed", None])
def test_the_list_is_what_a_loop_makes_of_the_scores(by: By, before: str | None) -> None:
    for seed in range(30):
        random = np.random.default_rng(seed)
        every = rows("old", random) + rows("new", random) + rows("another", random)
        random.shuffle(every)  # type: ignore[arg-type]
        found = worst_first(pd.DataFrame(every), checkpoint="new", before=before, by=by)
        expected = pd.DataFrame(plain(every, "new", before, by), columns=COLUMNS)
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_the_interval_of_a_change_holds_however_the_errors_move_together() -> None:
    random = np.random.default_rng(0)
    for correlation in (-1.0, -0.5, 0.0, 0.9, 1.0):
        errors = (0.02, 0.05)
        together = correlation * errors[0] * errors[1]
        drawn = random.multivariate_normal([0.7, 0.6], [[errors[0] ** 2, together], [together, errors[1] ** 2]], 4000)
        frame = pd.DataFrame(
            [
                {"checkpoint": name, "source": f"s{place}", "target": "t", "n": 40}
                | dict.fromkeys(("meaning", "language"), value)
                | {f"{score}_low": value - 1.96 * error for score in ("meaning", "language")}
                | {f"{score}_high": value + 1.96 * error for score in ("meaning", "language")}
                for place, both in enumerate(drawn[:400])
                for name, value, error in zip(("now", "then"), both, errors, strict=True)
            ]
        )
        found = worst_first(frame, checkpoint="now", before="then")
        assert len(found) == 400
        inside = ((found["meaning_change_low"] <= 0.1) & (found["meaning_change_high"] >= 0.1)).sum()
        assert inside / 400 >= 0.92, correlation  # 95%, and three deviations of so many draws


def test_a_checkpoint_without_scores_has_an_empty_list() -> None:
    frame = pd.DataFrame(rows("new", np.random.default_rng(1), 0))
    assert list(worst_first(frame, checkpoint="other", before="new").columns) == COLUMNS
    assert worst_first(frame, checkpoint="other", before="new").empty
