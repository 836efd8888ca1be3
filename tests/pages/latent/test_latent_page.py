"""The page of the latent language on a planted decoder: its figures are the scores, its words those behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import isogloss
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.latent.spec import LatentSpec
from isogloss.backend.experiments.named import corpus_names
from isogloss.backend.experiments.spec import Context, validate
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import settings
from isogloss.pages.shared import run_links
from tests.experiments.latent.planted import PATH, keep_model, keep_words, planted
from tests.models.tiny import tiny_model
from tests.pages.abx.abx_page import Shown, record, run
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

SELECTED = {"model": "Planted", "dictionaries": ["en-fr", "en-de"], "asked_from": "French · fr", "answers": ["German · de"]}


@pytest.fixture
def spec(workspace: Path, tmp_path: Path) -> LatentSpec:
    """What was computed of a planted decoder of two checkpoints, of which the first goes no way."""
    root = tmp_path / "model"
    planted(root / "checkpoint-10", ("fr",) * len(PATH))
    planted(root / "checkpoint-20", PATH)
    kept = keep_model(root, workspace)
    asked = {"pivot": "en", "dictionaries": keep_words(workspace), "source": "fr", "targets": ["de"]}
    found = validate(LatentSpec, kept | asked)
    for key in found.shards():
        registry.compute(found, key, Context(settings()))
    return found


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    return record(monkeypatch)


def test_layers_tell_the_planted_path(spec: LatentSpec, shown: list[Shown]) -> None:
    opened("latent", SELECTED | {"view": "Layers", "entropy": "true"})
    lines, entropy = shown
    assert lines.data.loc[lines.data.groupby("layer")["value"].idxmax(), "language"].tolist() == list(PATH)
    named = [trace.name for trace in lines.drawn.data if trace.showlegend]
    assert named == ["German (answer)", "English (pivot)", "French (asked from)"]
    assert entropy.data["value"].tolist() == pytest.approx([5.0] * len(PATH), rel=1e-2)
    for drawn in shown:
        pd.testing.assert_frame_equal(run(drawn.recipe), drawn.data)


def test_languages_by_layers_and_over_checkpoints(spec: LatentSpec, shown: list[Shown]) -> None:
    opened("latent", SELECTED | {"view": "Languages × layers"})
    opened("latent", SELECTED | {"view": "Checkpoints", "trend_layer": "1"})
    grid, trend = shown
    cells = {row: list(line) for row, line in zip(grid.drawn.layout.yaxis.ticktext, grid.drawn.data[0].z.tolist(), strict=True)}
    assert [max(cells, key=lambda name: cells[name][layer]) for layer in range(len(PATH))] == [
        "French", "English", "English", "German",
    ]  # fmt: skip
    most = trend.data.loc[trend.data.groupby("label")["value"].idxmax()].set_index("label")["language"]
    assert most.to_dict() == {"checkpoint-10": "fr", "checkpoint-20": "en"}
    for drawn in shown:
        pd.testing.assert_frame_equal(run(drawn.recipe), drawn.data)


def test_the_words_behind_a_point(spec: LatentSpec, shown: list[Shown]) -> None:
    app = opened("latent", SELECTED | {"view": "Words", "word_layer": "2", "word_language": "English · en"})
    [table] = [each.value for each in app.dataframe]
    first = table.iloc[0]
    assert len(table) == 12
    assert (first["given"], first["answer"], first["meant"], first["top"]) == ("fa", "da", "ea", "e")
    assert first["en"] == pytest.approx(0.5, rel=1e-2)
    [drawn] = shown
    assert drawn.data.loc[drawn.data.groupby("layer")["mass"].idxmax(), "language"].tolist() == list(PATH)
    assert "fa → da" in drawn.drawn.layout.title.text
    pd.testing.assert_frame_equal(run(drawn.recipe), drawn.data)


def test_it_opens_on_what_was_computed_and_a_run_leads_there(spec: LatentSpec, shown: list[Shown]) -> None:
    app = opened("latent", {})
    assert len(shown) == 1
    assert not [each for each in app.info if "Nothing is computed" in each.value]
    assert corpus_names()[spec.corpus] == "words of en-de, en-fr"
    found = run_links.link(spec.model_dump(mode="json"), corpus_names())
    assert found is not None
    again = opened(*found)
    stands = {"model": ["Planted"], "dictionaries": ["en-de", "en-fr"], "asked_from": "fr", "answers": ["de"]}
    state: dict[str, Any] = {key: again.session_state[key] for key in stands}
    assert {key: sorted(each) if isinstance(each, list) else each for key, each in state.items()} == stands
    assert len(shown) == 2


def test_its_views_are_drawn_by_their_names(spec: LatentSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook, languages by their tags: the figures of the page."""
    of_page = {"model": "Planted", "dictionaries": ["en-fr", "en-de"], "asked_from": "fr", "answers": ["de"]}
    for view, title, more in (("layers", "Layers", {}), ("words", "Words", {"word_layer": 2, "word_language": "en"})):
        drawn = isogloss.figure(f"latent/{view}", **of_page, **more)
        link = {"word_layer": "2", "word_language": "English · en"} if more else {}
        with monkeypatch.context() as patched:
            shown = record(patched)
            opened("latent", SELECTED | {"view": title} | link)
        assert drawn.to_json() == shown[0].recipe.drawn(shown[0].recipe.rows()).to_json()
    assert {"latent/layers", "latent/languages-layers", "latent/checkpoints", "latent/words"} <= set(isogloss.views())


def test_what_is_missing_is_offered_and_a_model_without_a_head_says_so(
    spec: LatentSpec, workspace: Path, tmp_path: Path
) -> None:
    models.keep(discover(str(tiny_model(tmp_path / "plain", "deberta-v2")), name="Plain"), workspace)
    lacking = opened("latent", SELECTED | {"shots": "2"})
    [compute] = [each for each in lacking.button if each.key and each.key.startswith("compute-")]
    assert compute.label.startswith("Compute")
    assert "latent language not computed yet at 2 of 2 checkpoints" in " ".join(each.value for each in lacking.markdown)
    headless = opened("latent", SELECTED | {"model": "Plain"})
    assert any("was saved as DebertaV2Model" in each.value for each in headless.info)
    assert not [each for each in headless.button if each.key and each.key.startswith("compute-")]


def test_gaps_are_asked_for_in_all_languages_but_the_pivots(spec: LatentSpec) -> None:
    app = opened("latent", {"model": "Planted", "dictionaries": ["en-fr", "en-de"], "prompt": "cloze"})
    assert app.multiselect(key="answers").options == ["German · de", "French · fr"]
    assert any(each.label.startswith("Compute") for each in app.button)


def test_an_empty_workspace_says_what_it_needs(workspace: Path) -> None:
    app = opened("latent", {})
    assert [each.value for each in app.info] == [
        "Latent language needs a dictionary and a model. Add both in the Library, then come back."
    ]


def test_dictionaries_that_share_no_language_are_refused_in_words(spec: LatentSpec, workspace: Path) -> None:
    from isogloss.backend.corpora.dictionaries import library as dictionaries
    from isogloss.backend.corpora.dictionaries.dictionary import Dictionary

    dictionaries.keep(Dictionary("es", "it", {"casa": ("casa",)}), "es-it", workspace)
    app = opened("latent", SELECTED | {"dictionaries": ["en-fr", "es-it"]})
    [said] = [each.value for each in app.error]
    assert said.startswith("The dictionaries share no language, through which words of all are the same")
