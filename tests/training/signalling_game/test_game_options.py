"""What a signalling game may be, the objects it is played with, and who is a distractor."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from backend.training.signalling_game.objects import distinct, distractors, objects_of, spoken_objects, values_of
from backend.training.signalling_game.options import GameOptions, temperature_at
from backend.training.signalling_game.presets import PRESETS, preset


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"attributes": 64, "values": 1000}, "more objects than can be numbered"),
        ({"attributes": 9, "values": 9}, "say in objects how many"),
        ({"attributes": 2, "values": 3, "objects": 10}, "only 9 different"),
        ({"attributes": 2, "values": 3, "utterances": 10}, "only 9 different"),
        ({"attributes": 1, "values": 3, "held_out": 0.1}, "too few for a share"),
        ({"distractors": 30}, "30 distractors need more objects than the 26"),
        ({"vocabulary": 2}, "at least 3 symbols"),
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
    assert options.trained + options.kept_back == options.played


def test_the_papers_games_have_its_vocabulary_and_length() -> None:
    small, discrimination, reconstruction = (
        preset(f"xferbench-{name}") for name in ("disc-small", "disc-large", "recon-large")
    )
    assert [(game.vocabulary, game.symbols_read) for game in (small, discrimination, reconstruction)] == [
        (6, 11),
        (100, 31),
        (100, 31),
    ]
    assert (discrimination.game, reconstruction.game) == ("discrimination", "reconstruction")
    assert 31 * reconstruction.spoken == 31_000_000
    assert 31 * discrimination.spoken == pytest.approx(100_000_000, rel=0.01)


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
