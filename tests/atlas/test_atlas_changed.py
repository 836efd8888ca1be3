"""What changed from an atlas to another: by loops over the rows of both, with what is new and what is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

from isogloss.backend.atlas import imported, publish
from isogloss.backend.atlas.changed import changes
from isogloss.backend.atlas.grids import pair_grids
from isogloss.backend.cli import app
from isogloss.backend.models.library import library as models
from tests.atlas.atlas_workspace import fill, published, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """The same workspace twice, with one pair of the first checkpoint computed again in the second."""
    for name in ("before", "after"):
        fill(tmp_path / name, plain=True)
    (grid,) = pair_grids([tmp_path / "after"])
    again = np.random.default_rng(5)
    write(tmp_path / "after", grid.checkpoints[0], grid.corpus.id, 3, [("de", "en")], again, run="a" * 24)
    return tmp_path / "before", tmp_path / "after"


def test_what_changed_is_what_loops_find(sides: tuple[Path, Path]) -> None:
    grids = [pair_grids([side])[0] for side in sides]
    found = changes([sides[0]], [sides[1]]).set_index("measure")
    assert set(found["state"]) == {"changed"}
    for metric, name in enumerate(grids[0].metrics):
        cells, changed, before, after, low, high = 0, 0, 0.0, 0.0, 0.0, 0.0
        for place in range(3):
            one, other = (grid.values(place) for grid in grids)
            for layer in range(3):
                for pair in range(len(grids[0].pairs)):
                    at = metric, layer, pair
                    if np.isnan(one["value"][at]):
                        continue
                    cells += 1
                    before, after = before + one["value"][at], after + other["value"][at]
                    if one["value"][at] != other["value"][at]:
                        changed += 1
                        low += other["low"][at] - one["high"][at]
                        high += other["high"][at] - one["low"][at]
        row = found.loc[name]
        assert (row["cells"], row["changed"], row["new"], row["gone"]) == (cells, changed, 0, 0) == (51, 3, 0, 0)
        assert row["before"] == pytest.approx(before / cells)
        assert row["difference"] == pytest.approx((after - before) / cells)
        assert [row["low"], row["high"]] == pytest.approx([low / cells, high / cells], nan_ok=True)
        assert np.isnan(row["low"]) == (name == "retrieval_top1")  # it has no interval


def test_the_same_is_the_same_and_what_one_lacks_is_new_or_gone(sides: tuple[Path, Path], tmp_path: Path) -> None:
    same = changes([sides[0]], [sides[0]])
    assert set(same["state"]) == {"same"}
    assert same["low"].isna().all()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert set(changes([empty], [sides[0]])["state"]) == {"new"}
    gone = changes([sides[0]], [empty])
    assert set(gone["state"]) == {"gone"}
    assert gone["cells"].tolist() == [0, 0, 0]
    assert gone["gone"].tolist() == [51, 51, 51]
    assert changes([empty], [empty]).empty


def test_an_imported_atlas_is_compared_with_the_workspace_under_its_models_own_name(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    site = published(publish.with_said(publish.of_models([sides[0]]), "Theirs of June", "", []), sides[0], tmp_path / "site")
    kept = imported.take(site, sides[1])
    assert [each.name for each in models.entries([kept.folder])] == ["Theirs (Theirs of June)"]
    assert set(changes([kept.folder], [sides[1]], kept.title)["state"]) == {"changed"}


def test_the_command_says_what_changed(sides: tuple[Path, Path], tmp_path: Path) -> None:
    sites = [published(publish.of_models([side]), side, tmp_path / f"{side.name}-site") for side in sides]
    done = CliRunner().invoke(app, ["import", "compare", *map(str, sites), "-o", str(tmp_path / "changes.csv")])
    assert done.exit_code == 0, done.output
    assert "changed  abx     Theirs  abx_language" in done.output
    assert "0 measures the same." in done.output
    assert (tmp_path / "changes.csv").read_text().count("\n") == 4
    again = CliRunner().invoke(app, ["import", "compare", str(sites[0]), str(sites[0])])
    assert "Nothing changed.\n3 measures the same." in again.output
