"""What guessing gives: a constant answer is held against every example, one by one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.experiments.transfer.guessing import CHANCE, CONSTANT, Guess, guess_of
from tests.experiments.transfer.small_transfer import small_task, spec_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_constant_answer_is_the_most_frequent_training_label_everywhere(tmp_path: Path) -> None:
    spec = spec_of(corpus=tasks.keep(small_task(), "Small", tmp_path).id, validation_share=0.3)
    provenance = spec.provenance(spec.runs()[0]) | {"classes": 3}
    made = data_of(provenance, [tmp_path])
    own = made.data.labels.tolist()
    constant = min(label for label, times in Counter(own).items() if times == max(Counter(own).values()))
    found = guess_of(provenance, [tmp_path])
    assert found.trained == pytest.approx(own.count(constant) / len(own))
    shares = [labels.tolist().count(constant) / len(labels) for labels in made.data.validation_labels.values()]
    assert found.validated == pytest.approx(sum(shares) / len(shares))
    assert guess_of(provenance, []).errors() == {CHANCE: pytest.approx(2 / 3)}  # the task is not here: chance is known still


def test_levels_are_errors_less_what_the_model_gets_wrong_anyway() -> None:
    guess = Guess(2, 0.75, 0.7)
    assert guess.errors(0.1) == {CHANCE: pytest.approx(0.4), CONSTANT: pytest.approx(0.15)}
    assert guess.accuracies() == {CHANCE: 0.5, CONSTANT: 0.7}
    assert guess.target_errors() == {CHANCE: 0.5, CONSTANT: pytest.approx(0.3)}
    assert Guess(2, 0.504, 0.5).errors() == {CHANCE: 0.5}  # nearly balanced: one line
