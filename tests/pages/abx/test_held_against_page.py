"""Scores held against length alone, a bag of bytes and random weights, on the ABX page: drawn, told, offered where lacking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.against import AGAINST
from isogloss.backend.experiments.abx.controls import CONTROLS, AbxControlsSpec
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.models.untrained import untrained
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.pages.shared import run_links
from tests.pages.abx.abx_page import DEMO, MLM, Shown, check, open_abx
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

TAGS = ("ar", "de", "en")
QUERY: dict[str, Any] = {"model": [MLM], "languages": ["Arabic · ar", "German · de", "English · en"]}
TASKS = {"abx_language": "LD", "abx_meaning": "MD"}


@pytest.fixture(autouse=True)
def on_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))


def specs() -> tuple[AbxControlsSpec, AbxSpec]:
    """What is held against the demo's model: of its tokeniser, and of random weights."""
    model, corpus = models.load_entry(MLM, [DEMO]), corpora.entries([DEMO])[0].id
    of: dict[str, Any] = {"corpus": corpus, "languages": TAGS}
    random = untrained(model)
    return (
        AbxControlsSpec(model=MLM, checkpoints=model.checkpoints[-1:], **of),
        AbxSpec(model=random.name, checkpoints=random.checkpoints, **of),
    )


def computed() -> dict[tuple[str, str, int | None], list[float]]:
    """Compute both; returns by control, metric and layer the values of all pairs."""
    found: dict[tuple[str, str, int | None], list[float]] = {}
    for spec in specs():
        (shard,) = spec.shards()
        registry.compute(spec, shard, Context(settings()))
        files = [each.path for each in scores.shards([settings().workspace], spec.experiment) if each.run == shard]
        for row in scores.query("SELECT * FROM {scores}", {}, files).to_dict("records"):
            name = next((each for each in CONTROLS if row["metric"].endswith(f"_{each}")), "random")
            metric = row["metric"].removesuffix(f"_{name}")
            found.setdefault((name, metric, None if name in CONTROLS else row["layer"]), []).append(row["value"])
    return found


def test_they_are_columns_beside_the_checkpoints(shown: list[Shown]) -> None:
    values = computed()
    page = open_abx(against=list(AGAINST), **QUERY)
    check(shown, 1)
    panels = [trace for trace in shown[0].drawn.data if trace.type == "heatmap"]
    for panel, metric in zip(panels, TASKS, strict=True):
        for place, name in enumerate(AGAINST):
            column = np.asarray(panel.z)[:, len(AGAINST) * -1 + place]
            expected = [np.mean(values[name, metric, layer if name == "random" else None]) for layer in range(5)]
            np.testing.assert_allclose(column, expected, rtol=1e-6)
    [told] = [each.value for each in page.caption if each.value.startswith("Held against")]
    for metric, task in TASKS.items():
        assert f"{task} {np.mean(values['characters', metric, None]):.3f} [" in told
    assert "252 sentences" in told
    rows = shown[0].data
    assert set(rows.loc[rows["control"] != "", "control"]) == set(AGAINST)
    assert rows.loc[rows["control"] != "", ["low", "high", "n"]].notna().all(axis=None)


@pytest.mark.parametrize("query", [{}, {"layers": ["1", "3"]}, {"over": "Layers"}, {"over": "Layers", "lines": "Each"}])
def test_they_are_lines_in_the_curves(shown: list[Shown], query: dict[str, Any]) -> None:
    values = computed()
    page = open_abx(view="Curves", against=["pieces", "random"], **QUERY, **query)
    check(shown, 2)
    layers = [int(each) for each in query.get("layers", range(5))]
    for each, metric in zip(shown, TASKS, strict=True):
        for name in ("pieces", "random"):
            [drawn] = [trace for trace in each.drawn.data if trace.name == f"{MLM}, {AGAINST[name]}"]
            by_layer = [np.mean(values[name, metric, layer if name == "random" else None]) for layer in layers]
            over_layers = query.get("over") == "Layers"
            np.testing.assert_allclose(drawn.y, by_layer if over_layers else np.full(8, np.mean(by_layer)), rtol=1e-6)
            assert "95% interval" in drawn.hovertext[0]
    told = [each.value for each in page.caption if each.value.startswith("Held against")]
    assert len(told) == 2
    assert "length in pieces (long dashes) LD" in told[0]


def test_a_pair_of_languages_has_its_own_in_numbers(shown: list[Shown]) -> None:
    computed()
    query = {"view": "Pairs", "pair_source": "German · de", "pair_target": "Arabic · ar", "pair_layer": "2"}
    page = open_abx(against=["characters", "random"], **QUERY, **query)
    [told] = [each.value for each in page.caption if each.value.startswith("Held against")]
    statement = (
        "SELECT value FROM scores WHERE source = 'ar' AND target = 'de' AND ({}) AND experiment IN ('abx', 'abx_controls')"
    )
    for metric, task in TASKS.items():
        for condition in (f"metric = '{metric}_characters'", f"metric = '{metric}' AND layer = 2"):
            [value] = scores.sql(statement.format(condition), [settings().workspace])["value"]
            assert f"{task} {value:.3f} [" in told


@pytest.mark.parametrize(("across", "layers"), [("Checkpoints", ["1", "3"]), ("Layers", ["1", "3"]), ("Checkpoints", None)])
def test_they_are_columns_beside_each_language(shown: list[Shown], across: str, layers: list[str] | None) -> None:
    computed()
    query = {"view": "Languages", "across": across} | ({"layers": layers} if layers else {})
    open_abx(against=["characters", "random"], **QUERY, **query)
    check(shown, 2)
    statement = (
        "SELECT avg(value) AS value FROM scores WHERE $tag IN (source, target) AND source <> target AND {} "
        "AND source IN ('ar', 'de', 'en') AND target IN ('ar', 'de', 'en') AND experiment IN ('abx', 'abx_controls')"
    )
    random = ", ".join(layers or map(str, range(5)))
    for each, metric in zip(shown, TASKS, strict=True):
        [panel] = [trace for trace in each.drawn.data if trace.type == "heatmap"]
        for row, name in enumerate(each.drawn.layout.yaxis.ticktext):
            tag = {"Arabic": "ar", "English": "en", "German": "de"}[name]
            for place, condition in (
                (-2, f"metric = '{metric}_characters'"),
                (-1, f"metric = '{metric}' AND layer IN ({random})"),
            ):
                [value] = scores.sql(statement.replace("$tag", f"'{tag}'").format(condition), [settings().workspace])["value"]
                assert np.asarray(panel.z)[row, place] == pytest.approx(value, rel=1e-6)
    shown.clear()
    open_abx(against=["characters"], normalised="true", **QUERY, **query)
    assert not any("Length" in str(trace.x) for each in shown for trace in each.drawn.data)


def test_they_stand_beside_the_papers_control_where_both_are_asked_for(shown: list[Shown]) -> None:
    computed()
    open_abx(view="Curves", controls="true", against=["pieces"], **QUERY)
    assert {f"{MLM}, {AGAINST['pieces']}"} == {trace.name for trace in shown[0].drawn.data if "Length" in str(trace.name)}


@pytest.mark.parametrize("view", ["Layers × checkpoints", "Curves", "Languages"])
def test_what_is_not_computed_is_offered_and_the_scores_are_drawn_as_ever(shown: list[Shown], view: str) -> None:
    page = open_abx(view=view, against=["bytes", "random"], **QUERY)
    said = " ".join(each.value for each in page.markdown)
    assert "**Demo MLM** on Demo sentences: bag of bytes not computed yet" in said
    assert "scores of random weights not computed yet" in said
    check(shown, 1 if view == "Layers × checkpoints" else 2)
    assert not [each for each in page.caption if each.value.startswith("Held against")]


def test_nothing_is_asked_of_them_where_they_are_not_chosen(shown: list[Shown]) -> None:
    computed()
    open_abx(**QUERY)
    assert "control" not in shown[0].data
    assert not shown[0].data["checkpoint"].isin(list(AGAINST)).any()


@pytest.mark.parametrize("which", [0, 1])
def test_a_run_of_them_leads_to_the_figure_that_has_them(shown: list[Shown], which: int) -> None:
    computed()
    spec = specs()[which]
    found = run_links.link(spec.model_dump(mode="json"), {spec.corpus: "Demo sentences"})
    assert found is not None
    page = opened(*found)
    assert not [each for each in page.info if "The link asks" in each.value]
    names = set(shown[0].data["control"]) - {""}
    assert names == (set(CONTROLS) if which == 0 else {"random"})


def test_random_weights_are_a_model_of_their_own_in_the_table_and_have_the_models_price(shown: list[Shown]) -> None:
    from tests.experiments.machines import place

    computed()
    _, random = specs()
    (shard,) = random.shards()
    assert registry.work(random, shard, place([settings().workspace, DEMO])) is not None
    table = scores.sql("SELECT DISTINCT model FROM scores WHERE experiment = 'abx'", [settings().workspace])
    assert table["model"].tolist() == [f"{MLM}, random weights"]
    assert len(scores.shards([settings().workspace], "abx_controls")) == 1  # of random weights there are none beside
