"""Languages are partners of each other where nearly every two have a pair, and where a value is over all of a language's."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from tables_by_hand import LANGUAGES, fill, reading, write

from isogloss.backend.experiments.relations.partners import are_partners
from isogloss.backend.experiments.relations.reading import Question, Reading, Scored

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = {
    "all": (list(combinations(LANGUAGES, 2)), True),
    "all but one": (list(combinations(LANGUAGES, 2))[1:], True),
    "all but four": (list(combinations(LANGUAGES, 2))[4:], False),
    "with English": ([("en", other) for other in LANGUAGES if other != "en"], False),
    "three with three others": ([(one, other) for one in LANGUAGES[:3] for other in LANGUAGES[3:]], False),
    "two languages": ([("ar", "de")], False),
    "of each by itself": ([(each, each) for each in LANGUAGES], False),
}


@pytest.mark.parametrize(("pairs", "expected"), PAIRS.values(), ids=list(PAIRS))
def test_it_is_the_pairs_that_say_it(tmp_path: Path, pairs: list[tuple[str, str]], expected: bool) -> None:
    rows = [{"source": one, "target": other, "value": 0.5} for one, other in pairs]
    write(tmp_path, "one", "form", rows)
    of = Scored(experiment="one", metric="form", corpus="corpus", variant="v", checkpoints=("c0",), steps=(0,))
    assert are_partners(Question(unit="language", readings={"x": Reading(of=of)}), [tmp_path]) is expected


@pytest.mark.parametrize("role", ["both", "source", "target", "itself"])
def test_in_one_role_alone_they_are_not(tmp_path: Path, role: str) -> None:
    fill(tmp_path)
    question = Question(unit="language", readings={"x": reading("task", role=role)})
    assert are_partners(question, [tmp_path]) is (role == "both")
