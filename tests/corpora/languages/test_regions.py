"""Regions of languages: the United Nations' of CLDR's likely territory, for all of FLORES-200 and none that is of no land."""

from __future__ import annotations

import pytest

from isogloss.backend.corpora.languages.facts import credits_of, facts
from isogloss.backend.corpora.languages.regions import _regions, region
from isogloss.backend.experiments.language_groups import group_of


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("fi", "Northern Europe"),
        ("sw", "Eastern Africa"),
        ("zh-Hant", "Eastern Asia"),
        ("pt", "South America"),
        ("pt-PT", "Southern Europe"),
        ("mi", "Australasia"),
        ("eo", None),
    ],
)
def test_a_language_is_of_the_region_of_its_territory(tag: str, expected: str | None) -> None:
    assert region(tag) == expected
    assert facts(tag).region == expected
    assert group_of(tag, "region") == expected


def test_territories_are_of_one_of_22_regions_and_no_union_is_one() -> None:
    found = _regions()
    assert len(set(found.values()) - {"QO"}) == 22
    assert (found["DE"], found["GH"], found["US"]) == ("155", "011", "021")
    assert not {"EU", "UN", "202", "419"} & {*found, *found.values()}


def test_the_source_is_credited() -> None:
    assert "M49" in credits_of(["region"])
