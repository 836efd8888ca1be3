"""Two checkpoints' geometry side by side: the differences are those of the files, in any measure, with their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import isogloss
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments.geometry import sentences
from isogloss.backend.experiments.geometry.measures import KINDS, SINCE_SINKS, TOO_SHORT
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.spec import validate
from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.models.library import library as models
from isogloss.pages.widgets.choosing import seeds
from tests.pages.abx.abx_page import CONTRAST, DEMO, MLM
from tests.pages.opened import opened

OTHER = "checkpoint-0"


def both(metric: str, **more: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the sides and of their difference."""
    asked = {"model": [MLM], "geometry": KINDS[metric].named} | more
    beside, less = (isogloss.rows("geometry/compare", which=which, **asked) for which in (0, -1))
    return beside, less


@pytest.mark.parametrize("metric", [metric for metric in KINDS if metric not in SINCE_SINKS])
def test_a_difference_is_that_of_both_sides(metric: str) -> None:
    beside, less = both(metric, order="name")
    first, second = (str(name) for name in less.columns[2:4])
    sides = beside.set_index(["side", "language", "layer"])
    for row in less.to_dict("records"):
        one, other = (sides.loc[(side, row["language"], row["layer"])] for side in (first, second))
        assert row["difference"] == pytest.approx(one["value"] - other["value"])
        if row["interval"]:
            ends = one["low"] - other["high"], one["high"] - other["low"]
            least, most = KINDS[metric].measure.bounds
            if least is not None and most is not None:
                ends = max(ends[0], least - most), min(ends[1], most - least)
            assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-9)
    if metric in TOO_SHORT:
        assert (less["interval"] == "").all()
        assert less["p"].isna().all()
    else:
        assert (less["interval"] == "widest").any()
    known = np.isfinite(less["p"])
    np.testing.assert_allclose(less["p_corrected"][known], benjamini_hochberg(less["p"][known]))


def test_what_the_intervals_are_is_said() -> None:
    page = opened("geometry", {"view": "Compare", "model": [MLM], "geometry": "CKA"})
    assert not page.exception
    captions = " ".join(each.value for each in page.caption)
    assert "Hatched, " in captions
    assert "It is the widest interval it can have" in captions
    assert any("Paired intervals, narrower: what each sentence does to **Demo MLM**" in each.value for each in page.markdown)
    assert "Mean over each language's pairs" in captions


@pytest.mark.parametrize("metric", TOO_SHORT)
def test_of_the_spectrum_nothing_is_told(metric: str) -> None:
    page = opened("geometry", {"view": "Compare", "model": [MLM], "geometry": KINDS[metric].named})
    assert not page.exception
    captions = " ".join(each.value for each in page.caption)
    assert "intervals of the spectrum are too short" in captions
    assert "Hatched, " not in captions


def test_what_each_sentence_does_pairs_them_once_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invented for two of the demo's checkpoints, the same of both but for a little: what both owe to a sentence cancels."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_DEMO", str(DEMO))
    fixed = {"first": f"{MLM} · checkpoint-2000", "second": f"{MLM} · {OTHER}"}
    widest = both("cka", **fixed)[1]
    model = next(each for each in models.entries([DEMO]) if each.name == MLM)
    corpus = next(each for each in corpora.entries([DEMO]) if {*widest["language"]} == {*each.tags})
    draw = np.random.default_rng(0)
    shared = 1e-4 * draw.standard_normal((10, 252))
    for checkpoint in (model.checkpoints[0], model.checkpoints[-1]):
        asked = {"model": MLM, "checkpoints": (checkpoint,), "corpus": corpus.id, "languages": tuple(corpus.tags)}
        (key,) = validate(GeometrySpec, asked | {"per_sentence": True}).shards()
        own = torch.from_numpy(shared + 1e-5 * draw.standard_normal((10, 252))).float()
        away = dict.fromkeys(sentences.PAIRED, own)
        rows = [row for layer in range(5) for row in sentences.rows(layer, away)]
        sentences.write(tmp_path, key, rows, sorted(corpus.tags), {"sentences": 252})
    paired = both("cka", **fixed)[1]
    assert set(paired["interval"]) == {"paired"}
    assert (paired["freedom"] == 251).all()
    assert ((paired["high"] - paired["low"]) < (widest["high"] - widest["low"])).all()
    page = opened("geometry", {"view": "Compare", "model": [MLM], "geometry": "CKA", **fixed})
    captions = " ".join(each.value for each in page.caption)
    assert "each sentence is left out of both sides at once" in captions
    assert not any("Paired intervals, narrower" in each.value for each in page.markdown)
    assert set(both("anc", **fixed)[1]["interval"]) == {"widest"}


def test_seeds_of_a_model_are_one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "seeds_of", lambda of: dict.fromkeys(of, "Demo"))
    beside, less = both("effective_rank", model=[MLM, CONTRAST])
    assert set(less["interval"]) <= {"seeds", ""}
    assert all("Demo (2 seeds)" in str(name) for name in less.columns[2:4])
    assert beside.groupby(["side", "language", "layer"]).size().max() == 1


def test_one_checkpoint_says_what_to_choose() -> None:
    page = opened("geometry", {"view": "Compare", "model": [MLM], "checkpoints": [OTHER]})
    assert "Choose two computed checkpoints or models to compare." in " ".join(each.value for each in page.caption)
