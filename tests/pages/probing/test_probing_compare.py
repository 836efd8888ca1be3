"""Two checkpoints' probes side by side: the differences are those of the files, and what their intervals are is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isogloss.pages.widgets.choosing import seeds
from tests.pages.probing.probing_page import CROSS, LAST, ONE, Shown, open_probing
from tests.pages.probing.probing_workspace import Kept
from tests.pages.probing.test_probing_page import scores


def told(app: Any) -> str:
    return " ".join(each.value for each in app.caption)


def test_a_difference_is_that_of_the_files(shown: list[Shown], filled: tuple[Path, Kept]) -> None:
    workspace, kept = filled
    app = open_probing(view="Compare", **ONE)
    rows = shown[-1].data
    first, second = (app.selectbox(key=key).value for key in ("first", "second"))
    labels = {f"{kept.models[0].name} · {each.label}": each.fingerprint for each in kept.models[0].checkpoints}
    assert (labels[first], labels[second]) == tuple(rows.loc[0, ["checkpoint_first", "checkpoint_second"]])
    of = scores(workspace, metric="probe_accuracy", corpus=kept.tagged)
    of = of[(of["source"] == of["target"]) & ~of["variant"].str.contains("tested on")].set_index(
        ["checkpoint", "target", "layer"]
    )["value"]
    for row in rows.to_dict("records"):
        values = [of[row[f"checkpoint_{side}"], row["language"], row["layer"]] for side in ("first", "second")]
        assert row["difference"] == pytest.approx(values[0] - values[1])
    paired = rows["interval"] == "paired"
    assert paired.any()
    assert (rows["low"] < rows["high"]).all()
    assert "Over test sentences, the same on both sides" in told(app)


def test_another_measure_has_the_widest_interval(shown: list[Shown]) -> None:
    app = open_probing(view="Compare", measure="Selectivity", **ONE)
    assert set(shown[-1].data["interval"]) == {"widest"}
    assert "It is the widest interval it can have" in told(app)


def test_seeds_of_a_model_are_one_side(shown: list[Shown], filled: tuple[Path, Kept], monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of the demo's models as seeds of one: where both have a checkpoint of that name the interval is over them."""
    names = [model.name for model in filled[1].models]
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    app = open_probing(view="Compare", model=names, data="Treebanks")
    beside, rows = (each.data for each in shown)
    sides = [app.selectbox(key=key).value for key in ("first", "second")]
    assert all("Demo (2 seeds)" in each for each in sides)
    assert len(rows) == beside.groupby(["language", "layer"]).ngroups
    value = beside.set_index(["side", "language", "layer"])["value"]
    for row in rows.to_dict("records"):
        cell = row["language"], row["layer"]
        assert row["difference"] == pytest.approx(value[sides[0], *cell] - value[sides[1], *cell])
    assert set(rows["interval"]) <= {"seeds", ""}
    assert "eans over the seeds" in told(app)


def test_one_checkpoint_says_what_to_choose(shown: list[Shown]) -> None:
    app = open_probing(view="Compare", **CROSS | {"checkpoints": [LAST]})
    assert "Choose two computed checkpoints or models to compare." in told(app)
    assert not shown
