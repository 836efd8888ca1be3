"""What a signalling game may be, the objects it is played with, and who is a distractor."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from isogloss.backend.training.signalling_game.objects import distinct, distractors, objects_of, spoken_objects, values_of
from isogloss.backend.training.signalling_game.options import GameOptions, temperature_at
from isogloss.backend.training.signalling_game.presets import PRESETS, preset


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"attributes": 64, "values": 1000}, "more objects than can be numbered"),
        ({"attributes": 9, "values": 9}, "say in objects how many"),
        ({"attributes": 12, "values": 8, "examples": 4}, "4 objects are too few for a share"),
        ({"distractors": 30, "examples": 30}, "30 distractors need more objects"),
        ({"examples": 0}, "greater than or equal"),
        ({"attributes": 2, "values": 3, "objects": 10}, "only 9 different"),
        ({"attributes": 2, "values": 3, "utterances": 10}, "only 9 different"),
        ({"attributes": 1, "values": 3, "held_out": 0.1}, "too few for a share"),
        ({"distractors": 30}, "30 distractors need more objects than the 26"),
        ({"vocabulary": 2}, "at least 3 symbols"),
        ({"end_of_sequence": False, "keep_end": True}, "there is none to keep"),
        ({"temperature": 0.05}, "temperature_least"),
        ({"attributes": 8, "values": 8, "objects": 1000, "utterances": 10_000_000, "length": 200}, "symbols"),
        ({"vocabulary": 0}, "greater than or equal"),
        ({"colour": 1}, "Extra inputs"),
    ],
)
def test_what_cannot_be_played_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        GameOptions(**wrong)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_game(name: Any) -> None:
    options = preset(name, seed=5)
    assert options.seed == 5
    assert options.trained == options.played - options.kept_back or options.trained == options.examples
    assert options.trained > options.distractors


def test_the_papers_games_are_those_of_its_appendix() -> None:
    """Boldt & Mortensen 2024, appendix A.3, line by line; large games change what is listed of the small one."""
    printed = {
        "game": "discrimination",
        "attributes": 4,
        "values": 4,
        "distractors": 5,
        "vocabulary": 6,
        "length": 10,
        "examples": 32_768,
        "batch": 1024,
        "epochs": 10,
        "hidden": 256,
        "receiver_hidden": 512,
        "embedding": 32,
        "learning_rate": 0.001,
    }
    large = printed | {
        "attributes": 12,
        "values": 8,
        "examples": 3_500_000,
        "length": 30,
        "vocabulary": 100,
        "epochs": 100,
    }
    reconstruction = large | {"game": "reconstruction", "attributes": 8, "examples": 1_000_000, "epochs": 10}
    del reconstruction["distractors"]
    for name, expected in (("disc-small", printed), ("disc-large", large), ("recon-large", reconstruction)):
        options = preset(f"xferbench-{name}")  # type: ignore[arg-type]
        assert {field: getattr(options, field) for field in expected} == expected, name
        assert options.rows == options.spoken == expected["examples"]
        assert options.enough is None
    assert preset("xferbench-disc-small").chance == pytest.approx(0.17, abs=0.005)
    assert preset("xferbench-recon-large").attribute_chance == pytest.approx(0.13, abs=0.006)
    assert preset("xferbench-recon-large").chance == pytest.approx(0.000006e-2, rel=0.01)
    assert [preset(f"xferbench-{name}").symbols_read for name in ("disc-small", "disc-large")] == [11, 31]  # type: ignore[arg-type]


def test_options_that_came_later_leave_stored_games_as_they_are() -> None:
    assert not {"examples", "receiver_hidden", "keep_end"} & set(GameOptions().model_dump(mode="json"))
    later = GameOptions(examples=50, receiver_hidden=7, keep_end=True)
    assert GameOptions.model_validate_json(later.model_dump_json()) == later


def test_the_temperature_falls_to_its_least() -> None:
    options = GameOptions(temperature=2.0, temperature_decay=0.5, temperature_least=0.3)
    assert [temperature_at(epoch, options) for epoch in (1, 2, 3, 4, 9)] == [2.0, 1.0, 0.5, 0.3, 0.3]


def test_numbers_stand_for_every_vector_once() -> None:
    options = GameOptions(attributes=3, values=4)
    assert values_of(np.arange(64), options).tolist() == [list(one) for one in product(range(4), repeat=3)]


def test_held_out_objects_are_never_trained_on() -> None:
    for seed, played in ((0, None), (1, 100)):
        options = GameOptions(attributes=3, values=6, objects=played, held_out=0.2, seed=seed)
        found = objects_of(options)
        assert (len(found.train), len(found.held_out)) == (options.trained, options.kept_back)
        assert len({*found.train.tolist(), *found.held_out.tolist()}) == options.played
        assert spoken_objects(options).tolist() == sorted([*found.train.tolist(), *found.held_out.tolist()])
        assert objects_of(options).train.tolist() == found.train.tolist()
    other = objects_of(GameOptions(attributes=3, values=6, objects=100, held_out=0.2, seed=2))
    assert other.train.tolist() != found.train.tolist()
    drawn = spoken_objects(options.model_copy(update={"utterances": 50}))
    assert len(set(drawn.tolist())) == 50
    assert drawn.max() < 216


@pytest.mark.parametrize(
    "options",
    [
        GameOptions(attributes=2, values=4, held_out=0.25, examples=8000, distractors=1, seed=1),
        GameOptions(attributes=3, values=6, objects=20, held_out=0.2, examples=8000, distractors=1, seed=2),
        GameOptions(attributes=2, values=4, held_out=0.0, examples=8000, distractors=1, seed=3),
    ],
    ids=["all", "some", "none held out"],
)
def test_examples_are_any_object_that_is_not_held_out_as_often_as_any_other(options: GameOptions) -> None:
    found = objects_of(options)
    assert found.examples is not None
    drawn = found.train[found.rows(np.arange(options.rows))]
    assert len(drawn) == 8000
    assert len(found.held_out) == options.kept_back
    assert not set(drawn.tolist()) & set(found.held_out.tolist())
    assert len(found.train) == options.trained == options.played - options.kept_back
    counts = np.bincount(found.examples, minlength=len(found.train))
    assert counts == pytest.approx(8000 / len(found.train), rel=0.2)
    assert spoken_objects(options).tolist() == drawn.tolist()
    assert objects_of(options).examples.tolist() == found.examples.tolist()  # type: ignore[union-attr]


def test_examples_of_more_objects_than_can_be_listed() -> None:
    options = GameOptions(attributes=12, values=8, examples=20_000, held_out=0.1)
    found = objects_of(options)
    assert found.examples is not None
    assert (len(found.held_out), len(found.examples)) == (2000, 20_000)
    assert found.train.max() > 0.99 * options.space
    assert not np.isin(found.train, found.held_out).any()
    assert values_of(found.train[found.examples], options).mean() == pytest.approx(3.5, abs=0.05)
    assert len(spoken_objects(options.model_copy(update={"utterances": 50}))) == 50


def test_examples_count_no_held_out_object_even_where_almost_all_are() -> None:
    options = GameOptions(game="reconstruction", attributes=2, values=10, held_out=0.9, examples=500)
    found = objects_of(options)
    assert (len(found.held_out), len(found.train)) == (90, 10)


@pytest.mark.parametrize(("below", "n"), [(5, 5), (6, 4), (9, 3), (10**15, 1000)])
def test_distinct_numbers_are_distinct_and_any_are_as_likely(below: int, n: int) -> None:
    random = np.random.default_rng(0)
    drawn = [distinct(random, below, n) for _ in range(3000 if below < 10 else 2)]
    for one in drawn:
        assert len(set(one.tolist())) == n
        assert one.min() >= 0
        assert one.max() < below
        assert one.tolist() == sorted(one.tolist())
    if below < 10:
        counts = np.bincount(np.concatenate(drawn), minlength=below) / len(drawn)
        assert counts == pytest.approx([n / below] * below, abs=0.04)
    with pytest.raises(ValueError, match="no"):
        distinct(random, below, below + 1)


def test_distractors_are_any_others() -> None:
    random = np.random.default_rng(0)
    targets = np.repeat(np.arange(5), 4000)
    found = distractors(random, targets, 5, 2)
    for target in range(5):
        rows = [tuple(sorted(row)) for row in found[targets == target].tolist()]
        pairs = list(combinations([one for one in range(5) if one != target], 2))
        assert set(rows) == set(pairs)
        assert [rows.count(pair) / len(rows) for pair in pairs] == pytest.approx([1 / 6] * 6, abs=0.03)
    assert sorted(distractors(random, np.array([2]), 5, 4)[0].tolist()) == [0, 1, 3, 4]
    with pytest.raises(ValueError, match="no 5 distractors"):
        distractors(random, np.array([2]), 5, 5)
