"""Controls in the curves, the spread over subsamples, and pairs of languages as a choice, on the ABX page."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.abx.shard import FAMILY, AbxSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, Shown, check, open_abx, record

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ("checkpoint-0", "checkpoint-30", "checkpoint-2000")
SCORES = ("abx_language", "abx_meaning", "retrieval_top1")
LAYERS = range(5)
SAMPLED = {"protocol": "Sampled triplets", "subsamples": "true"}
ENGLISH = {"pairs": "Of one language", "centre": "English · en"}

Values = dict[tuple[str, str, int, str, str], float]


@pytest.fixture(autouse=True)
def on_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    return record(monkeypatch)


def fill(metrics: tuple[str, ...], *, model: str = MLM, around: float = 0.5, **fields: Any) -> Values:
    """Keep made-up scores of some checkpoints, as computing this spec would; returns them by what they are of."""
    entry, kept = models.load_entry(model, [DEMO]), corpora.entries([DEMO])[0]
    chosen = [each for each in entry.checkpoints if each.label in LABELS]
    spec = AbxSpec(model=model, checkpoints=chosen, corpus=kept.id, languages=tuple(kept.tags), **fields)
    random, found = np.random.default_rng(len(metrics)), {}
    for shard, checkpoint in spec.shards().items():
        rows = []
        for metric in metrics:
            for layer in LAYERS:
                for source, target in spec.scored:
                    value = around + float(random.normal(0, 0.01))
                    found[metric, checkpoint.label, layer, source, target] = value
                    named = {"metric": metric, "layer": layer, "source": source, "target": target, "n": 40}
                    rows.append(named | {"value": value, "low": np.nan, "high": np.nan})
        provenance = spec.provenance(checkpoint) | {"complete": True, "sentences": 40}
        labels = {"model": model, "label": checkpoint.label, "step": checkpoint.step}
        checkpoint_scores.write(Context(settings()), shard, rows, provenance, **labels)
    assert spec.model_dump()["experiment"] == FAMILY
    return found


def mean(values: Values, metric: str, **but: Any) -> float:
    return float(
        np.mean(
            [
                value
                for (name, label, layer, source, target), value in values.items()
                if name == metric
                and label == but.get("label", label)
                and layer == but.get("layer", layer)
                and but.get("language") in (None, source, target)
            ]
        )
    )


@pytest.mark.parametrize("query", [{}, {"lines": "Each"}, {"layers": ["1", "3"]}, {"axis": "Log"}, {"over": "Layers"}])
def test_both_controls_are_drawn_from_their_rows(shown: list[Shown], query: dict[str, Any]) -> None:
    held = fill((*SCORES, "abx_language_baseline", "abx_meaning_baseline"), baseline=True)
    shuffled = fill(SCORES, protocol="control", around=0.49)
    open_abx(view="Curves", controls="true", model=[MLM], checkpoints=list(LABELS), **query)
    check(shown, 2)
    layers = [int(layer) for layer in query.get("layers", LAYERS)]
    for each, metric in zip(shown, SCORES, strict=False):
        for control, values, name in (("held constant", held, f"{metric}_baseline"), ("shuffled", shuffled, metric)):
            [drawn] = [trace for trace in each.drawn.data if trace.name == f"{MLM}, {control}"]
            if query.get("over") == "Layers":
                expected = [mean(values, name, label="checkpoint-2000", layer=layer) for layer in layers]
            else:
                expected = [np.mean([mean(values, name, label=label, layer=layer) for layer in layers]) for label in LABELS]
            np.testing.assert_allclose(drawn.y, expected, rtol=1e-6)
            [*_, measured] = [trace for trace in each.drawn.data if trace.mode == "lines+markers"]
            assert list(drawn.x) == list(measured.x)


def test_sampled_scores_have_their_baseline_too(shown: list[Shown]) -> None:
    held = fill((*SCORES, "abx_language_baseline", "abx_meaning_baseline"), baseline=True, protocol="sampled", subsamples=5)
    query = {"protocol": "100,000 sampled triplets", "subsamples": "true", "controls": "true"}
    page = open_abx(view="Curves", model=[MLM], checkpoints=list(LABELS), **query)
    said = " ".join(each.value for each in page.markdown)
    assert "scores computed without shuffled control at 3 of 3 checkpoints" in said
    assert "without baseline" not in said
    check(shown[:2], 2)
    for each, metric in zip(shown[:2], SCORES, strict=False):
        [drawn] = [trace for trace in each.drawn.data if trace.name == f"{MLM}, held constant"]
        expected = [
            np.mean([mean(held, f"{metric}_baseline", label=label, layer=layer) for layer in LAYERS]) for label in LABELS
        ]
        np.testing.assert_allclose(drawn.y, expected, rtol=1e-6)


def test_controls_that_are_not_computed_are_offered_beside_the_scores(shown: list[Shown]) -> None:
    fill((*SCORES, "abx_language_baseline", "abx_meaning_baseline"), baseline=True)
    page = open_abx(view="Curves", controls="true", model=[MLM, CONTRAST], checkpoints=list(LABELS))
    said = " ".join(each.value for each in page.markdown)
    assert (
        "translation contrast** on Demo sentences: scores computed without baseline at 2 of 3 checkpoints" in said
    )  # they share the first
    assert "**Demo MLM** on Demo sentences: scores computed without baseline" not in said
    assert said.count("scores computed without shuffled control at 3 of 3 checkpoints") == 2
    assert "not computed yet at" not in said
    check(shown, 2)
    assert all({MLM, CONTRAST} == set(each.data["model"]) for each in shown)
    captions = [each.value for each in page.caption]
    assert any("languages shuffled (ours): not computed" in each for each in captions)


@pytest.mark.parametrize(
    ("view", "figures"), [("Layers × checkpoints", 2), ("Languages", 4), ("Pairs", 1), ("Relations", 3), ("Compare", 2)]
)
def test_other_views_show_the_scores_alone(shown: list[Shown], view: str, figures: int) -> None:
    fill((*SCORES, "abx_language_baseline", "abx_meaning_baseline"), baseline=True)
    open_abx(view=view, controls="true", checkpoints=list(LABELS))
    check(shown, figures)
    for each in shown:
        if "metric" in each.data.columns:
            assert set(each.data["metric"]) <= set(SCORES)


def test_without_the_toggle_the_curves_have_no_controls(shown: list[Shown]) -> None:
    fill((*SCORES, "abx_language_baseline", "abx_meaning_baseline"), baseline=True)
    open_abx(view="Curves", model=[MLM], checkpoints=list(LABELS))
    check(shown, 2)
    assert all(set(each.data["metric"]) <= set(SCORES) for each in shown)


def test_the_spread_is_a_number_and_a_figure_with_the_printed_bound(shown: list[Shown]) -> None:
    metrics = ("abx_language", "abx_meaning", "abx_language_sd", "abx_meaning_sd")
    values = fill(metrics, protocol="sampled", subsamples=5, around=0.05)
    page = open_abx(view="Curves", model=[MLM], checkpoints=list(LABELS), **SAMPLED)
    check(shown, 4)
    for each, task in zip(shown[2:], ("language", "meaning"), strict=True):
        expected = [mean(values, f"abx_{task}_sd", label="checkpoint-2000", layer=layer) for layer in LAYERS]
        [line] = [trace for trace in each.drawn.data if trace.mode == "lines+markers"]
        np.testing.assert_allclose(line.y, expected, rtol=1e-6)
        assert any("appendix B, average below: 0.01" in note.text for note in each.drawn.layout.annotations)
        average = mean(values, f"abx_{task}_sd", label="checkpoint-2000")
        assert f"{task} discrimination **{average:.5f}** on average" in " ".join(text.value for text in page.markdown)


@pytest.mark.parametrize(
    ("view", "figures"), [("Layers × checkpoints", 1), ("Curves", 2), ("Languages", 2), ("Pairs", 1), ("Relations", 3)]
)
def test_pairs_of_one_language_are_all_that_is_shown(shown: list[Shown], view: str, figures: int) -> None:
    open_abx(view=view, model=[MLM], checkpoints=list(LABELS), **ENGLISH)
    check(shown, figures)
    tags = corpora.entries([DEMO])[0].tags
    for each in shown:
        if {"source", "target"} <= set(each.data.columns):
            assert set(zip(each.data["source"], each.data["target"], strict=True)) == {
                (min("en", other), max("en", other)) for other in tags if other != "en"
            }
        if "pairs" in each.data.columns and "language" not in each.data.columns:
            assert set(each.data["pairs"]) == {len(tags) - 1}
        if "n" in each.data.columns and view == "Relations" and "statistic" in each.data.columns:
            assert set(each.data["n"]) == {len(tags) - 1}


def test_pairs_that_are_not_chosen_are_called_so(shown: list[Shown]) -> None:
    page = open_abx(view="Pairs", model=[MLM], **ENGLISH)
    [each] = shown
    assert "not chosen" in {trace.name for trace in each.drawn.data}
    assert "not computed" not in {trace.name for trace in each.drawn.data}
    texts = [text for trace in each.drawn.data if trace.name == "cells" for text in trace.hovertext]
    assert sum("not chosen" in text for text in texts) == 2 * (10 * 9 - 2 * 9) // 2  # both scores, each pair once
    boxes = {box.key: box.value for box in page.selectbox}
    assert "en" in (boxes["pair_source"], boxes["pair_target"])


def test_a_list_of_pairs_computes_just_those(shown: list[Shown]) -> None:
    tags = corpora.entries([DEMO])[0].tags
    listed = [f"{one} – {other}" for one, other in list(combinations(tags, 2))[:2]]
    open_abx(view="Layers × checkpoints", model=[MLM], checkpoints=list(LABELS), pairs="A list", pair_list=listed)
    check(shown, 1)
    assert set(shown[0].data["pairs"]) == {2}


def test_an_empty_list_of_pairs_asks_for_one(shown: list[Shown]) -> None:
    page = open_abx(view="Curves", model=[MLM], pairs="A list")
    assert [each.value for each in page.info] == ["Choose a pair of languages in the side bar, under Options."]
    assert not shown


def test_of_one_checkpoint_no_control_is_without_effect_and_its_line_is_the_models(shown: list[Shown]) -> None:
    app = open_abx(view="Curves", model=MLM, checkpoints=LABELS[-1])
    assert {each.key for each in app.segmented_control} >= {"view", "over"}
    assert not {"axis", "lines"} & {each.key for each in app.segmented_control}
    language, meaning = (each.drawn for each in shown)
    assert [trace.name for trace in language.data if "markers" in (trace.mode or "")] == [MLM]
    assert language.layout.yaxis.range == meaning.layout.yaxis.range, "they stand side by side"
