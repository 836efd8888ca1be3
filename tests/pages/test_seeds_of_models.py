"""Seeds of a model are one line in every view of curves, and one heatmap: the mean of what they are by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pytest

import isogloss
from isogloss.backend.errors import SpecError
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.selecting import ChosenModels
from tests.pages.abx.abx_page import DEMO, open_abx


@pytest.mark.parametrize(
    ("view", "more"),
    [
        ("abx/curves", {"over": "Layers"}),
        ("geometry/curves", {"over": "Layers"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Layers"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Layers", "lines": "Pairs"}),
        ("alignment/curves", {"unit": "Sentences", "over": "Checkpoints"}),
    ],
)
def test_the_line_of_the_seeds_is_their_mean(view: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines_are_means(view, more, monkeypatch)


def lines_are_means(view: str, more: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold the lines of models as seeds of one against the lines of each."""
    apart = isogloss.figure(view, **more)
    monkeypatch.setattr(seeds, "seeds_of", lambda names: dict.fromkeys(names, "Demo"))
    together = isogloss.figure(view, **more)
    lines: dict[str, list[np.ndarray]] = {}
    for trace in apart.data:
        if trace.mode == "lines+markers":
            lines.setdefault(trace.customdata[0][1] if "lines" in more or "probing" in view else "", []).append(trace.y)
    found = [trace for trace in together.data if trace.mode == "lines+markers"]
    assert len(found) == len(lines)
    assert min(map(len, lines.values())) > 1
    for trace in found:
        name = trace.customdata[0][1] if "lines" in more or "probing" in view else ""
        expected = np.mean([np.asarray(each, np.float64) for each in lines[name]], axis=0)
        assert np.asarray(trace.y, np.float64) == pytest.approx(expected, abs=1e-6)
        assert "Demo (" in trace.customdata[0][0]


CELL = ["metric", "measure", "variant", "checkpoint_of", "layer", "layer_name", "language", "source", "target"]
HEATMAPS = [
    ("abx/layers-checkpoints", {}, ""),
    ("abx/languages", {}, ""),
    ("abx/languages", {"across": "Layers"}, ""),
    ("geometry/layers-checkpoints", {}, ""),
    ("geometry/languages", {}, ""),
    ("geometry/languages", {"across": "Layers"}, ""),
    ("geometry/pairs", {}, "pair_model"),
    ("alignment/layers-checkpoints", {"unit": "Sentences"}, ""),
    ("alignment/matrix", {"unit": "Sentences"}, "at_model"),
    ("alignment/table", {"unit": "Sentences"}, ""),
    ("alignment/table", {"unit": "Words"}, ""),
]


@pytest.mark.parametrize(("view", "more", "chooser"), HEATMAPS)
def test_a_cell_of_the_seeds_is_their_mean(
    view: str, more: dict[str, str], chooser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells_are_means(view, more, models.entries([DEMO])[:2], monkeypatch, chooser=chooser)


def cells_are_means(
    view: str, more: Mapping[str, Any], two: Sequence[Model], monkeypatch: pytest.MonkeyPatch, *, chooser: str = ""
) -> None:
    """Hold the figures of two models as seeds of one against those of each: checkpoints with the same label are the same.

    `chooser` is the control that chooses a model, in views of one.
    """
    named = {each.fingerprint: each.label for model in two for each in model.checkpoints}
    names = [model.name for model in two]
    choices = [{chooser: name} for name in names] if chooser else [{}]
    apart = pd.concat([each for choice in choices for each in every_rows(view, {**more, **choice})])
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    together = pd.concat(every_rows(view, more))
    apart, together = (rows.assign(checkpoint_of=rows["checkpoint"].map(named)) for rows in (apart, together))
    assert set(together["model"]) == {"Demo (2 seeds)"}
    assert set(apart["model"]) == set(names)
    keys = [each for each in CELL if each in together]
    expected: dict[tuple[str, ...], list[float]] = {}
    for row in apart.dropna(subset=["value"]).to_dict("records"):
        expected.setdefault(tuple(str(row[key]) for key in keys), []).append(float(row["value"]))
    known = together.dropna(subset=["value"])
    found = {tuple(str(row[key]) for key in keys): row for row in known.to_dict("records")}
    assert len(found) == len(known)
    assert set(found) == set(expected)
    assert max(map(len, expected.values())) == 2
    for key, values in expected.items():
        assert found[key]["value"] == pytest.approx(np.mean(values), abs=1e-6)
        assert np.isfinite(found[key]["low"]) == (len(values) > 1)


def every_rows(view: str, more: Mapping[str, Any]) -> list[pd.DataFrame]:
    """Return the rows behind each figure of a view."""
    found: list[pd.DataFrame] = []
    with suppress(SpecError):
        while True:
            found.append(isogloss.rows(view, which=len(found), **more))
    return found


PAIR_SCORES = ["language", "meaning", "retrieval"]


def test_pairs_of_the_seeds_are_their_means_and_their_list_is_sorted_by_these(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [model.name for model in models.entries([DEMO])[:2]]
    keys, asked = ["source", "target"], {"pair_layer": 2}
    apart = [isogloss.rows("abx/pairs", pair_model=name, **asked).set_index(keys)[PAIR_SCORES] for name in names]
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    together = isogloss.rows("abx/pairs", **asked).set_index(keys)
    expected = (apart[0] + apart[1]) / 2
    pd.testing.assert_frame_equal(together[PAIR_SCORES].sort_index(), expected.sort_index(), check_exact=False, atol=1e-6)
    assert set(together["model"]) == {"Demo (2 seeds)"}
    half = 12.7062047 * (apart[0] - apart[1]).abs() / 2  # Student's t of one degree of freedom, two values
    low = (expected - half).clip(0, 1)["meaning"].sort_index()
    pd.testing.assert_series_equal(together["meaning_low"].sort_index(), low, check_names=False, check_exact=False, atol=1e-6)
    listed = isogloss.rows("abx/pairs", which=1, **asked)
    assert listed["meaning"].tolist() == pytest.approx(sorted(expected["meaning"]), abs=1e-6)


@pytest.mark.parametrize(
    ("view", "chooser"), [("abx/map", "pair_model"), ("geometry/map", "pair_model"), ("alignment/map", "at_model")]
)
@pytest.mark.parametrize("play", [{}, {"map_play": "Checkpoints"}])
def test_a_map_of_the_seeds_is_of_their_mean(
    view: str, chooser: str, play: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"unit": "Sentences", **play} if "alignment" in view else play
    names = [model.name for model in models.entries([DEMO])[:2]]
    keys = ["mark", *(["label"] if play else []), "source", "target"]
    apart = [isogloss.rows(view, **{chooser: name}, **more).set_index(keys)["value"] for name in names]
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    together = isogloss.rows(view, **more).set_index(keys)["value"]
    shared = apart[0].index.intersection(apart[1].index)
    assert len(shared)
    assert together[shared].tolist() == pytest.approx(((apart[0] + apart[1]) / 2)[shared].tolist(), abs=1e-6)


def test_behind_a_mean_each_seed_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    page = open_abx(view="Pairs")
    [table] = [each.value for each in page.dataframe if "Seed" in each.value]
    assert list(table["Seed"]) == [model.name for model in models.entries([DEMO])[:2]]
    assert any(each.value.startswith("Of one seed") for each in page.caption)
    alone = open_abx(view="Pairs", seed_lines="Apart")
    assert not [each for each in alone.dataframe if "Seed" in each.value]


def test_the_line_of_the_seeds_has_a_colour_of_its_own() -> None:
    """The first seed's: by its order in the figure it would have another model's."""
    everything = tuple(
        models.entries([DEMO])[0].model_copy(update={"name": name}) for name in ["Other", "M", "m-seed1", "m-seed2"]
    )
    colours = ChosenModels(everything[1:], everything).colours
    assert colours["m (2 seeds)"] == colours["m-seed1"]
    assert len({colours["M"], colours["Other"], colours["m (2 seeds)"]}) == 3
