"""Seeds are told by names as people write them, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.models.seeds import seed_of, seeds_of


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("google/multiberts-seed_0", ("google/multiberts", 0)),
        ("multiberts-seed_12-step_20k", ("multiberts-step_20k", 12)),
        ("EleutherAI/pythia-14m-seed3", ("EleutherAI/pythia-14m", 3)),
        ("Mine (seed 5)", ("Mine", 5)),
        ("Mine, Seed=7 large", ("Mine,large", 7)),
        ("seed_4", ("", 4)),
        ("mixseed2", None),
        ("seed", None),
        ("seedling-3", None),
        ("proceeds 3", None),
        ("ByteDance-Seed/x", None),
        ("model-seed1b", None),
        ("step1000", None),
    ],
)
def test_a_seed_is_what_stands_behind_the_word(name: str, found: tuple[str, int] | None) -> None:
    assert seed_of(name) == found


def test_models_are_together_where_the_seed_alone_differs() -> None:
    names = ["a-seed_0", "a-seed_1", "b-seed_0", "b", "c-seed_0", "c-seed_1", "c", "seed 1", "seed 2"]
    assert seeds_of(names) == {
        "a-seed_0": "a",
        "a-seed_1": "a",
        "c-seed_0": "c (seeds)",
        "c-seed_1": "c (seeds)",
        "seed 1": "(seeds)",
        "seed 2": "(seeds)",
    }


def test_the_same_seed_twice_is_no_second_training() -> None:
    assert seeds_of(["a-seed_1", "a seed 1", "a-seed-1"]) == {}


@given(st.lists(st.text(alphabet="ab-_ seed0123/()", max_size=14), max_size=8))
def test_names_are_what_they_were_and_never_anothers(names: list[str]) -> None:
    found = seeds_of(names)
    assert set(found) <= set(names)
    assert not set(found.values()) & set(names)
