"""The printed numbers of the ABX paper: read from the tables alone, and shown only for what they are."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from isogloss.backend.experiments.abx.printed import tables as abx
from isogloss.backend.experiments.published_languages import languages_of

FOLDER = Path(abx.__file__).parent
PAPERS = [
    *("ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi"),
    *("fr", "he", "hi", "hr", "hu", "is", "it", "ja", "ko", "lv", "nl", "pl"),
    *("pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "ur", "vi", "zh"),
]


def rows() -> list[dict[str, str]]:
    with open(FOLDER / "correlations.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("quantity", list(abx.ROWS))
def test_each_quantity_is_what_the_table_says(quantity: abx.Quantity) -> None:
    wanted = [row for row in rows() if row["quantity"] == abx.ROWS[quantity]]
    found = abx.printed_correlations(quantity)
    assert found
    assert [(each.statistic.lower(), each.value, each.where) for each in found] == [
        (row["statistic"], float(row["value"]), row["where"]) for row in wanted
    ]
    assert all(-1 <= each.value <= 1 for each in found)
    assert all(each.source.startswith("de Seyssel et al. 2025, section 4") for each in found)


def test_a_quantity_that_the_table_lacks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(abx.ROWS, "retrieval", "something else")
    with pytest.raises(KeyError):
        abx.printed_correlations("retrieval")


def test_the_papers_own_setting_has_no_differences() -> None:
    assert languages_of("abx") == PAPERS
    assert abx.differences("xlm-roberta", 12, 768, "WMT24++ (google/wmt24pp)", [*PAPERS[:-1], "zh-Hans"]) == []


def test_every_difference_is_named() -> None:
    found = abx.differences("bert", 4, 96, "NTREX-128", ["de", "en", "cy"])
    assert found == ["another model (bert, 4 layers)", "another corpus", "2 of its 36 languages and 1 other"]
    assert abx.differences("xlm-roberta", 12, 768, "wmt24pp", PAPERS[:35]) == ["35 of its 36 languages"]
