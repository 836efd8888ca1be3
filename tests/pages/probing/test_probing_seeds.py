"""Seeds of a model are one heatmap in the views of Probing: the mean of what they are by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isogloss
from isogloss.pages.widgets.choosing import seeds
from tests.pages.probing.probing_workspace import Kept
from tests.pages.test_seeds_of_models import cells_are_means, lines_are_means

OWN: dict[str, Any] = {"data": "Treebanks", "setting": "own"}


@pytest.mark.parametrize("view", ["probing/layers-checkpoints", "probing/languages", "probing/best-layers"])
@pytest.mark.parametrize("layer", ["Mean score of the layers", "Layer 2"])
def test_a_cell_of_the_seeds_is_their_mean(
    view: str, layer: str, filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, kept = filled
    names = [model.name for model in kept.models]
    at = {"at_layers": layer} if view.endswith("languages") else {}
    cells_are_means(view, {**OWN, **at, "model": names, "workspace": workspace}, kept.models, monkeypatch)


@pytest.mark.parametrize("more", [{}, {"lines": "Languages"}])
def test_the_line_of_the_seeds_is_their_mean(
    more: dict[str, str], filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, kept = filled
    names = [model.name for model in kept.models]
    lines_are_means("probing/curves", {**OWN, **more, "over": "Layers", "model": names, "workspace": workspace}, monkeypatch)


def test_sources_of_seeds_are_means_of_those_that_were_probed_in_others(
    filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the two is tested in its own language alone: elsewhere the mean is that of one, without an interval."""
    workspace, kept = filled
    names = [model.name for model in kept.models]
    asked = OWN | {"setting": "others", "workspace": workspace, "model": names}
    keys = ["metric", "source", "target"]
    alone = [isogloss.rows("probing/sources", at_model=name, **asked).set_index(keys)["value"] for name in names]
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    together = isogloss.rows("probing/sources", **asked).set_index(keys)
    assert set(together["model"]) == {"Demo (2 seeds)"}
    assert set(together.index) == set(alone[0].index) | set(alone[1].index)
    assert {len([each for each in alone if key in each.index]) for key in together.index} == {1, 2}
    for key, row in together.iterrows():
        values = [each[key] for each in alone if key in each.index]
        assert row["value"] == pytest.approx(sum(values) / len(values))
        assert np.isfinite(row["low"]) == (len(values) > 1)
