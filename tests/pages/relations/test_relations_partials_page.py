"""*Held fixed* on the Relations page: does fertility go with what a model tells apart, beyond what else a text is?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.metrics.correlation import partial_correlation
from isogloss.backend.store import scores
from tests.pages.abx.abx_page import DEMO, record_beside, run
from tests.pages.beside import on_the_demo
from tests.pages.opened import opened

if TYPE_CHECKING:
    from pathlib import Path

E5 = "multilingual-e5-small, 4-bit weights"
CHOSEN = {"x_model": E5, "y_model": E5}


def of_languages(metric: str) -> pd.Series:
    """A measure of the real model's languages: its own, or the mean over pairs, layers apart."""
    rows = scores.sql(f"SELECT source, target, value FROM scores WHERE metric = '{metric}' AND model = '{E5}'", [DEMO])
    both = pd.concat([rows, rows.rename(columns={"source": "target", "target": "source"})])
    return both.groupby("source")["value"].mean()


def test_fertility_beside_meaning_with_the_bytes_of_a_character_held_fixed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_the_demo(monkeypatch, tmp_path)
    found = record_beside(monkeypatch)
    asked = CHOSEN | {"unit": "Language", "x": "Fertility", "y": "Meaning discrimination", "fixed": ["Bytes a character"]}
    app = opened("relations", asked)
    assert not [each.value for each in app.info if "The link asks" in each.value]
    x, y, z = map(of_languages, ("tokeniser_fertility", "abx_meaning", "tokeniser_bytes_per_character"))
    [each] = [each for each in found if each.name.startswith("Partial correlation")]
    rows = each.data.set_index(["statistic", "fixed"])
    for statistic, ranks in (("Pearson", False), ("Spearman", True)):
        for held, controls in (("", []), ("tokeniser_bytes_per_character", [z])):
            expected = partial_correlation(x, y, controls, ranks=ranks)
            got = rows.loc[(statistic, held)]
            assert [got["value"], got["low"], got["n"]] == pytest.approx([expected.value, expected.low, 10])
    assert app.dataframe[0].value["Held fixed"].tolist() == ["Nothing", "Bytes a character"] * 2
    pd.testing.assert_frame_equal(run(each.recipe), each.data)


def test_what_is_no_models_is_offered_first_and_nothing_is_held_fixed_at_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_the_demo(monkeypatch, tmp_path)
    app = opened("relations", CHOSEN | {"unit": "Pair of languages", "x": "Shared vocabulary", "y": "Language discrimination"})
    [box] = [each for each in app.multiselect if each.key == "fixed"]
    assert box.value == []
    assert set(box.options[:2]) == {"Premium", "Shared vocabulary by use"}
    assert not app.dataframe
