"""The curves behind one cell: each seed's own, without those that are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from isogloss.backend.experiments.sources.shard import CURVE
from isogloss.backend.experiments.xferbench import curves as xferbench_curves
from isogloss.backend.store import details

if TYPE_CHECKING:
    from pathlib import Path


def keep(workspace: Path, key: str, losses: list[float]) -> None:
    steps = pa.array(range(1, len(losses) + 1), pa.int32())
    details.write(workspace, key, pa.table([steps, pa.array(losses)], schema=CURVE), {})


def test_a_stage_has_its_own_keys_and_none_no_pre_training() -> None:
    seeds = pd.DataFrame({"seed": [1, 0], "run": ["r1", "r0"], "base": ["b1", None]})
    assert xferbench_curves.keys(seeds, "tuning") == {1: "r1", 0: "r0"}
    assert xferbench_curves.keys(seeds, "pre-training") == {1: "b1"}
    assert xferbench_curves.keys(seeds.assign(base=float("nan")), "pre-training") == {}


def test_curves_are_joined_by_seed_and_missing_or_damaged_ones_left_out(tmp_path: Path) -> None:
    keep(tmp_path, "a", [5.0, 4.0])
    keep(tmp_path, "b", [6.0, 3.5, 3.0])
    keep(tmp_path, "torn", [1.0])
    details.path(tmp_path, "torn").write_bytes(b"no curve")
    details.write(tmp_path, "other", pa.table({"x": [1]}), {})
    found = xferbench_curves.curves({2: "b", 0: "a", 1: "gone", 3: "torn", 4: "other"}, [tmp_path])
    assert tuple(found.columns) == xferbench_curves.CURVE
    assert list(found.itertuples(index=False, name=None)) == [
        (0, 1, 5.0),
        (0, 2, 4.0),
        (2, 1, 6.0),
        (2, 2, 3.5),
        (2, 3, 3.0),
    ]


def test_nothing_kept_is_an_empty_frame(tmp_path: Path) -> None:
    assert tuple(xferbench_curves.curves({0: "gone"}, [tmp_path]).columns) == xferbench_curves.CURVE
    assert xferbench_curves.curves({}, [tmp_path]).empty
