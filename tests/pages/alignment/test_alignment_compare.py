"""Compare on the alignment page: two checkpoints language by language, whatever unit, model or direction, by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.metrics.intervals import difference_ends
from isogloss.backend.metrics.many_tests import benjamini_hochberg, p_of_intervals
from isogloss.pages.shared.compare.evidence import CORRECTED, ONE_SEED, WIDEST
from isogloss.pages.widgets.choosing import seeds
from tests.pages.abx.abx_page import CONTRAST, MLM, run
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
    assert WIDEST in told(app)


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
