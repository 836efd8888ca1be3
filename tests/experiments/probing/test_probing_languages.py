"""The paper's sets of languages: how many it prints, and those of the data alone."""

from __future__ import annotations

import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.probing.languages import PUBLISHED, published, tags_of
from isogloss.backend.experiments.published_languages import languages_of


def test_sets_have_as_many_languages_as_are_printed() -> None:
    assert {name: len(tags_of(name)) for name in PUBLISHED} == {
        "paper": 36,
        "paper-cross": 18,
        "paper-cross-ner": 22,
        "paper-nli": 13,
    }
    assert set(tags_of("paper-cross")) < set(tags_of("paper-cross-ner"))
    assert languages_of("nli_monolingual") == tags_of("paper-nli")
    assert languages_of("ner_monolingual") == tags_of("paper")


def test_languages_that_the_data_lack_are_left_out() -> None:
    assert published("paper-nli", ["zh", "ja", "ar"]) == ["ar", "zh"]
    with pytest.raises(SpecError, match="none of the 13 languages"):
        published("paper-nli", ["ja"])
