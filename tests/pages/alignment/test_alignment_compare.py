"""Compare on the alignment page: two checkpoints language by language, whatever unit, model or direction, by hand."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from streamlit.testing.v1 import AppTest

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.found import Found
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import settings
from isogloss.pages.alignment.compare import PAIRED, WIDEST, WIDEST_OF_DRAWS
from isogloss.pages.shared.compare.evidence import CORRECTED, GROUPS, ONE_SEED, PAIRS_OF_GROUPS
from isogloss.pages.widgets.choosing import opened as opened_groups
from isogloss.pages.widgets.choosing import seeds
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM, run
from tests.pages.beside import Beside, beside, on_the_demo
from tests.pages.opened import opened

FIRST, LAST, OTHER = f"{MLM} · checkpoint-0", f"{MLM} · checkpoint-2000", f"{CONTRAST} · checkpoint-2000"
SENTENCES = {"unit": "Sentences", "view": "Compare"}
WORDS = {"unit": "Words", "view": "Compare"}


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Beside:
    on_the_demo(monkeypatch, tmp_path)
    return beside(monkeypatch)


def told(app: AppTest) -> str:
    return " ".join(str(each.value) for each in app.caption)


@pytest.mark.parametrize(
    "query", [SENTENCES, WORDS, SENTENCES | {"measure": "Strong alignment"}, SENTENCES | {"direction": "First to second"}]
)
def test_a_difference_is_that_of_the_means_over_a_languages_pairs(shown: Beside, query: dict[str, str]) -> None:
    app = opened("alignment", {**query, "first": OTHER, "second": FIRST})
    assert [name.count(" beside ") for name, _, _ in shown] == [1, 0]
    both, less = (run(recipe).reset_index(drop=True) for _, _, recipe in shown)
    for (_, data, _), again in zip(shown, (both, less), strict=True):
        pd.testing.assert_frame_equal(data.reset_index(drop=True), again, check_like=True)
    assert set(both["side"]) == {OTHER, FIRST}
    sides = [both[both["side"] == side].set_index(["language", "layer"]) for side in (OTHER, FIRST)]
    rows = less.set_index(["language", "layer"])
    assert len(rows) == len(sides[0]) == len(sides[1]) > 20
    assert rows["difference"].to_dict() == pytest.approx((sides[0]["value"] - sides[1]["value"]).to_dict())
    ends = difference_ends(*([side[name].loc[rows.index] for name in ("value", "low", "high")] for side in sides))
    np.testing.assert_allclose(rows[["low", "high"]].to_numpy().T, ends)
    p = p_of_intervals(rows["difference"], rows["low"], rows["high"])
    assert rows["p_corrected"].tolist() == pytest.approx(benjamini_hochberg(p).tolist())
    hatched = int((~(rows["p_corrected"] < 0.05)).sum())
    assert f"Hatched, {hatched} of {len(rows)}: {CORRECTED}" in told(app)
    assert (WIDEST if query["unit"] == "Sentences" else WIDEST_OF_DRAWS) in told(app)


def test_a_languages_value_is_the_mean_over_the_directions_looked_at(shown: Beside) -> None:
    opened("alignment", {**SENTENCES, "first": LAST, "second": FIRST, "direction": "First to second"})
    opened(
        "alignment",
        {
            "unit": "Sentences",
            "view": "Curves",
            "lines": "Pairs",
            "direction": "First to second",
            "languages": ["German · de", "English · en", "Chinese · zh"],
            "model": MLM,
            "checkpoints": "checkpoint-2000",
        },
    )
    whole, few = shown[0][1], shown[-2][1]
    assert len(few) > 0
    assert {tuple(line.split(" → ")) for line in few["line"]} == set(combinations(["de", "en", "zh"], 2))
    assert set(whole["language"]) >= {"de", "en", "zh"}
    opened(
        "alignment",
        {
            **SENTENCES,
            "first": LAST,
            "second": FIRST,
            "direction": "First to second",
            "languages": ["German · de", "English · en", "Chinese · zh"],
        },
    )
    three = shown[-2][1].set_index(["side", "language", "layer"])["value"]
    for layer in (0, 4):
        at = few[few["layer"] == layer].set_index("line")["value"]
        assert three[LAST, "en", layer] == pytest.approx((at["de → en"] + at["en → zh"]) / 2)
        assert three[LAST, "zh", layer] == pytest.approx((at["de → zh"] + at["en → zh"]) / 2)


def keep(workspace: Path, label: str, seed: int) -> None:
    """Made-up sentences that a checkpoint of the demo's finds, most of them the same for all: errors that move together."""
    entry, corpus = models.load_entry(MLM, [DEMO]), corpora.entries([DEMO])[0]
    [checkpoint] = [each for each in entry.checkpoints if each.label == label]
    spec = SentenceAlignmentSpec(
        model=MLM, checkpoints=(checkpoint,), corpus=corpus.id, languages=tuple(corpus.tags), per_sentence=True
    )
    ids = corpora.load(corpus.id, [DEMO]).table["sentence_id"].unique().to_pylist()
    found = Found(ids, spec.pairs, [spec.variant(each) for each in spec.poolings], 5)
    common = torch.from_numpy(np.random.default_rng(1).random(len(ids)))
    draw = np.random.default_rng(seed)
    for variant in found.variants:
        for layer in range(5):
            for ends in found.directions:
                hits = common + 0.1 * torch.from_numpy(draw.random(len(ids))) < 0.03
                found.add(variant, layer, ends, {"weak": hits, "strong": hits, "strong_released": hits}, ids)
    [shard] = spec.shards()
    found.write(workspace, shard, {})


def test_intervals_are_paired_where_it_is_kept_which_sentences_are_found(shown: Beside, tmp_path: Path) -> None:
    asked = {**SENTENCES, "first": LAST, "second": FIRST}
    app = opened("alignment", asked)
    before = shown[-1][1].set_index(["language", "layer"])
    [offer] = [each.value.replace("\\", "") for each in app.markdown if "Paired intervals" in each.value]
    assert "checkpoint-2000, checkpoint-0" in offer or "checkpoint-0, checkpoint-2000" in offer
    workspace = settings().workspace
    keep(workspace, "checkpoint-2000", 3)
    app = opened("alignment", asked)
    [offer] = [each.value.replace("\\", "") for each in app.markdown if "Paired intervals" in each.value]
    assert "(checkpoint-0)" in offer
    assert set(shown[-1][1]["interval"]) == {"widest"}
    keep(workspace, "checkpoint-0", 4)
    app = opened("alignment", asked)
    assert not [each.value.replace("\\", "") for each in app.markdown if "Paired intervals" in each.value]
    _, rows, recipe = shown[-1]
    assert set(rows["interval"]) == {"paired"}
    assert set(rows["freedom"]) == {len(corpora.load(corpora.entries([DEMO])[0].id, [DEMO]).align(["de"])[0]) - 1}
    after = rows.set_index(["language", "layer"])
    assert after["difference"].to_dict() == before["difference"].to_dict()
    narrower = (after["high"] - after["low"]) < (before["high"] - before["low"])
    assert narrower.mean() > 0.9
    assert PAIRED in told(app)
    pd.testing.assert_frame_equal(rows.reset_index(drop=True), run(recipe).reset_index(drop=True), check_like=True)
    again = Recipe.from_json(json.loads(json.dumps(recipe.to_json())), [workspace, DEMO])
    pd.testing.assert_frame_equal(rows.reset_index(drop=True), again.rows().reset_index(drop=True), check_like=True)
    assert again.drawn(again.rows()) is not None
    app = opened("alignment", {**asked, "cells": "Pairs at a layer", "at_layer": "3"})
    _, less, recipe = shown[-1]
    _, both, _ = shown[-2]
    assert set(less["interval"]) == {"paired"}
    assert len(less) == len(set(zip(less["source"], less["target"], strict=True))) == 90
    sides = both.set_index(["source", "target", "side"])["value"].unstack()
    assert less.set_index(["source", "target"])["difference"].to_dict() == pytest.approx((sides[LAST] - sides[FIRST]).to_dict())
    assert PAIRED in told(app)
    pd.testing.assert_frame_equal(less.reset_index(drop=True), run(recipe).reset_index(drop=True), check_like=True)
    few = {**asked, "languages": ["German · de", "English · en", "Chinese · zh"], "direction": "First to second"}
    opened("alignment", few)
    assert set(shown[-1][1]["interval"]) == {"paired"}
    assert len(shown[-1][1]) == 15


def test_many_languages_stand_in_groups(shown: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_groups, "MANY", 5)
    app = opened("alignment", {**SENTENCES, "first": LAST, "second": FIRST, "order": "family", "opened": "Indo-European"})
    assert GROUPS in told(app)
    drawn = shown[-1][2].drawn(shown[-1][1])
    assert drawn is not None
    names = list(drawn.layout.yaxis.ticktext)
    assert "− Indo-European (6)" in names or any(name.startswith("− Indo-European") for name in names)
    assert any(name.startswith("+ ") for name in names)
    assert "German" in names
    app = opened(
        "alignment",
        {
            **SENTENCES,
            "first": LAST,
            "second": FIRST,
            "order": "family",
            "opened": "Indo-European",
            "cells": "Pairs at a layer",
        },
    )
    assert PAIRS_OF_GROUPS in told(app)
    assert GROUPS not in told(app)
    again = shown[-1][2].drawn(shown[-1][1])
    assert again is not None
    assert list(again.layout.yaxis.ticktext) == list(again.layout.xaxis.ticktext) == names


def test_pairs_at_a_layer_are_those_of_the_matrix(shown: Beside) -> None:
    app = opened(
        "alignment",
        {**SENTENCES, "first": LAST, "second": FIRST, "cells": "Pairs at a layer", "at_layer": "2", "order": "family"},
    )
    _, rows, recipe = shown[-1]
    assert set(rows["interval"]) == {"widest"}
    drawn = recipe.drawn(rows)
    assert drawn is not None
    names = list(drawn.layout.yaxis.ticktext)
    cells = np.asarray(next(each for each in drawn.data if each.type == "heatmap").z, float)
    assert np.isnan(np.diag(cells)).all()
    by_name = {language(tag).name: tag for tag in set(rows["source"])}
    found = rows.set_index(["source", "target"])["difference"]
    at = names.index("German"), names.index("English")
    assert cells[at] == pytest.approx(found[by_name["German"], by_name["English"]], abs=1e-6)
    assert "layer 2" in shown[-1][0]
    assert WIDEST in told(app)
    opened(
        "alignment",
        {"unit": "Sentences", "view": "Matrix", "at_model": MLM, "at_checkpoint": "checkpoint-2000", "at_layer": "2"},
    )
    matrix = shown[-1][1]
    own = matrix[matrix["variant"].str.contains("mean")].set_index(["source", "target"])["value"]
    beside_rows = shown[-2][1] if " beside " in shown[-2][0] else shown[-3][1]
    ours = beside_rows[beside_rows["side"] == LAST].set_index(["source", "target"])["value"]
    assert ours.to_dict() == pytest.approx(own.to_dict())


def test_the_same_checkpoint_twice_is_no_comparison(shown: Beside) -> None:
    app = opened("alignment", {**SENTENCES, "first": LAST, "second": LAST})
    assert "the same checkpoint" in told(app)
    assert not shown


def test_seeds_are_one_side_with_the_interval_over_them(shown: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "seeds_of", lambda names: {name: "Demo" for name in names if name in (MLM, CONTRAST)})
    both = "Demo (2 seeds) · checkpoint-2000"
    app = opened("alignment", {**SENTENCES, "model": [MLM, CONTRAST], "first": both, "second": "Demo (2 seeds) · checkpoint-0"})
    rows = shown[-1][1]
    assert set(rows["interval"]) == {"seeds"}
    beside_rows = shown[-2][1]
    assert set(beside_rows["side"]) == {both, "Demo (2 seeds) · checkpoint-0"}
    assert not beside_rows.duplicated(["side", "language", "layer"]).any()
    assert "Welch" in told(app)
    assert ONE_SEED not in told(app)
    opened("alignment", {**SENTENCES, "model": [MLM, CONTRAST], "first": OTHER, "second": LAST, "seed_lines": "Apart"})
    apart = shown[-2][1]
    assert set(apart["side"]) == {OTHER, LAST}
    means = apart.groupby(["language", "layer"])["value"].mean()
    ours = beside_rows[beside_rows["side"] == both].set_index(["language", "layer"])["value"]
    assert ours.to_dict() == pytest.approx(means.to_dict())


def test_what_is_asked_of_the_files_does_not_grow_with_the_pairs(shown: Beside) -> None:
    opened("alignment", {**SENTENCES, "first": LAST, "second": FIRST})
    assert alignment_queries.by_language in [call.func for call in shown[0][2].calls]
