"""Seeds of a model are one matrix and one line of transfer: the mean of what they are apart, whose Python gives the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.pages.transfer.matrix import view as matrix
from tests.pages.abx.abx_page import DEMO, check_rows, record_beside
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened
from tests.pages.transfer.transfer_workspace import NAME, fill_seeds

ONE = "Made (3 seeds)"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The seeds of a made-up model and another, whose runs are there."""
    on_the_demo(monkeypatch, tmp_path)
    return fill_seeds(tmp_path, DEMO)


def open_transfer(models: list[str], **query: str) -> AppTest:
    app = opened("transfer", {"data": NAME, "model": models} | query)
    assert not app.error, app.error
    return app


def together_and_apart(monkeypatch: pytest.MonkeyPatch, models: list[str], **query: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of all figures of a view; those together are what their Python gives."""
    shown = record_beside(monkeypatch)
    app = open_transfer(models, **query)
    assert any(f"{ONE}: mean of the seeds" in each.value.replace("\\", "") for each in app.caption)
    for each in shown:
        check_rows(each)
    together = pd.concat([each.data for each in shown])
    shown.clear()
    open_transfer(models, **query, seed_lines="Apart")
    return together, pd.concat([each.data for each in shown])


@pytest.mark.parametrize("measure", ["IGap", "Test accuracy", "Transfer gap", "Asymmetry"])
def test_a_cell_of_the_seeds_is_the_mean_of_theirs(models: list[str], monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    together, apart = together_and_apart(monkeypatch, models, view="Matrix", transfer=measure)
    assert set(together["model"]) == {ONE, "Other"}
    assert set(apart["model"]) == set(models) - ({models[1]} if measure == "Asymmetry" else set())  # it has no way back
    keys = ["algorithm", "source", "target"]
    own = apart[apart["model"] != "Other"]
    for cell, row in together[together["model"] == ONE].set_index(keys).iterrows():
        values = own.loc[(own[keys] == list(cell)).all(axis=1), "value"]  # type: ignore[call-overload]
        assert row["value"] == pytest.approx(values.mean())
        assert row["deviation"] == pytest.approx(values.std())
        assert row["of_seeds"] == len(values) == (2 if cell[1] == "zh" or measure == "Asymmetry" else 3)  # type: ignore[index]


@pytest.mark.parametrize("query", [{}, {"lines": "Directions", "points": "true"}, {"lines": "Panels"}])
def test_a_line_of_the_seeds_is_the_mean_of_theirs(
    models: list[str], monkeypatch: pytest.MonkeyPatch, query: dict[str, str]
) -> None:
    together, apart = together_and_apart(monkeypatch, models, view="Curves", curve_epsilon="0.1", **query)
    if "point" in together:
        assert set(together.loc[together["point"], "model"]) == {ONE, "Other"}
        together, apart = (each[~each["point"].astype(bool)] for each in (together, apart))
    keys = ["algorithm", "at", *(["source", "target"] if query else [])]
    own = apart[apart["model"] != "Other"].groupby(keys)["value"].mean()
    found = together[together["model"] == ONE].set_index(keys)["value"]
    assert found.notna().any()
    pd.testing.assert_series_equal(found.sort_index(), own.sort_index())


def test_a_line_of_seeds_has_a_band_and_one_of_a_model_has_none(models: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = record_beside(monkeypatch)
    open_transfer(models, view="Curves", curve_epsilon="0.1")
    bands = [trace.legendgroup for trace in shown[0].drawn.data if trace.fill == "toself"]
    assert {each.split(" · ")[0] for each in bands} == {ONE}
    hovers = [each for trace in shown[0].drawn.data if trace.hovertext is not None for each in trace.hovertext if ONE in each]
    assert any("Mean of 3 seeds<br>95% interval over seeds: " in each for each in hovers)


def test_two_models_are_compared_over_seeds(models: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = record_beside(monkeypatch)
    chosen = {"compared": f"{ONE}, vanilla", "compared_with": f"{ONE}, gaussian", "transfer": "Test accuracy"}
    app = open_transfer(models, view="Matrix", **chosen)
    check_rows(shown[0])
    assert set(shown[0].data["interval"]) == {"seeds"}
    assert any("Welch" in each.value for each in app.caption)
    own = {each.name: each.data.set_index(["source", "target"])["percent"] for each in shown[1:3]}
    first, second = (own[f"Test accuracy {ONE}, {name} source by target"] for name in ("vanilla", "gaussian"))
    less = shown[0].data.set_index(["source", "target"])["percent"]
    assert np.allclose(less, (first - second)[less.index])
    app = open_transfer(models, view="Matrix", **chosen | {"compared_with": "Other, vanilla"})
    assert any("one side has a single seed" in each.value for each in app.caption)


def test_a_cell_of_the_seeds_leads_to_the_examples_of_one_that_has_it(
    models: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []
    monkeypatch.setattr(matrix, "_model", lambda of, *_: found.append(of.one_of(f"{ONE}, vanilla", "zh")))
    open_transfer([models[1], models[0], models[2]], view="Matrix")
    assert set(found) <= {f"{models[0]}, vanilla", f"{models[2]}, vanilla"}  # seed 1 is not trained on Chinese
    app = open_transfer(models, view="Examples", at_model=f"{models[2]}, vanilla")
    assert any(f"Of one seed: {models[2]}." in each.value for each in app.caption)
